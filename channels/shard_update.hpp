// A new index out of the one that is held and the shards that changed (CEP 16), where that is less to
// fetch than the whole.
#pragma once

#include "base/json.hpp"
#include "base/reporter.hpp"
#include "base/result.hpp"
#include "channels/shards.hpp"
#include "channels/transport.hpp"
#include "conda/url.hpp"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace chm::channels {

/// What an upstream's index of shards says.
struct UpstreamShards {
    ShardDigests digests;
    Json::Object info;        // all of it
    std::string package_url;  // where packages lie, resolved; empty: beside the index
    std::string shards_url;   // where shards lie, resolved, ends with '/'
};

/// Reads the decompressed index of shards that lies in `folder` (ends with '/'). Only an upstream of
/// files can name files. No URL in it has credentials. ErrorKind::integrity.
Result<UpstreamShards> read_upstream_shards(std::string_view packed, std::string_view folder);

struct ShardUpdate {
    std::string folder;                   // where the index of shards was asked for; ends with '/'
    conda::Credentials credentials = {};  // of that server, and sent to no other
    std::string label;                    // for progress: "conda-forge/linux-64"
    std::string_view shard_index;         // its bytes
    std::string* held = nullptr;          // an index of this subdir; none: every shard is needed
    ShardDigests known;                   // names whose records in `held` are those of that shard
    /// What the whole index has last taken to fetch; 0: there is no whole one, the shards must do.
    std::uint64_t whole_bytes = 0;
};

struct AssembledIndex {
    std::string json;
    ShardDigests shards;  // of all its names
};

/// None when the whole index is less to fetch, or says more than shards can. An Error names the URL
/// whose fault it is. What is known costs nothing, a shard is counted as 8 kB: conda-forge's are 2 to
/// 4 kB, and a request is not free. With nothing known every shard has to be fetched once, which all
/// later updates save: that may cost as much as ten whole indexes.
Result<std::optional<AssembledIndex>> update_from_shards(const ShardUpdate& update,
                                                         Transport& transport,
                                                         Reporter& reporter,
                                                         const std::stop_token& stop);

}  // namespace chm::channels
