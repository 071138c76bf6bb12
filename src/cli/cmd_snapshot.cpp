// chanmirror snapshot list, diff, rollback, gc: the history of the mirror.
#include "base/json.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "channels/garbage.hpp"
#include "channels/rollback.hpp"
#include "channels/snapshot_diff.hpp"
#include "channels/snapshot_history.hpp"
#include "cli/command.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace chm::cli {
namespace {

struct SnapshotOptions {
    std::string from;
    std::string to;
    std::string id;
    unsigned keep = 3;
    std::string grace = "1d";
    bool dry_run = false;
};

Result<channels::MirrorPaths> mirror_of(Services& services) {
    CHM_TRY(const config::Loaded loaded, services.load_settings());
    return channels::MirrorPaths(loaded.settings.root);
}

std::string list_line(const channels::SnapshotEntry& entry) {
    const std::string_view mark = entry.is_current ? "*" : " ";
    if (!entry.manifest) {
        return fmt::format("{} {}  damaged: {}\n", mark, entry.id, printable(entry.damage, 500));
    }
    const channels::SnapshotTotals totals = channels::totals_of(*entry.manifest);
    std::string stored;
    if (totals.stored_files > 0 || totals.missing_files > 0) {
        stored = fmt::format(", {} stored ({})",
                             counted(totals.stored_files, "file"),
                             human_bytes(totals.stored_bytes));
    }
    if (totals.missing_files > 0) {
        stored += fmt::format(", {} missing", totals.missing_files);
    }
    return fmt::format("{} {}  {}  {}, {}, {}{}\n",
                       mark,
                       entry.id,
                       printable(entry.manifest->created, 40),
                       counted(entry.manifest->channels.size(), "channel"),
                       counted(totals.subdirs, "subdir"),
                       counted(totals.records, "record"),
                       stored);
}

Json list_json(const channels::SnapshotEntry& entry) {
    Json::Object json{{"id", entry.id}, {"current", entry.is_current}};
    if (!entry.manifest) {
        json.emplace_back("damaged", entry.damage);
        return json;
    }
    const channels::SnapshotTotals totals = channels::totals_of(*entry.manifest);
    json.emplace_back("created", entry.manifest->created);
    json.emplace_back("channels", std::uint64_t{entry.manifest->channels.size()});
    json.emplace_back("subdirs", totals.subdirs);
    json.emplace_back("records", totals.records);
    json.emplace_back("stored_files", totals.stored_files);
    json.emplace_back("stored_bytes", totals.stored_bytes);
    json.emplace_back("missing_files", totals.missing_files);
    return json;
}

Result<ExitCode> run_list(Services& services) {
    CHM_TRY(const channels::MirrorPaths paths, mirror_of(services));
    CHM_TRY(const auto entries, channels::list_snapshots(paths));
    std::string text;
    Json::Array items;
    for (const channels::SnapshotEntry& entry : entries) {
        text += list_line(entry);
        items.push_back(list_json(entry));
    }
    if (services.global.json) {
        const Json document =
            Json::Object{{"root", paths.root().string()}, {"snapshots", std::move(items)}};
        CHM_CHECK(services.print(to_json(document, 2) + "\n"));
        return ExitCode::whole;
    }
    if (entries.empty()) {
        services.reporter.note(
            fmt::format("the mirror {} holds no snapshot", paths.root().string()));
    }
    CHM_CHECK(services.print(text));
    return ExitCode::whole;
}

using channels::RecordChange;
constexpr std::array k_changes = {
    RecordChange::added, RecordChange::removed, RecordChange::replaced, RecordChange::redescribed};

std::string diff_text(const std::vector<channels::SubdirDiff>& diffs, bool names) {
    std::string text;
    for (const channels::SubdirDiff& diff : diffs) {
        text += fmt::format("{:<32}", diff.channel + "/" + diff.subdir);
        std::string_view separator = " ";
        for (const RecordChange change : k_changes) {
            if (diff.count(change) > 0) {
                text += fmt::format("{}{} {}", separator, diff.count(change), to_text(change));
                separator = ", ";
            }
        }
        if (diff.stored_files != 0) {
            text += fmt::format("{}{:+} stored", separator, diff.stored_files);
            separator = ", ";
        }
        text += separator == " " ? " what is stored differs\n" : "\n";
        for (const channels::ChangedRecord& record : diff.records) {
            if (names) {
                text += fmt::format("  {:<12} {}\n", to_text(record.change), printable(record.fn));
            }
        }
    }
    return text;
}

Json diff_json(const channels::SubdirDiff& diff) {
    Json::Object json{{"channel", diff.channel}, {"subdir", diff.subdir}};
    for (const RecordChange change : k_changes) {
        Json::Array names;
        for (const channels::ChangedRecord& record : diff.records) {
            if (record.change == change) {
                names.emplace_back(record.fn);
            }
        }
        json.emplace_back(std::string(to_text(change)), std::move(names));
    }
    json.emplace_back("stored_files", diff.stored_files);
    json.emplace_back("stored_bytes", diff.stored_bytes);
    return json;
}

Result<channels::Manifest> find_snapshot(const channels::MirrorPaths& paths,
                                         const std::string& text) {
    CHM_TRY(const std::string id, channels::resolve_snapshot(paths, text));
    auto manifest = channels::read_snapshot(paths, id);
    if (!manifest) {
        return fail(ErrorKind::integrity,
                    fmt::format("snapshot {} is damaged: {}", id, manifest.error().message));
    }
    return manifest;
}

Result<ExitCode> run_diff(const SnapshotOptions& options, Services& services) {
    CHM_TRY(const channels::MirrorPaths paths, mirror_of(services));
    CHM_TRY(const channels::Manifest from, find_snapshot(paths, options.from));
    CHM_TRY(const channels::Manifest to, find_snapshot(paths, options.to));
    CHM_TRY(const auto diffs, channels::diff_snapshots(paths, from, to));
    if (services.global.json) {
        Json::Array subdirs;
        for (const channels::SubdirDiff& diff : diffs) {
            subdirs.push_back(diff_json(diff));
        }
        const Json document =
            Json::Object{{"from", from.id}, {"to", to.id}, {"subdirs", std::move(subdirs)}};
        CHM_CHECK(services.print(to_json(document, 2) + "\n"));
        return ExitCode::whole;
    }
    if (diffs.empty()) {
        services.reporter.note("the snapshots do not differ");
    }
    CHM_CHECK(services.print(diff_text(diffs, services.global.verbose)));
    return ExitCode::whole;
}

Result<ExitCode> run_rollback(const SnapshotOptions& options, Services& services) {
    CHM_TRY(const channels::MirrorPaths paths, mirror_of(services));
    CHM_TRY(const channels::RollbackReport report,
            channels::rollback(paths, options.id, services.clock, services.stop));
    if (report.names_added + report.names_changed > 0) {
        services.reporter.note(fmt::format("names of package files: {} added, {} changed",
                                           report.names_added,
                                           report.names_changed));
    }
    services.reporter.note(
        report.before == report.manifest.id
            ? fmt::format("snapshot {} is the current one already", report.manifest.id)
            : fmt::format("snapshot {} is current again; it was {}",
                          report.manifest.id,
                          report.before.empty() ? "none" : printable(report.before)));
    if (services.global.json) {
        const Json document = Json::Object{{"snapshot", report.manifest.id},
                                           {"before", report.before},
                                           {"names_added", report.names_added},
                                           {"names_changed", report.names_changed}};
        CHM_CHECK(services.print(to_json(document, 2) + "\n"));
    }
    return ExitCode::whole;
}

Json::Array texts(const std::vector<std::string>& ids) {
    return {ids.begin(), ids.end()};
}

Json::Array texts(const std::vector<std::filesystem::path>& paths) {
    Json::Array items;
    for (const std::filesystem::path& path : paths) {
        items.emplace_back(path.string());
    }
    return items;
}

std::string gc_json(const channels::GarbageReport& report, bool dry_run) {
    Json::Array objects;
    for (const channels::StoredObject& object : report.objects) {
        objects.push_back(Json::Object{{"sha256", object.sha256.hex()}, {"size", object.size}});
    }
    const Json document = Json::Object{{"dry_run", dry_run},
                                       {"kept", texts(report.kept_snapshots)},
                                       {"snapshots", texts(report.snapshots)},
                                       {"objects", std::move(objects)},
                                       {"names", texts(report.names)},
                                       {"leftovers", texts(report.leftovers)},
                                       {"objects_spared", report.objects_spared},
                                       {"bytes", report.bytes}};
    return to_json(document, 2) + "\n";
}

void note_garbage(const channels::GarbageReport& report, bool dry_run, Reporter& reporter) {
    for (const std::string& id : report.snapshots) {
        reporter.note("snapshot " + id);
    }
    for (const auto* list : {&report.leftovers, &report.names}) {
        for (const std::filesystem::path& path : *list) {
            reporter.detail(printable(path.native(), 5000));
        }
    }
    for (const channels::StoredObject& object : report.objects) {
        reporter.detail(
            fmt::format("object {} ({})", object.sha256.hex(), human_bytes(object.size)));
    }
    reporter.note(fmt::format("{}: {}, {}, {} of package files, {}; {} {}",
                              dry_run ? "would be removed" : "removed",
                              counted(report.snapshots.size(), "snapshot"),
                              counted(report.objects.size(), "stored file"),
                              counted(report.names.size(), "name"),
                              counted(report.leftovers.size(), "leftover"),
                              human_bytes(report.bytes),
                              dry_run ? "would become free" : "are free again"));
    reporter.note(fmt::format("kept: {}", counted(report.kept_snapshots.size(), "snapshot")));
}

Result<ExitCode> run_gc(const SnapshotOptions& options, Services& services) {
    auto grace = parse_duration(options.grace);
    if (!grace) {
        return fail(with_context(std::move(grace).error(), "--grace"));
    }
    CHM_TRY(const channels::MirrorPaths paths, mirror_of(services));
    const channels::GarbageRequest request{options.keep, *grace, options.dry_run};
    CHM_TRY(const channels::GarbageReport report,
            channels::collect_garbage(
                paths, request, {services.clock, services.reporter, services.stop}));
    note_garbage(report, options.dry_run, services.reporter);
    if (services.global.json) {
        CHM_CHECK(services.print(gc_json(report, options.dry_run)));
    }
    return ExitCode::whole;
}

constexpr std::string_view k_which =
    "A snapshot's id, the beginning of one, 'current', or 'previous' (the one before the current)";

CLI::App* add_diff(CLI::App& app, SnapshotOptions& options) {
    CLI::App* diff = app.add_subcommand(
        "diff", "Show which records were added, removed and changed; names with -v or --json");
    diff->add_option("FROM", options.from, std::string(k_which))->required();
    diff->add_option("TO", options.to, "The same")->required();
    diff->footer("Example:\n  chanmirror snapshot diff previous current -v");
    return diff;
}

CLI::App* add_rollback(CLI::App& app, SnapshotOptions& options) {
    CLI::App* rollback = app.add_subcommand(
        "rollback", "Make a snapshot the current one again, once it is proven whole");
    rollback->add_option("ID", options.id, std::string(k_which))->required();
    rollback->footer(
        "The next 'chanmirror sync' brings what is newer again.\n\nExample:\n"
        "  chanmirror snapshot rollback previous");
    return rollback;
}

CLI::App* add_gc(CLI::App& app, SnapshotOptions& options) {
    CLI::App* gc = app.add_subcommand(
        "gc", "Remove what neither a kept snapshot nor a lock in ROOT/locks needs");
    gc->add_option("--keep", options.keep, "How many of the newest snapshots stay")
        ->type_name("N")
        ->capture_default_str();
    gc->add_option("--grace",
                   options.grace,
                   "What clients could see within this time stays, too (90s, 30m, 12h, 7d, 0)")
        ->type_name("DURATION")
        ->capture_default_str();
    gc->add_flag("--dry-run", options.dry_run, "Only say what would be removed");
    gc->footer("Example:\n  chanmirror snapshot gc --keep 5 --dry-run");
    return gc;
}

}  // namespace

Run add_snapshot(CLI::App& app) {
    const auto options = std::make_shared<SnapshotOptions>();
    CLI::App* list = app.add_subcommand("list", "Show the snapshots, newest first");
    list->footer("Example:\n  chanmirror snapshot list");
    CLI::App* diff = add_diff(app, *options);
    CLI::App* rollback = add_rollback(app, *options);
    CLI::App* gc = add_gc(app, *options);
    for (CLI::App* sub : {list, diff, rollback, gc}) {
        sub->fallthrough();
    }
    app.require_subcommand(1);
    app.footer("Example:\n  chanmirror snapshot list\n  chanmirror snapshot rollback previous");
    return [=](Services& services) -> Result<ExitCode> {
        if (diff->parsed()) {
            return run_diff(*options, services);
        }
        if (rollback->parsed()) {
            return run_rollback(*options, services);
        }
        return gc->parsed() ? run_gc(*options, services) : run_list(services);
    };
}

}  // namespace chm::cli
