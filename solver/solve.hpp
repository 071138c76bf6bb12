// The stage's front door: load the candidates, run the engine, and hand out a solution or an
// explanation.
#pragma once

#include "base/reporter.hpp"
#include "base/result.hpp"
#include "channels/subdir_index.hpp"
#include "solver/request.hpp"
#include "solver/solution.hpp"

#include <span>

namespace chm::solver {

/// `indexes` in order of channel priority. The same request and indexes give the same answer on
/// every machine. Candidates that cannot be read are left out and counted in a warning.
Result<Outcome> solve(const SolveRequest& request,
                      std::span<const channels::SubdirIndex> indexes,
                      Reporter& reporter);

}  // namespace chm::solver
