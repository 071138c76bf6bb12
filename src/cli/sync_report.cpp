#include "cli/sync_report.hpp"

#include "base/json.hpp"
#include "base/text.hpp"
#include "conda/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace chm::cli {
namespace {

constexpr std::size_t k_shown_files = 5;  // of a longer list, which is in missing.json or --json

std::string_view to_text(channels::SubdirChange change) {
    switch (change) {
        case channels::SubdirChange::fetched:
            return "fetched";
        case channels::SubdirChange::unchanged:
            return "unchanged";
        case channels::SubdirChange::absent:
            return "absent";
    }
    return "";
}

/// "1 file", "2,256 files".
std::string count_of(std::uint64_t number, std::string_view thing) {
    return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

/// A platform that not one of the channels has was most likely not meant.
void warn_of_absent_platforms(const channels::SyncReport& report, Reporter& reporter) {
    std::map<std::string_view, bool> absent_everywhere;
    for (const channels::SyncedSubdir& subdir : report.subdirs) {
        const bool absent = subdir.change == channels::SubdirChange::absent;
        const auto [entry, is_new] = absent_everywhere.try_emplace(subdir.subdir, absent);
        entry->second = entry->second && absent;
    }
    for (const auto& [subdir, absent] : absent_everywhere) {
        if (absent && subdir != conda::k_noarch) {
            reporter.warn(fmt::format("no channel of this sync has {} at its upstream", subdir));
        }
    }
}

void warn_of_missing(const channels::SyncReport& report,
                     const config::Settings& settings,
                     Reporter& reporter) {
    for (std::size_t i = 0; i < std::min(report.missing.size(), k_shown_files); ++i) {
        const channels::MissingFile& file = report.missing[i];
        reporter.warn(fmt::format(
            "{}: expected {}, got {}; not published", file.url, file.expected, file.got));
    }
    if (!report.missing.empty()) {
        reporter.warn(fmt::format("{} missing, named in {}; the next sync tries again",
                                  count_of(report.missing.size(), "file"),
                                  (settings.root / "missing.json").string()));
    }
}

void warn_of_refused(const channels::SyncReport& report, Reporter& reporter) {
    for (const channels::PlannedSubdir& subdir : report.plan.subdirs) {
        if (!subdir.refused.empty()) {
            reporter.warn(fmt::format("{}/{}: {} refused, such as {}",
                                      subdir.channel,
                                      subdir.subdir,
                                      count_of(subdir.refused.size(), "record"),
                                      printable(subdir.refused.front())));
        }
        for (const std::string& refused : subdir.refused) {
            reporter.detail(
                fmt::format("{}/{}: refused {}", subdir.channel, subdir.subdir, refused));
        }
    }
}

Json to_json_value(const channels::PlannedSubdir& subdir) {
    Json::Array refused(subdir.refused.begin(), subdir.refused.end());
    return Json::Object{{"channel", subdir.channel},
                        {"subdir", subdir.subdir},
                        {"wanted_files", subdir.wanted_files},
                        {"wanted_bytes", subdir.wanted_bytes},
                        {"fetch_files", subdir.fetch_files},
                        {"fetch_bytes", subdir.fetch_bytes},
                        {"unsized_files", subdir.unsized_files},
                        {"left_out", subdir.left_out},
                        {"refused", std::move(refused)},
                        {"licence", subdir.licence}};
}

Json to_json_value(const channels::MissingFile& file) {
    return Json::Object{{"channel", file.channel},
                        {"subdir", file.subdir},
                        {"fn", file.fn},
                        {"url", file.url},
                        {"expected", file.expected},
                        {"got", file.got}};
}

}  // namespace

void note_sync(const channels::SyncReport& report,
               const config::Settings& settings,
               Reporter& reporter) {
    for (const channels::SyncedSubdir& subdir : report.subdirs) {
        const std::string where = fmt::format("{}/{}", subdir.channel, subdir.subdir);
        if (subdir.change == channels::SubdirChange::absent) {
            reporter.note(fmt::format("{:<28} not at the upstream", where));
        } else {
            reporter.note(fmt::format(
                "{:<28} {:>7} records, {}", where, subdir.records, to_text(subdir.change)));
        }
    }
    warn_of_absent_platforms(report, reporter);
    warn_of_refused(report, reporter);
    warn_of_missing(report, settings, reporter);
    if (report.plan.fetch_files > 0) {
        reporter.note(fmt::format(
            "{} fetched", count_of(report.plan.fetch_files - report.missing.size(), "package")));
    }
    reporter.note(
        report.new_snapshot
            ? fmt::format("published snapshot {} in {}", report.manifest.id, settings.root.string())
            : fmt::format("nothing changed: snapshot {} stays current", report.manifest.id));
}

std::string plan_text(const channels::SyncReport& report) {
    std::string text;
    for (const channels::PlannedSubdir& subdir : report.plan.subdirs) {
        text += fmt::format(
            "{}/{}: {} to fetch ({}), {} of {} wanted are here, {} left out{}{}\n",
            subdir.channel,
            subdir.subdir,
            count_of(subdir.fetch_files, "file"),
            human_bytes(subdir.fetch_bytes),
            subdir.wanted_files - subdir.fetch_files,
            subdir.wanted_files,
            subdir.left_out,
            subdir.unsized_files > 0 ? fmt::format("; the index gives no size for {}",
                                                   count_of(subdir.unsized_files, "file"))
                                     : "",
            subdir.licence.empty() ? "" : fmt::format("; licence: {}", printable(subdir.licence)));
    }
    if (report.plan.subdirs.empty()) {
        text += "no packages are stored under the policies of these channels: indexes only\n";
    }
    const bool fits = report.plan.require_room().has_value();
    return text + fmt::format("in all: {} to fetch, {}; {} are free{}\n",
                              count_of(report.plan.fetch_files, "file"),
                              human_bytes(report.plan.fetch_bytes),
                              human_bytes(report.plan.free_bytes),
                              fits ? "" : ", which is not enough");
}

std::string sync_json(const channels::SyncReport& report) {
    Json::Array subdirs;
    for (const channels::SyncedSubdir& subdir : report.subdirs) {
        subdirs.push_back(Json::Object{{"channel", subdir.channel},
                                       {"subdir", subdir.subdir},
                                       {"change", to_text(subdir.change)},
                                       {"records", subdir.records}});
    }
    Json::Array plan;
    for (const channels::PlannedSubdir& subdir : report.plan.subdirs) {
        plan.push_back(to_json_value(subdir));
    }
    Json::Array missing;
    for (const channels::MissingFile& file : report.missing) {
        missing.push_back(to_json_value(file));
    }
    const Json document = Json::Object{{"snapshot", report.manifest.id},
                                       {"new_snapshot", report.new_snapshot},
                                       {"subdirs", std::move(subdirs)},
                                       {"packages", std::move(plan)},
                                       {"free_bytes", report.plan.free_bytes},
                                       {"missing", std::move(missing)}};
    return to_json(document, 2) + "\n";
}

}  // namespace chm::cli
