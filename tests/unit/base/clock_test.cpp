// Tests of base/clock.
#include "base/clock.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <ctime>
#include <string>

using chm::WallTime;
using std::chrono::seconds;

TEST_CASE("clock: times as text") {
    struct Row {
        std::int64_t since_1970;
        std::string text;
        std::string compact;
    };
    for (const Row& row : {
             Row{0, "1970-01-01T00:00:00Z", "19700101T000000Z"},
             Row{1796082314, "2026-11-30T23:45:14Z", "20261130T234514Z"},
             Row{951782400, "2000-02-29T00:00:00Z", "20000229T000000Z"},
             Row{-1, "1969-12-31T23:59:59Z", "19691231T235959Z"},
         }) {
        const WallTime time{seconds(row.since_1970)};
        CHECK(chm::utc_text(time) == row.text);
        CHECK(chm::utc_compact(time) == row.compact);
    }
}

TEST_CASE("clock: the system clock tells the time of day and never goes back") {
    const chm::SystemClock clock;
    const std::int64_t before = std::time(nullptr);
    const std::int64_t wall = clock.wall().time_since_epoch().count();
    CHECK(wall >= before - 1);
    CHECK(wall <= std::time(nullptr) + 1);
    const chm::SteadyTime first = clock.steady();
    CHECK(clock.steady() >= first);
}
