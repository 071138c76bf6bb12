// Durations and sizes as people type them.
#include "base/quantity.hpp"

#include <doctest/doctest.h>

namespace chm {
namespace {

TEST_CASE("quantity: durations") {
    CHECK(parse_duration("0")->count() == 0);
    CHECK(parse_duration("90s")->count() == 90);
    CHECK(parse_duration("30m")->count() == 1800);
    CHECK(parse_duration("12h")->count() == 43'200);
    CHECK(parse_duration("7d")->count() == 604'800);
    CHECK(parse_duration("2w")->count() == 1'209'600);
    for (const char* text :
         {"", "5", "d", "-1d", "1.5h", "1 d", "1d1", "99999999999999999999s", "999999w"}) {
        CAPTURE(text);
        REQUIRE_FALSE(parse_duration(text));
        CHECK(parse_duration(text).error().kind == ErrorKind::usage);
    }
}

TEST_CASE("quantity: counts") {
    CHECK(counted(0, "file") == "0 files");
    CHECK(counted(1, "file") == "1 file");
    CHECK(counted(2, "file") == "2 files");
}

TEST_CASE("quantity: bytes") {
    CHECK(*parse_byte_count("0") == 0);
    CHECK(*parse_byte_count("1234") == 1234);
    CHECK(*parse_byte_count("750k") == 750'000);
    CHECK(*parse_byte_count("1.5GB") == 1'500'000'000);
    CHECK(*parse_byte_count("64MiB") == 67'108'864);
    for (const char* text : {"", "M", "-1", "1e9", "nan", "inf", "5T", "1 M", "9999999999999G"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_byte_count(text));
    }
}

}  // namespace
}  // namespace chm
