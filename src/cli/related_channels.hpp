// The channels a solve reads: those asked for, and those that they declare to build on (CEP 42).
#pragma once

#include "base/reporter.hpp"
#include "base/result.hpp"
#include "channels/snapshot.hpp"
#include "conda/channel.hpp"

#include <string_view>
#include <vector>

namespace chm::cli {

struct ChannelsOfSolve {
    std::vector<conda::Channel> heads;  // asked for, in order of priority: what a lock records
    std::string_view platform;
    unsigned max_depth = 0;  // how far relations are followed
};

/// In order of priority. Says which channels come in through relations, and warns of those that
/// the mirror does not have: they are left out.
Result<std::vector<conda::Channel>> with_relations(const ChannelsOfSolve& wanted,
                                                   const channels::Manifest& manifest,
                                                   Reporter& reporter);

/// Warns of what clients of the published `channels` would look for in vain: related channels that
/// the mirror does not have.
void warn_of_missing_relations(const channels::Manifest& manifest,
                               const std::vector<conda::Channel>& channels,
                               Reporter& reporter);

}  // namespace chm::cli
