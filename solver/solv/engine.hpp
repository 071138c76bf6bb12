// The SAT engine: a Universe in, packages or conflicts out. libsolv knows nothing of conda here: it
// sees names, ranks and sets of packages (README.md of the module). No other file includes libsolv.
#pragma once

#include "base/result.hpp"
#include "solver/conflict.hpp"
#include "solver/universe.hpp"

#include <variant>
#include <vector>

namespace chm::solver::solv {

using Chosen = std::vector<PackageIndex>;  // unordered; virtual packages among them
using Conflicts = std::vector<Conflict>;

/// Every requested spec must match at least one package (libsolv silently ignores a job without
/// providers).
/// `candidates` says by PackageIndex which packages may be chosen (prune.hpp); virtual ones always.
Result<std::variant<Chosen, Conflicts>> run_engine(const Universe& universe,
                                                   const std::vector<bool>& candidates);

}  // namespace chm::solver::solv
