// Fetches the indexes of several subdirs at once: repodata.json.zst where upstream has it, else
// repodata.json; both conditional on what the last fetch brought. What is returned has been decoded
// and checked (channels/repodata.hpp).
#pragma once

#include "base/clock.hpp"
#include "base/reporter.hpp"
#include "base/result.hpp"
#include "channels/fetch_state.hpp"
#include "channels/repodata.hpp"
#include "channels/transport.hpp"
#include "conda/channel.hpp"

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

struct IndexSource {
    conda::Channel channel;
    std::string subdir;
    std::string channel_url;  // the upstream that is asked
    conda::Credentials credentials;
    std::optional<FetchState> last;        // none: fetch unconditionally
    std::vector<Upstream> upstreams = {};  // all that may be asked, in that order (upstreams.hpp)
};

struct FetchedIndex {
    std::string json;
    RepodataSummary summary;
    FetchState state;          // for the next time
    std::string fetched_from;  // after redirects, without credentials
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

/// One outcome per source, in their order. A damaged .zst is warned about and the plain file taken.
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
