// Builds repodata as JSON text, so that tests pass through the same reader as real channels.
#include "channel_builder.hpp"

#include "base/json.hpp"
#include "solver/solve.hpp"
#include "support/recording_reporter.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <variant>

namespace chm::solver::test {
namespace {

Json::Array to_array(const std::vector<std::string>& texts) {
    return {texts.begin(), texts.end()};
}

}  // namespace

ChannelBuilder& ChannelBuilder::add(const PackageText& package) {
    Json::Object record = {
        {"name", package.name},
        {"version", package.version},
        {"build", package.build},
        {"build_number", package.build_number},
        {"depends", to_array(package.depends)},
        {"constrains", to_array(package.constrains)},
        {"timestamp", package.timestamp},
        {"sha256", sha256(package.name + package.version + package.build).hex()},
        {"size", 1000},
    };
    if (!package.track_features.empty()) {
        record.emplace_back("track_features", package.track_features);
    }
    const std::string fn =
        fmt::format("{}-{}-{}{}", package.name, package.version, package.build, package.extension);
    return add_raw(fn, to_json(Json(std::move(record))));
}

ChannelBuilder& ChannelBuilder::add_raw(std::string_view fn, std::string_view json) {
    std::string& section = fn.ends_with(".conda") ? packages_conda_ : packages_;
    section += fmt::format("{}{}: {}", section.empty() ? "" : ",\n", to_json(Json(fn)), json);
    return *this;
}

channels::SubdirIndex ChannelBuilder::open() const {
    auto channel = conda::parse_channel(channel_);
    REQUIRE_MESSAGE(channel.has_value(), channel_);
    auto index = channels::SubdirIndex::open(
        fmt::format(
            R"({{"info": {{"subdir": "{}"}}, "packages": {{{}}}, "packages.conda": {{{}}}}})",
            subdir_,
            packages_,
            packages_conda_),
        std::move(*channel),
        subdir_);
    REQUIRE_MESSAGE(index.has_value(), (index ? "" : index.error().message));
    return std::move(*index);
}

SolveRequest ask(const std::vector<std::string>& specs,
                 std::vector<conda::VirtualPackage> virtual_packages) {
    SolveRequest request;
    for (const std::string& text : specs) {
        auto spec = conda::MatchSpec::parse(text);
        REQUIRE_MESSAGE(spec.has_value(), text);
        request.specs.push_back(std::move(*spec));
    }
    request.platform = "linux-64";
    request.virtual_packages = std::move(virtual_packages);
    request.add_pip_as_python_dependency = false;
    return request;
}

std::vector<std::string> answer(const SolveRequest& request, const Indexes& indexes) {
    chm::test::RecordingReporter reporter;
    const auto outcome = solve(request, indexes, reporter);
    REQUIRE_MESSAGE(outcome.has_value(), (outcome ? "" : outcome.error().message));
    std::vector<std::string> lines;
    if (const auto* solution = std::get_if<Solution>(&*outcome)) {
        for (const SolvedPackage& package : solution->packages) {
            lines.push_back(fmt::format(
                "{}::{}-{}-{}", package.channel, package.name, package.version, package.build));
        }
        return lines;
    }
    for (const std::string& line : std::get<Unsolvable>(*outcome).explanation) {
        lines.push_back("unsolvable: " + line);
    }
    return lines;
}

std::string explanation(const SolveRequest& request, const Indexes& indexes) {
    chm::test::RecordingReporter reporter;
    const auto outcome = solve(request, indexes, reporter);
    REQUIRE_MESSAGE(outcome.has_value(), (outcome ? "" : outcome.error().message));
    const auto* unsolvable = std::get_if<Unsolvable>(&*outcome);
    REQUIRE(unsolvable != nullptr);
    std::string text;
    for (const std::string& line : unsolvable->explanation) {
        text += line + "\n";
    }
    return text;
}

}  // namespace chm::solver::test
