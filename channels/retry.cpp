#include "channels/retry.hpp"

#include "base/text.hpp"
#include "channels/http_date.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace chm::channels {

std::optional<std::chrono::milliseconds> retry_delay(const RetryPolicy& policy,
                                                     const FailedTry& failed) {
    if (failed.number > policy.retries) {
        return std::nullopt;
    }
    if (failed.retry_after) {
        return *failed.retry_after <= policy.max_retry_after ? failed.retry_after : std::nullopt;
    }
    const unsigned doublings = std::min(failed.number - 1, 16U);
    const auto full = std::min(policy.base_delay * (1U << doublings), policy.max_delay);
    const auto kept = static_cast<double>(full.count()) * (1.0 - failed.jitter / 2);
    return std::chrono::milliseconds(static_cast<std::int64_t>(kept));
}

unsigned FailureCount::add(std::uint64_t bytes_here) {
    if (bytes_here > furthest_ && bytes_here - furthest_ >= k_fair_piece) {
        furthest_ = bytes_here;
        in_a_row_ = 1;
    } else {
        ++in_a_row_;
    }
    return in_a_row_;
}

bool is_passing_status(int status) {
    static constexpr std::array k_passing = {408, 425, 429, 500, 502, 503, 504};
    return std::find(k_passing.begin(), k_passing.end(), status) != k_passing.end() ||
           (status >= 520 && status <= 524);
}

std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view header,
                                                           std::chrono::sys_seconds now) {
    const std::string text(trim(header));
    std::uint32_t seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error == std::errc{} && end == text.data() + text.size()) {
        return std::chrono::seconds(seconds);
    }
    const auto moment = parse_http_date(text);
    if (!moment) {
        return std::nullopt;
    }
    return std::max(*moment - now, std::chrono::seconds(0));
}

}  // namespace chm::channels
