// The order in which conda prefers candidates of one name, as a total order.
#pragma once

#include "conda/record.hpp"
#include "config/settings.hpp"

#include <cstddef>

namespace chm::solver {

struct Candidate {
    const conda::Record* record = nullptr;
    std::size_t channel_rank = 0;  // 0: the channel named first
};

/// True when `a` is preferred to `b`. In turn: the higher channel (flexible priority), fewer
/// track_features, higher version, higher build number, later timestamp, higher channel, platform
/// before noarch, .conda before .tar.bz2, file name. The last ones only make the order total, so
/// that answers are deterministic. Source: libmamba's solver with conda-forge's libsolv (channel,
/// track_features, version, build number); docs/conda-semantics.md.
bool preferred(const Candidate& a, const Candidate& b, config::ChannelPriority priority);

}  // namespace chm::solver
