// The outcome as JSON; base/json writes it, so that every foreign text is escaped.
#include "emit/solution_json.hpp"

#include "base/json.hpp"

#include <utility>
#include <variant>

namespace chm::emit {
namespace {

Json::Array to_array(const std::vector<std::string>& texts) {
    return {texts.begin(), texts.end()};
}

Json to_object(const solver::SolvedPackage& package) {
    return Json::Object{
        {"manager", "conda"},
        {"channel", package.channel},
        {"subdir", package.subdir},
        {"name", package.name},
        {"version", package.version},
        {"build", package.build},
        {"build_number", package.build_number},
        {"fn", package.fn},
        {"url", package.url},
        {"sha256", package.sha256 ? Json(package.sha256->hex()) : Json()},
        {"md5", package.md5 ? Json(package.md5->hex()) : Json()},
        {"size", package.size ? Json(*package.size) : Json()},
        {"depends", to_array(package.depends)},
        {"constrains", to_array(package.constrains)},
    };
}

}  // namespace

std::string outcome_json(const solver::Outcome& outcome, const LockHeader& header) {
    Json::Array packages;
    Json::Array explanation;
    const auto* solution = std::get_if<solver::Solution>(&outcome);
    if (solution != nullptr) {
        for (const solver::SolvedPackage& package : solution->packages) {
            packages.push_back(to_object(package));
        }
    } else {
        explanation = to_array(std::get<solver::Unsolvable>(outcome).explanation);
    }
    const Json document = Json::Object{
        {"status", solution != nullptr ? "solved" : "unsolvable"},
        {"cached", "no"},
        {"platform", header.platform},
        {"virtual_packages", to_array(header.virtual_packages)},
        {"snapshot", header.snapshot},
        {"request",
         Json::Object{{"specs", to_array(header.specs)}, {"channels", to_array(header.channels)}}},
        {"packages", std::move(packages)},
        {"explanation", std::move(explanation)},
    };
    return to_json(document, 2) + "\n";
}

}  // namespace chm::emit
