// The stage's front door: brings the local copies of the named channels' indexes up to date, in one
// transaction. fetch (channels/fetch.hpp) → check → publish (channels/publish.hpp).
#pragma once

#include "base/result.hpp"
#include "channels/fetch.hpp"
#include "channels/missing_files.hpp"
#include "channels/package_sync.hpp"
#include "channels/snapshot.hpp"
#include "conda/channel.hpp"
#include "config/settings.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace chm::channels {

struct SyncRequest {
    std::vector<conda::Channel> channels;
    std::vector<std::string> subdirs;  // noarch is added when missing
    bool dry_run = false;              // plan only: nothing is stored or published
    bool accept_shrink = false;  // take an index that lost more than settings.max_shrink, or is
                                 // older than what is held
};

enum class SubdirChange { fetched, unchanged, absent };

struct SyncedSubdir {
    std::string channel;
    std::string subdir;
    SubdirChange change = SubdirChange::fetched;
    std::uint64_t records = 0;
};

struct SyncReport {
    Manifest manifest;                  // the current snapshot, whether new or not
    bool new_snapshot = false;          // false: upstream has nothing new
    std::vector<SyncedSubdir> subdirs;  // what was asked for, in that order
    PackagePlan plan;                   // of the subdirs whose packages were looked at
    MissingFiles missing;               // of what was asked for: wanted, and not to be had
};

/// Takes the root's lock for its whole run. On any error the mirror is as it was; package files
/// that have arrived stay for the next run. Files that cannot be had are left out of the closed
/// index and named in missing.json. An index that lost too many records is ErrorKind::network: an
/// upstream is more often broken than emptied. A channel of
/// which upstream has no subdir at all is ErrorKind::usage, with the nearest configured name.
Result<SyncReport> sync(const config::Settings& settings,
                        const SyncRequest& request,
                        const FetchEdges& edges);

}  // namespace chm::channels
