// Which candidates a solve can need at all. The fewer there are, the fewer rules libsolv makes: their
// number grows with the square of a name's candidates.
#pragma once

#include "solver/universe.hpp"

#include <vector>

namespace chm::solver {

/// By PackageIndex: the best candidate of the same name that has the same depends and constrains and
/// matches the same specs; often itself. In any solution the representative can take its place, so a
/// solve needs only the representatives, and what is true of one's conflicts is true of the others'.
[[nodiscard]] std::vector<PackageIndex> representatives(const Universe& universe);

}  // namespace chm::solver
