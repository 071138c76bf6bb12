// What a server said about an index when it was last fetched, so that the next sync can ask whether
// it changed. A cache: anything odd about a file is a miss, and a lost one costs a download.
#pragma once

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/result.hpp"
#include "channels/transport.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace chm::channels {

struct FetchState {
    std::string url;  // the one asked for, without credentials
    Validators validators;
    Sha256 index_sha256;    // of the decoded index that came with them
    WallTime zstd_checked;  // when repodata.json.zst was last asked for
};

/// None when the file is missing, damaged or of another format.
std::optional<FetchState> read_fetch_state(const std::filesystem::path& path);
Result<> write_fetch_state(const std::filesystem::path& path, const FetchState& state);

}  // namespace chm::channels
