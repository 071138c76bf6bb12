// What a server said about an index when it was last fetched, so that the next sync can ask whether
// it changed. A cache: anything odd about a file is a miss, and a lost one costs a download.
#pragma once

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/result.hpp"
#include "channels/shards.hpp"
#include "channels/transport.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace chm::channels {

struct FetchState {
    std::string url;  // the one asked for, without credentials
    Validators validators;
    Sha256 index_sha256;    // of the decoded index that came with them
    WallTime zstd_checked;  // when repodata.json.zst was last asked for
    /// When the index of shards was last looked at and could not be used.
    WallTime shards_checked = {};
    std::uint64_t whole_bytes = 0;  // what the last whole index took to fetch; 0: there was none
};

/// None when the file is missing, damaged or of another format.
std::optional<FetchState> read_fetch_state(const std::filesystem::path& path);
Result<> write_fetch_state(const std::filesystem::path& path, const FetchState& state);

/// The shards that the held index was made of (CEP 16), so that the next sync fetches only others.
/// Empty when the file is missing or damaged, or belongs to another index.
ShardDigests read_held_shards(const std::filesystem::path& path, const Sha256& index_sha256);
Result<> write_held_shards(const std::filesystem::path& path,
                           const Sha256& index_sha256,
                           const ShardDigests& shards);

}  // namespace chm::channels
