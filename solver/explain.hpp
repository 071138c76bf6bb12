// Conflicts in words: a short tree that ends in the user's own specs or in a virtual package.
#pragma once

#include "channels/subdir_index.hpp"
#include "solver/conflict.hpp"
#include "solver/universe.hpp"

#include <span>
#include <string>
#include <vector>

namespace chm::solver {

/// At most 25 lines; candidates that differ only in version or build share one line.
std::vector<std::string> explain(const Universe& universe, const std::vector<Conflict>& conflicts);

/// Why a requested spec matches nothing: no such name (with the nearest one), only in a channel
/// that strict priority excludes, or no such version (with those there are).
std::vector<std::string> explain_unmatched(const Universe& universe,
                                           SpecIndex spec,
                                           std::span<const channels::SubdirIndex> indexes);

}  // namespace chm::solver
