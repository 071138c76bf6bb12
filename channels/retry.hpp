// Whether and when a failed transfer is tried again: a pure function of what happened.
#pragma once

#include <chrono>
#include <cstdint>
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

/// Counts one transfer's failures. One that moved the body forward by a fair piece starts the count
/// over: behind a line that breaks every minute a large file still comes through, and the pieces
/// bound how often.
class FailureCount {
public:
    static constexpr std::uint64_t k_fair_piece = 16 << 10;

    /// A try has failed with this much of the body here; gives FailedTry::number.
    unsigned add(std::uint64_t bytes_here);
    /// What was here before the first try is no progress.
    void start_from(std::uint64_t bytes_here) { furthest_ = bytes_here; }

private:
    unsigned in_a_row_ = 0;
    std::uint64_t furthest_ = 0;
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
