// How often operator new is called, for tests and benchmarks of code that must not allocate. Linking
// chm_allocation_count replaces the global operators.
#pragma once

#include <cstdint>

namespace chm::test {

/// Calls so far, on all threads.
[[nodiscard]] std::uint64_t allocation_count();

}  // namespace chm::test
