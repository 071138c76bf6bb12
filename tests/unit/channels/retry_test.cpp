// When a failed transfer is tried again.
#include "channels/retry.hpp"

#include <doctest/doctest.h>

using namespace std::chrono_literals;

namespace chm::channels {
namespace {

constexpr std::chrono::sys_seconds k_now{1'796'040'000s};  // Mon, 30 Nov 2026 12:00:00 GMT

FailedTry nth(unsigned number, double jitter = 0.0) {
    FailedTry failed;
    failed.number = number;
    failed.jitter = jitter;
    return failed;
}

TEST_CASE("retry: the delay doubles with each try up to the most") {
    const RetryPolicy policy{10, 500ms, 3000ms, 300s};
    CHECK(retry_delay(policy, nth(1)) == 500ms);
    CHECK(retry_delay(policy, nth(2)) == 1000ms);
    CHECK(retry_delay(policy, nth(3)) == 2000ms);
    CHECK(retry_delay(policy, nth(4)) == 3000ms);
    CHECK(retry_delay(policy, nth(10)) == 3000ms);
}

TEST_CASE("retry: jitter takes off at most half") {
    const RetryPolicy policy{4, 1000ms, 30s, 300s};
    CHECK(retry_delay(policy, nth(1, 0.5)) == 750ms);
    CHECK(retry_delay(policy, nth(1, 0.999)) >= 500ms);
}

TEST_CASE("retry: after the last retry there is none") {
    const RetryPolicy policy{2, 1ms, 10ms, 300s};
    CHECK(retry_delay(policy, nth(2)).has_value());
    CHECK_FALSE(retry_delay(policy, nth(3)).has_value());
    CHECK_FALSE(retry_delay({0, 1ms, 10ms, 300s}, nth(1)).has_value());
}

TEST_CASE("retry: a huge number of tries does not overflow") {
    const RetryPolicy policy{4'000'000'000U, 500ms, 30s, 300s};
    CHECK(retry_delay(policy, nth(4'000'000'000U)) == 30s);
}

TEST_CASE("retry: Retry-After is obeyed to the letter, or not waited for at all") {
    const RetryPolicy policy{4, 500ms, 30s, 300s};
    FailedTry failed = nth(1, 0.9);
    failed.retry_after = 120s;
    CHECK(retry_delay(policy, failed) == 120s);
    failed.retry_after = 0s;
    CHECK(retry_delay(policy, failed) == 0s);
    failed.retry_after = 301s;
    CHECK_FALSE(retry_delay(policy, failed).has_value());
}

TEST_CASE("retry: failures are counted in a row, and a fair piece of the body starts them over") {
    FailureCount failures;
    failures.start_from(100);
    CHECK(failures.add(100) == 1);
    CHECK(failures.add(0) == 2);
    CHECK(failures.add(101) == 3);                                  // no fair piece
    CHECK(failures.add(100 + FailureCount::k_fair_piece) == 1);     // since the beginning
    CHECK(failures.add(100 + FailureCount::k_fair_piece) == 2);     // the same once more
    CHECK(failures.add(50 + 2 * FailureCount::k_fair_piece) == 3);  // 50 bytes too few
    CHECK(failures.add(100 + 2 * FailureCount::k_fair_piece) == 1);
    CHECK(failures.add(0) == 2);  // a server that began anew and broke where it broke before
    CHECK(failures.add(100 + FailureCount::k_fair_piece) == 3);
}

TEST_CASE("retry: passing statuses") {
    for (const int status : {408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524}) {
        CAPTURE(status);
        CHECK(is_passing_status(status));
    }
    for (const int status :
         {0, 200, 206, 301, 304, 400, 401, 403, 404, 410, 416, 501, 505, 519, 525}) {
        CAPTURE(status);
        CHECK_FALSE(is_passing_status(status));
    }
}

TEST_CASE("retry: Retry-After in seconds") {
    CHECK(parse_retry_after("0", k_now) == 0s);
    CHECK(parse_retry_after(" 120 ", k_now) == 120s);
}

TEST_CASE("retry: Retry-After as a date counts from now and never into the past") {
    CHECK(parse_retry_after("Mon, 30 Nov 2026 12:01:30 GMT", k_now) == 90s);
    CHECK(parse_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", k_now) == 0s);
}

TEST_CASE("retry: what is neither is ignored") {
    for (const char* header : {"",
                               " ",
                               "soon",
                               "-5",
                               "1.5",
                               "12 s",
                               "99999999999999999999",
                               "30 Nov 2026",
                               "Mon, 99 Nov 2026 12:01:30 GMT",
                               "Mon, 30 Nov 2026 12:01:30 GMT and then some"}) {
        CAPTURE(header);
        CHECK_FALSE(parse_retry_after(header, k_now).has_value());
    }
}

}  // namespace
}  // namespace chm::channels
