// chanmirror explain-spec: how a MatchSpec is read here, field by field.
#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "conda/match_spec.hpp"
#include "conda/spec_words.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace chm::cli {
namespace {

constexpr std::size_t k_longest_value = 500;  // of a spec that is shown in lines
constexpr std::size_t k_widest_column = 24;

Json to_json_value(const std::string& text, const Result<conda::MatchSpec>& spec) {
    if (!spec) {
        return Json::Object{{"spec", may_hold_credentials(text) ? Json() : Json(text)},
                            {"error", spec.error().message}};
    }
    Json::Object fields;
    for (const conda::SpecField& field : conda::explain(*spec)) {
        fields.emplace_back(std::string(field.key),
                            Json::Object{{"value", field.value}, {"meaning", field.meaning}});
    }
    Json::Array warnings(spec->warnings.begin(), spec->warnings.end());
    return Json::Object{{"spec", text},
                        {"canonical", spec->to_text()},
                        {"fields", std::move(fields)},
                        {"warnings", std::move(warnings)}};
}

/// Of the keywords that people use daily, those that restrict nothing here.
std::string usual_unrestricted(const std::vector<conda::SpecField>& fields) {
    std::string text;
    for (const std::string_view key : {"version", "build", "channel", "subdir"}) {
        if (std::ranges::find(fields, key, &conda::SpecField::key) == fields.end()) {
            text += fmt::format("{}{}", text.empty() ? "" : ", ", key);
        }
    }
    return text;
}

/// The canonical text, and a line for each field beneath it.
std::string to_lines(const conda::MatchSpec& spec) {
    const std::vector<conda::SpecField> fields = conda::explain(spec);
    std::size_t key_width = 0;
    std::size_t value_width = 0;
    for (const conda::SpecField& field : fields) {
        key_width = std::max(key_width, field.key.size());
        if (field.value.size() <= k_widest_column) {  // a digest or URL must not move the others
            value_width = std::max(value_width, field.value.size());
        }
    }
    std::string lines = printable(spec.to_text(), k_longest_value) + "\n";
    for (const conda::SpecField& field : fields) {
        lines += fmt::format("  {:<{}}  {:<{}}  {}\n",
                             field.key,
                             key_width,
                             printable(field.value, k_longest_value),
                             value_width,
                             printable(field.meaning, k_longest_value));
    }
    const std::string any = usual_unrestricted(fields);
    lines += any.empty() ? "" : fmt::format("  not restricted: {}\n", any);
    for (const std::string& warning : spec.warnings) {
        lines += fmt::format("  warning: {}\n", printable(warning, k_longest_value));
    }
    return lines;
}

Result<ExitCode> run_explain_spec(const std::vector<std::string>& texts, Services& services) {
    Json::Array documents;
    std::string lines;
    std::string errors;
    for (const std::string& text : texts) {
        const auto spec = conda::MatchSpec::parse(text);
        documents.push_back(to_json_value(text, spec));
        if (!spec) {
            errors += fmt::format("chanmirror: error: {}\n", printable(spec.error().message, 1000));
            continue;
        }
        lines += (lines.empty() ? "" : "\n") + to_lines(*spec);
    }
    if (services.global.json) {
        const Json document = Json::Object{{"specs", std::move(documents)}};
        CHM_CHECK(services.print(to_json(document, 2) + "\n"));
    } else {
        CHM_CHECK(services.print(lines));
        services.complain(errors);
    }
    return errors.empty() ? ExitCode::whole : ExitCode::usage;
}

}  // namespace

Run add_explain_spec(CLI::App& app) {
    const auto specs = std::make_shared<std::vector<std::string>>();
    app.add_option("SPEC", *specs, "MatchSpecs, as conda writes them; quote them for the shell")
        ->required();
    app.footer(
        "Exit code 2 when one of them cannot be read.\n"
        "\n"
        "Example:\n"
        "  chanmirror explain-spec 'conda-forge::pytorch=2.7[build=cuda*]' 'numpy >=1.26,<3'");
    return [specs](Services& services) { return run_explain_spec(*specs, services); };
}

}  // namespace chm::cli
