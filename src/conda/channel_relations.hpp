// Channels that declare what they build on (CEP 42): info.channel_relations of an index, and the
// order of priority that follows from it.
#pragma once

#include "base/result.hpp"
#include "conda/channel.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace chm::conda {

/// How many relations deep a channel may lead (CEP 42's recommendation); 0 ignores relations.
inline constexpr unsigned k_channel_relations_max_depth = 10;

/// What one subdir's index declares: relative references such as "../conda-forge", as written;
/// empty: none.
struct ChannelRelations {
    std::string base;       // goes before the declaring channel
    std::string overrides;  // goes behind it

    [[nodiscard]] bool empty() const { return base.empty() && overrides.empty(); }
    bool operator==(const ChannelRelations&) const = default;
};

/// The channel that `reference` names, seen from `declaring`. ErrorKind::integrity when it does not
/// begin with "../", leaves the server or names no channel.
Result<Channel> related_channel(const Channel& declaring, std::string_view reference);

/// What the subdirs of a channel declare; nothing for a channel that is not known.
using RelationsOf = std::function<std::vector<ChannelRelations>(const Channel&)>;

struct RelatedChannel {
    Channel channel;
    std::string reason;  // "base of bioconda"; empty: asked for
};

/// `heads` (in order of priority) and every channel they lead to, in order of priority. The order of
/// `heads` among themselves never changes: a relation against it is ignored, as the CEP says.
/// ErrorKind::integrity names the channels of a cycle, of a chain longer than `max_depth`, and one
/// that is base and override at once; more than 64 channels are refused too.
Result<std::vector<RelatedChannel>> with_related_channels(const std::vector<Channel>& heads,
                                                          const RelationsOf& relations_of,
                                                          unsigned max_depth);

}  // namespace chm::conda
