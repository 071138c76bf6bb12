// chanmirror config: every value in effect, and where it comes from.
#include "base/json.hpp"
#include "cli/command.hpp"
#include "config/keys.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <string>
#include <utility>

namespace chm::cli {
namespace {

std::string config_text(const config::Loaded& loaded) {
    std::string text = fmt::format("# configuration file: {}\n",
                                   loaded.config_file ? loaded.config_file->string() : "none");
    for (const config::Origin& origin : loaded.origins) {
        const std::string value = config::find_key(origin.key)->show(loaded.settings);
        text += fmt::format("{}: {}  # {}\n", origin.key, value, origin.where);
    }
    return text;
}

std::string config_json(const config::Loaded& loaded) {
    Json::Object keys;
    for (const config::Origin& origin : loaded.origins) {
        const std::string value = config::find_key(origin.key)->show(loaded.settings);
        keys.emplace_back(origin.key, Json::Object{{"value", value}, {"origin", origin.where}});
    }
    return to_json(Json(std::move(keys)), 2) + "\n";
}

Result<ExitCode> run_config(Services& services) {
    CHM_TRY(const config::Loaded loaded, services.load_settings());
    CHM_CHECK(services.print(services.global.json ? config_json(loaded) : config_text(loaded)));
    return ExitCode::whole;
}

}  // namespace

Run add_config(CLI::App& app) {
    std::string footer = "Keys of chanmirror.yml, and the variables that override them:\n";
    for (const config::Key& key : config::keys()) {
        footer += key.environment.empty() ? fmt::format("  {}\n", key.name)
                                          : fmt::format("  {:<30} {}\n", key.name, key.environment);
    }
    app.footer(footer + "\nExample:\n  CHANMIRROR_ROOT=/srv/chanmirror chanmirror config");
    return run_config;
}

}  // namespace chm::cli
