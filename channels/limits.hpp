// How large a foreign file may be before it is refused.
#pragma once

#include <cstdint>

namespace chm::channels {

/// An index, compressed or not: five times conda-forge's largest of 2025 (363 MB), well below
/// simdjson's 4 GiB.
inline constexpr std::uint64_t k_max_index_bytes = 2ULL << 30;

}  // namespace chm::channels
