// The snapshots that a mirror still has, and how people name them.
#pragma once

#include "base/clock.hpp"
#include "base/result.hpp"
#include "channels/snapshot.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chm::channels {

struct SnapshotEntry {
    std::string id;
    bool is_current = false;
    std::optional<Manifest> manifest;  // none: damaged
    std::string damage;                // why there is no manifest
};

/// Newest first. A damaged snapshot is an entry, not an error. Folders whose names are no ids are
/// left out.
Result<std::vector<SnapshotEntry>> list_snapshots(const MirrorPaths& paths);

/// The id that `text` means: an id, the beginning of just one, "current", or "previous" (the newest
/// that is older than the current one). ErrorKind::usage otherwise.
Result<std::string> resolve_snapshot(const MirrorPaths& paths, std::string_view text);

/// The id that `current` names, whether there is such a snapshot or not; none when there is no
/// `current`.
Result<std::optional<std::string>> current_id(const MirrorPaths& paths);

/// The time in an id; none when it is not "20261130T234514Z-3f2a9c1d".
std::optional<WallTime> time_of_id(std::string_view id);

/// What a snapshot holds in all its channels.
struct SnapshotTotals {
    std::uint64_t subdirs = 0;
    std::uint64_t records = 0;
    std::uint64_t stored_files = 0;
    std::uint64_t stored_bytes = 0;
    std::uint64_t missing_files = 0;
};
[[nodiscard]] SnapshotTotals totals_of(const Manifest& manifest);

}  // namespace chm::channels
