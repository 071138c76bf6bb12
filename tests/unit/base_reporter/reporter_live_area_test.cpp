// The bytes that draw over what is there.
#include "base/reporter_live_area.hpp"

#include <doctest/doctest.h>

namespace {

using chm::LiveArea;

}  // namespace

TEST_CASE("LiveArea: draws, draws over, and clears") {
    LiveArea area;
    CHECK(area.clear(80).empty());
    CHECK(area.draw({{"one", 3}, {"two", 3}}, 80) == "\rone\x1b[K\ntwo\x1b[K");
    CHECK(area.draw({{"one", 3}, {"two", 3}}, 80).empty());
    CHECK(area.draw({{"1", 1}, {"2", 1}, {"3", 1}}, 80) ==
          "\r\x1b[1A"
          "1\x1b[K\n2\x1b[K\n3\x1b[K");
    CHECK(area.draw({{"x", 1}}, 80) == "\r\x1b[2Ax\x1b[K\n\x1b[K\n\x1b[K\x1b[2A");
    CHECK(area.draw({}, 80) == "\r\x1b[K");
    CHECK(area.clear(80).empty());
}

TEST_CASE("LiveArea: clearing takes every row and goes back up") {
    LiveArea area;
    CHECK(area.draw({{"a", 1}, {"b", 1}, {"c", 1}}, 80).size() > 0);
    CHECK(area.clear(80) == "\r\x1b[2A\x1b[K\n\x1b[K\n\x1b[K\x1b[2A");
}

TEST_CASE("LiveArea: text goes above, the area follows") {
    LiveArea area;
    CHECK(area.print_above("note", 80) == "note\n");
    CHECK(area.draw({{"a", 1}}, 80) == "\ra\x1b[K");
    CHECK(area.print_above("note", 80) == "\r\x1b[Knote\n\ra\x1b[K");
}

TEST_CASE("LiveArea: rows that a narrower terminal has wrapped are cleared as well") {
    LiveArea area;
    CHECK(area.draw({{"0123456789", 10}, {"", 0}}, 20).size() > 0);
    CHECK(area.draw({{"x", 1}}, 5) == "\r\x1b[2Ax\x1b[K\n\x1b[K\n\x1b[K\x1b[2A");
    CHECK(area.draw({{"0123", 4}}, 5) == "\r0123\x1b[K");
    CHECK(area.print_above("note", 2) == "\r\x1b[1A\x1b[K\n\x1b[K\x1b[1Anote\n");
}
