// The stage's front door: brings the local copies of the named channels' indexes up to date, in one
// transaction. fetch (channels/fetch.hpp) → check → publish (channels/publish.hpp).
#pragma once

#include "base/result.hpp"
#include "channels/fetch.hpp"
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
};

/// Takes the root's lock for its whole run. On any error the mirror is as it was. A channel of
/// which upstream has no subdir at all is ErrorKind::usage, with the nearest configured name.
Result<SyncReport> sync(const config::Settings& settings,
                        const SyncRequest& request,
                        const FetchEdges& edges);

/// Where `channel` is fetched from under `settings`: its own entry in `upstreams`, else "default"'s
/// (for channels below the channel alias), else its canonical URL.
struct ChannelUpstream {
    std::string channel_url;
    conda::Credentials credentials;
};
[[nodiscard]] ChannelUpstream upstream_of(const config::Settings& settings,
                                          const conda::Channel& channel);

}  // namespace chm::channels
