// chanmirror status: what the mirror holds.
#include "base/json.hpp"
#include "channels/snapshot.hpp"
#include "cli/command.hpp"
#include "cli/current_snapshot.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <string>
#include <utility>

namespace chm::cli {
namespace {

std::string status_text(const channels::Manifest& manifest, const channels::MirrorPaths& paths) {
    std::string text = fmt::format("root      {}\nsnapshot  {}, made {}\n",
                                   paths.root().string(),
                                   manifest.id,
                                   manifest.created);
    for (const channels::SnapshotChannel& channel : manifest.channels) {
        for (const channels::SnapshotSubdir& subdir : channel.subdirs) {
            text += fmt::format(
                "{:<32} {:>8} records  {}\n",
                channel.name + "/" + subdir.subdir,
                subdir.records,
                subdir.fetched_from.empty() ? "(not at the upstream)" : subdir.fetched_from);
        }
    }
    return text;
}

std::string status_json(const channels::Manifest& manifest, const channels::MirrorPaths& paths) {
    Json::Array channels;
    for (const channels::SnapshotChannel& channel : manifest.channels) {
        Json::Array subdirs;
        for (const channels::SnapshotSubdir& subdir : channel.subdirs) {
            subdirs.push_back(Json::Object{{"subdir", subdir.subdir},
                                           {"records", subdir.records},
                                           {"fetched_from", subdir.fetched_from}});
        }
        channels.push_back(Json::Object{
            {"name", channel.name}, {"url", channel.url}, {"subdirs", std::move(subdirs)}});
    }
    const Json document = Json::Object{{"root", paths.root().string()},
                                       {"snapshot", manifest.id},
                                       {"created", manifest.created},
                                       {"channels", std::move(channels)}};
    return to_json(document, 2) + "\n";
}

Result<ExitCode> run_status(Services& services) {
    CHM_TRY(const config::Loaded loaded, services.load_settings());
    const channels::MirrorPaths paths(loaded.settings.root);
    CHM_TRY(const channels::Manifest manifest, current_snapshot(paths));
    CHM_CHECK(services.print(services.global.json ? status_json(manifest, paths)
                                                  : status_text(manifest, paths)));
    return ExitCode::whole;
}

}  // namespace

Run add_status(CLI::App& app) {
    app.footer("Example:\n  chanmirror status --root /srv/chanmirror");
    return run_status;
}

}  // namespace chm::cli
