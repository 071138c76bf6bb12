// chanmirror status: what the mirror holds.
#include "base/json.hpp"
#include "base/text.hpp"
#include "channels/snapshot.hpp"
#include "channels/snapshot_history.hpp"
#include "cli/command.hpp"
#include "cli/current_snapshot.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <string>
#include <utility>

namespace chm::cli {
namespace {

std::string subdir_line(const channels::SnapshotChannel& channel,
                        const channels::SnapshotSubdir& subdir) {
    std::string line =
        fmt::format("{:<32} {:>8} records  {}",
                    channel.name + "/" + subdir.subdir,
                    subdir.records,
                    subdir.fetched_from.empty() ? "(not at the upstream)" : subdir.fetched_from);
    if (subdir.view == channels::View::closed) {
        line += fmt::format("\n{:<32} {:>8} stored   {}, clients see these only",
                            "",
                            subdir.stored_files,
                            human_bytes(subdir.stored_bytes));
    }
    if (subdir.missing_files > 0) {
        line += fmt::format(
            "\n{:<32} {:>8} missing  missing.json names them", "", subdir.missing_files);
    }
    return line + "\n";
}

std::string status_text(const channels::Manifest& manifest, const channels::MirrorPaths& paths) {
    std::string text = fmt::format("root      {}\nsnapshot  {}, made {}\n",
                                   paths.root().string(),
                                   manifest.id,
                                   manifest.created);
    for (const channels::SnapshotChannel& channel : manifest.channels) {
        for (const channels::SnapshotSubdir& subdir : channel.subdirs) {
            text += subdir_line(channel, subdir);
        }
    }
    return text;
}

Json::Object subdir_json(const channels::SnapshotSubdir& subdir) {
    Json::Object json{{"subdir", subdir.subdir},
                      {"view", to_text(subdir.view)},
                      {"records", subdir.records},
                      {"fetched_from", subdir.fetched_from}};
    if (subdir.view == channels::View::closed) {
        json.emplace_back("published_records", subdir.published_records);
        json.emplace_back("stored_files", subdir.stored_files);
        json.emplace_back("stored_bytes", subdir.stored_bytes);
        json.emplace_back("missing_files", subdir.missing_files);
    }
    return json;
}

std::string status_json(const channels::Manifest& manifest, const channels::MirrorPaths& paths) {
    Json::Array channels;
    for (const channels::SnapshotChannel& channel : manifest.channels) {
        Json::Array subdirs;
        for (const channels::SnapshotSubdir& subdir : channel.subdirs) {
            subdirs.push_back(subdir_json(subdir));
        }
        channels.push_back(Json::Object{
            {"name", channel.name}, {"url", channel.url}, {"subdirs", std::move(subdirs)}});
    }
    const channels::SnapshotTotals totals = channels::totals_of(manifest);
    const Json document = Json::Object{{"root", paths.root().string()},
                                       {"snapshot", manifest.id},
                                       {"created", manifest.created},
                                       {"stored_files", totals.stored_files},
                                       {"stored_bytes", totals.stored_bytes},
                                       {"missing_files", totals.missing_files},
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
