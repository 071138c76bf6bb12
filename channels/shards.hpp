// Sharded repodata (CEP 16): an index of package names, and for each name a file with its records.
// Clients fetch the shards of the names they reach instead of the whole index.
#pragma once

#include "base/digest.hpp"
#include "base/json.hpp"
#include "base/result.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace chm::channels {

inline constexpr std::string_view k_shard_index = "repodata_shards.msgpack.zst";
inline constexpr std::string_view k_shard_folder = "shards";

struct Shard {
    std::string name;  // of the package
    Sha256 sha256;     // of `bytes`, and so its file's name
    std::string bytes;
};

struct ShardedIndex {
    std::string index;          // repodata_shards.msgpack.zst
    std::vector<Shard> shards;  // sorted by name
};

/// The sharded form of a published index that has passed check_repodata; the same bytes for the same
/// index, and a shard's bytes depend on its name's records alone. The name is that of the file
/// (CEP 26), also for "removed". `package_url` is where packages are: "" for beside the index. What
/// was made is decoded and compared with the index: ErrorKind::internal when they differ.
Result<ShardedIndex> make_shards(std::string& json, std::string_view package_url);

/// Name → digest of its shard.
using ShardDigests = std::map<std::string, Sha256>;

/// Of an index of shards that was decoded (msgpack.hpp). ErrorKind::integrity.
Result<ShardDigests> shard_digests(const Json& index);

/// The same from the bytes of one that we made.
Result<ShardDigests> parse_shard_index(std::string_view compressed);

/// "<sha256>.msgpack.zst".
[[nodiscard]] std::string shard_file_name(const Sha256& digest);

}  // namespace chm::channels
