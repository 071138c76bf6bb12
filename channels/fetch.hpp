// Fetches the indexes of several subdirs at once, each in the first form that upstream has: as
// repodata.json.zst, .bz2 or plain, or out of shards (CEP 16, channels/shard_update.hpp). The form of
// the last time is asked for first, on condition that it changed, so that an unchanged index costs one
// request. What is returned has been decoded and checked (channels/repodata.hpp).
//
// Shards come into play once an index has changed since it was first fetched: from then on its index
// of shards is asked for first, and only shards that changed are fetched. Whatever is wrong with
// shards, the whole index takes their place.
#pragma once

#include "base/clock.hpp"
#include "base/reporter.hpp"
#include "base/result.hpp"
#include "channels/fetch_state.hpp"
#include "channels/repodata.hpp"
#include "channels/shards.hpp"
#include "channels/transport.hpp"
#include "conda/channel.hpp"

#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

namespace chm::channels {

/// A place that has a channel.
struct Upstream {
    std::string channel_url;  // of the channel's folder, without credentials
    conda::Credentials credentials = {};
};

/// An index that the mirror holds, and what it was made of.
struct HeldIndex {
    std::string json;
    ShardDigests shards;  // empty: not of shards
};

struct IndexSource {
    conda::Channel channel;
    std::string subdir;
    std::string channel_url;  // the upstream that is asked
    conda::Credentials credentials;
    std::optional<FetchState> last;        // none: fetch unconditionally
    std::vector<Upstream> upstreams = {};  // all that may be asked, in that order (upstreams.hpp)
    /// Reads the index that `last` is of, where it is needed; may be empty when `last` is.
    std::function<Result<HeldIndex>()> held = {};
    bool accept_older = false;  // than what is held (--accept-shrink)
};

struct FetchedIndex {
    std::string json;
    RepodataSummary summary;
    FetchState state;          // for the next time
    std::string fetched_from;  // after redirects, without credentials
    ShardDigests shards = {};  // that it was made of; empty: it came whole
};
struct UnchangedIndex {
    std::optional<FetchState> state;  // when there is news for the next time
};
struct MissingIndex {};  // upstream answered 404 to every form of it
using FetchOutcome = std::variant<FetchedIndex, UnchangedIndex, MissingIndex>;

/// What a fetch needs from outside.
struct FetchEdges {
    Transport& transport;
    const Clock& clock;
    Reporter& reporter;
    std::stop_token stop;
};

/// One outcome per source, in their order. A damaged form is warned about and another one taken. An
/// answer that says it is older than what is held (Last-Modified; a cache that lags behind) is asked
/// for once more past the caches; if it still is, it is ErrorKind::network.
std::vector<Result<FetchOutcome>> fetch_each_index(std::span<const IndexSource> sources,
                                                   const FetchEdges& edges);

/// When some have failed, the first one's error with a count of the others, which are reported as
/// details.
Result<std::vector<FetchOutcome>> all_or_first_error(std::vector<Result<FetchOutcome>> outcomes,
                                                     Reporter& reporter);

/// Both.
Result<std::vector<FetchOutcome>> fetch_indexes(std::span<const IndexSource> sources,
                                                const FetchEdges& edges);

}  // namespace chm::channels
