// How large a foreign file may be before it is refused.
#pragma once

#include <cstdint>

namespace chm::channels {

/// An index, compressed or not: five times conda-forge's largest of 2025 (363 MB), well below
/// simdjson's 4 GiB.
inline constexpr std::uint64_t k_max_index_bytes = 2ULL << 30;

/// One shard, or the index of shards (CEP 16), decoded: what is read from it may take some fifty times
/// as much memory. conda-forge's largest are a twentieth of this.
inline constexpr std::uint64_t k_max_shard_bytes = 32ULL << 20;

}  // namespace chm::channels
