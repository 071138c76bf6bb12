// A fixed pool of threads for CPU work (hashing, decoding, parsing). No detached threads, no global
// pool.
#pragma once

#include "base/result.hpp"

#include <cstddef>
#include <functional>

namespace chm {

/// Calls work(0) … work(count-1) on up to `threads` threads and waits for all. Returns the error of
/// the lowest index that failed, so the outcome does not depend on timing; indexes not yet begun
/// are skipped once one failed. `work` must be safe to call from several threads for different
/// indexes.
Result<> for_each_parallel(std::size_t count,
                           unsigned threads,
                           const std::function<Result<>(std::size_t)>& work);

/// Hardware threads, at least 1.
[[nodiscard]] unsigned default_threads();

}  // namespace chm
