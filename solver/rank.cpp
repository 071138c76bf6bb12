// The comparison, key by key. The last keys decide nothing that conda cares about: they make the
// order total.
#include "solver/rank.hpp"

#include "conda/platform.hpp"

namespace chm::solver {

bool preferred(const Candidate& a, const Candidate& b, config::ChannelPriority priority) {
    const conda::Record& left = *a.record;
    const conda::Record& right = *b.record;
    if (priority == config::ChannelPriority::flexible && a.channel_rank != b.channel_rank) {
        return a.channel_rank < b.channel_rank;
    }
    if (left.track_features.size() != right.track_features.size()) {
        return left.track_features.size() < right.track_features.size();
    }
    if (const auto order = left.version <=> right.version; order != 0) {
        return order > 0;
    }
    if (left.build_number != right.build_number) {
        return left.build_number > right.build_number;
    }
    if (left.timestamp != right.timestamp) {
        return left.timestamp > right.timestamp;
    }
    if (a.channel_rank != b.channel_rank) {
        return a.channel_rank < b.channel_rank;
    }
    if ((left.subdir == conda::k_noarch) != (right.subdir == conda::k_noarch)) {
        return right.subdir == conda::k_noarch;
    }
    if (left.fn.ends_with(".conda") != right.fn.ends_with(".conda")) {
        return left.fn.ends_with(".conda");
    }
    return left.fn < right.fn;
}

}  // namespace chm::solver
