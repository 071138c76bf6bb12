// chanmirror init: a commented configuration file and an empty mirror root.
#include "base/atomic_file.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "cli/command.hpp"
#include "config/load.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace chm::cli {
namespace {

namespace fs = std::filesystem;

Result<ExitCode> run_init(const Services& services) {
    const fs::path file =
        services.working_directory / services.global.config_file.value_or("chanmirror.yml");
    std::error_code ignored;
    if (fs::exists(file, ignored)) {
        return fail(
            ErrorKind::usage,
            fmt::format("{} exists; edit it, or name another file with --config", file.string()));
    }
    // The file does not exist yet, so only flags and the environment may name the root.
    config::LoadRequest request{std::nullopt, services.global.root, services.working_directory};
    const auto without_config = [&](std::string_view name) {
        return name == "CHANMIRROR_CONFIG" ? std::nullopt : services.environment(name);
    };
    CHM_TRY(const config::Loaded loaded, config::load(request, without_config));
    const fs::path& root = loaded.settings.root;
    for (const std::string_view folder :
         {"objects", "snapshots", "public", "state", "solutions", "locks"}) {
        CHM_CHECK(make_directories(root / folder));
    }
    CHM_CHECK(write_file_atomically(file, config::commented_file(root)));
    if (services.global.json) {
        const Json document = Json::Object{{"config_file", file.string()}, {"root", root.string()}};
        CHM_CHECK(services.print(to_json(document, 2) + "\n"));
    }
    services.reporter.note(
        fmt::format("wrote {}; the mirror's root is {}", file.string(), root.string()));
    services.reporter.note("next: chanmirror sync");
    return ExitCode::whole;
}

}  // namespace

Run add_init(CLI::App& app) {
    app.footer("Example:\n  chanmirror init --root /srv/chanmirror");
    return [](Services& services) { return run_init(services); };
}

}  // namespace chm::cli
