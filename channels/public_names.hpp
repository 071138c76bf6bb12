// The names of index files that clients read: public/<channel>/<subdir>/repodata.json and its other forms: symlinks
// through `current`, so that a flip changes them all at once.
#pragma once

#include "base/result.hpp"
#include "channels/shards.hpp"
#include "channels/snapshot.hpp"

#include <array>
#include <filesystem>
#include <string_view>

namespace chm::channels {

/// Whole indexes whose decoded text is published_sha256.
inline constexpr std::array<std::string_view, 2> k_whole_indexes = {"repodata.json",
                                                                    "repodata.json.zst"};
/// Everything in a subdir's folder of public/ that belongs to the index.
inline constexpr std::array<std::string_view, 4> k_index_names = {
    k_whole_indexes[0], k_whole_indexes[1], k_shard_index, k_shard_folder};

/// What the symlink public/<channel>/<subdir>/<file> says.
[[nodiscard]] std::filesystem::path public_destination(std::string_view channel,
                                                       std::string_view subdir,
                                                       std::string_view file);

/// Makes the names of all of the manifest's indexes that are not there yet.
Result<> link_public_indexes(const MirrorPaths& paths, const Manifest& manifest);

}  // namespace chm::channels
