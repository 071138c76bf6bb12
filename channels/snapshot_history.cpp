#include "channels/snapshot_history.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <functional>
#include <utility>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;

/// Ids of all snapshots, newest first.
Result<std::vector<std::string>> list_ids(const MirrorPaths& paths) {
    std::vector<std::string> ids;
    std::error_code error;
    fs::directory_iterator entries(paths.snapshots(), error);
    if (error == std::errc::no_such_file_or_directory) {
        return ids;
    }
    while (!error && entries != fs::directory_iterator()) {
        std::string name = entries->path().filename().string();
        if (time_of_id(name)) {
            ids.push_back(std::move(name));
        }
        entries.increment(error);
    }
    if (error) {
        return fail(io_error("listing " + paths.snapshots().string(), error.value()));
    }
    std::ranges::sort(ids, std::greater<>());
    return ids;
}

/// Digits of `text` at `place`; -1 when one of them is none.
int number_at(std::string_view text, std::size_t place, std::size_t count) {
    int number = -1;
    const char* end = text.data() + place + count;
    const auto [stop, error] = std::from_chars(text.data() + place, end, number);
    return error == std::errc() && stop == end ? number : -1;
}

}  // namespace

std::optional<WallTime> time_of_id(std::string_view id) {
    constexpr std::string_view k_form = "00000000T000000Z-hhhhhhhh";
    if (id.size() != k_form.size()) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < id.size(); ++i) {
        const char c = id[i];
        const bool digit = c >= '0' && c <= '9';
        const bool fits = k_form[i] == '0'   ? digit
                          : k_form[i] == 'h' ? digit || (c >= 'a' && c <= 'f')
                                             : c == k_form[i];
        if (!fits) {
            return std::nullopt;
        }
    }
    const std::chrono::year_month_day day(
        std::chrono::year(number_at(id, 0, 4)),
        std::chrono::month(static_cast<unsigned>(number_at(id, 4, 2))),
        std::chrono::day(static_cast<unsigned>(number_at(id, 6, 2))));
    if (!day.ok()) {
        return std::nullopt;
    }
    return std::chrono::sys_days(day) + std::chrono::hours(number_at(id, 9, 2)) +
           std::chrono::minutes(number_at(id, 11, 2)) + std::chrono::seconds(number_at(id, 13, 2));
}

Result<std::optional<std::string>> current_id(const MirrorPaths& paths) {
    std::error_code error;
    const fs::path target = fs::read_symlink(paths.current(), error);
    if (error == std::errc::no_such_file_or_directory) {
        return std::optional<std::string>();
    }
    if (error) {
        return fail(io_error("reading " + paths.current().string(), error.value()));
    }
    return std::optional(target.filename().string());
}

Result<std::vector<SnapshotEntry>> list_snapshots(const MirrorPaths& paths) {
    CHM_TRY(const std::optional<std::string> current, current_id(paths));
    CHM_TRY(const std::vector<std::string> ids, list_ids(paths));
    std::vector<SnapshotEntry> entries;
    for (const std::string& id : ids) {
        SnapshotEntry entry{id, current == id, {}, {}};
        auto manifest = read_snapshot(paths, id);
        if (manifest) {
            entry.manifest = std::move(*manifest);
        } else if (manifest.error().kind == ErrorKind::not_found) {
            entry.damage = "its manifest.json is missing";
        } else {
            entry.damage = std::move(manifest).error().message;
        }
        entries.push_back(std::move(entry));
    }
    return entries;
}

Result<std::string> resolve_snapshot(const MirrorPaths& paths, std::string_view text) {
    CHM_TRY(const std::vector<std::string> ids, list_ids(paths));
    CHM_TRY(const std::optional<std::string> current, current_id(paths));
    if (text == "current" || text == "previous") {
        if (!current) {
            return fail(ErrorKind::usage,
                        fmt::format("the mirror {} has no current snapshot; run 'chanmirror sync' "
                                    "first, or name a snapshot of 'chanmirror snapshot list'",
                                    paths.root().string()));
        }
        const auto older = std::ranges::find_if(ids, [&](const auto& id) { return id < *current; });
        if (text == "previous" && older == ids.end()) {
            return fail(ErrorKind::usage,
                        fmt::format("there is no snapshot older than the current one, {}",
                                    printable(*current)));
        }
        return text == "current" ? *current : *older;
    }
    std::vector<std::string> found;
    for (const std::string& id : ids) {
        if (!text.empty() && std::string_view(id).starts_with(text)) {
            found.push_back(id);
        }
    }
    if (found.size() == 1) {
        return found.front();
    }
    if (found.empty()) {
        return fail(ErrorKind::usage,
                    fmt::format("no snapshot '{}'{}; 'chanmirror snapshot list' names them",
                                printable(text),
                                did_you_mean(text, ids)));
    }
    return fail(ErrorKind::usage,
                fmt::format("'{}' is the beginning of {} snapshots ({}, {}, …); give more of it",
                            printable(text),
                            found.size(),
                            found[0],
                            found[1]));
}

SnapshotTotals totals_of(const Manifest& manifest) {
    SnapshotTotals totals;
    for (const SnapshotChannel& channel : manifest.channels) {
        for (const SnapshotSubdir& subdir : channel.subdirs) {
            ++totals.subdirs;
            totals.records += subdir.records;
            totals.stored_files += subdir.stored_files;
            totals.stored_bytes += subdir.stored_bytes;
            totals.missing_files += subdir.missing_files;
        }
    }
    return totals;
}

}  // namespace chm::channels
