// A solve's outcome as one JSON document, for programs. The members are part of the command line's
// contract.
#pragma once

#include "emit/explicit.hpp"
#include "solver/solution.hpp"

#include <string>

namespace chm::emit {

/// {"status": "solved" | "unsolvable", "cached", "platform", "virtual_packages", "snapshot",
/// "request", "packages",
/// "explanation"}; ends with a newline.
std::string outcome_json(const solver::Outcome& outcome, const LockHeader& header);

}  // namespace chm::emit
