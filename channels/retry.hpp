// Whether and when a failed transfer is tried again: a pure function of what happened.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace chm::channels {

struct RetryPolicy {
    unsigned retries = 4;  // further tries after the first
    std::chrono::milliseconds base_delay{500};
    std::chrono::milliseconds max_delay{30'000};
    /// A server that asks (Retry-After) for more than this is not waited for.
    std::chrono::milliseconds max_retry_after{300'000};
};

struct FailedTry {
    unsigned number = 1;                                   // 1 for the first try
    std::optional<std::chrono::milliseconds> retry_after;  // as the server asked
    double jitter = 0.0;  // random, in [0, 1): spreads clients that failed together
};

/// How long to wait before the next try; none: give up. Without Retry-After: base_delay doubled
/// each time up to max_delay, of which a random half is taken off.
[[nodiscard]] std::optional<std::chrono::milliseconds> retry_delay(const RetryPolicy& policy,
                                                                   const FailedTry& failed);

/// Statuses after which the same request may well succeed: 408, 425, 429, 500, 502, 503, 504 and
/// CDN 520–524.
[[nodiscard]] bool is_passing_status(int status);

/// A Retry-After header: seconds, or an HTTP date counted from `now`. None when it is neither.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_retry_after(
    std::string_view header, std::chrono::sys_seconds now);

}  // namespace chm::channels
