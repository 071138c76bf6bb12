// From a snapshot to the indexes a solve needs.
#pragma once

#include "base/result.hpp"
#include "channels/snapshot.hpp"
#include "channels/subdir_index.hpp"
#include "conda/channel.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace chm::channels {

/// The indexes of `channels` for `platform` and noarch, read in parallel: channels in the given
/// order, within each the platform before noarch; a repeated channel counts once. ErrorKind::usage
/// names a channel or platform that the mirror does not have and the sync that brings it.
Result<std::vector<SubdirIndex>> open_indexes(const MirrorPaths& paths,
                                              const Manifest& manifest,
                                              const std::vector<conda::Channel>& channels,
                                              std::string_view platform);

}  // namespace chm::channels
