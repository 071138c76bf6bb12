// One solution with every oddity that the writers must handle, shared by their tests.
#pragma once

#include "emit/explicit.hpp"
#include "solver/solution.hpp"

namespace chm::emit::test {

solver::Solution sample_solution();
LockHeader sample_header();

}  // namespace chm::emit::test
