#include "channels/http_date.hpp"

#include <doctest/doctest.h>

#include <string>

namespace chm::channels {
namespace {

TEST_CASE("http_date: the three forms of RFC 9110 are one moment") {
    const auto moment = std::chrono::sys_seconds(std::chrono::seconds(784'111'777));
    for (const char* text : {"Sun, 06 Nov 1994 08:49:37 GMT",
                             " Sun, 06 Nov 1994 08:49:37 GMT\r\n",
                             "Sunday, 06-Nov-94 08:49:37 GMT",
                             "Sun Nov  6 08:49:37 1994"}) {
        CAPTURE(text);
        CHECK(parse_http_date(text) == moment);
    }
    CHECK(parse_http_date("Thu, 01 Jan 1970 00:00:00 GMT")->time_since_epoch().count() == 0);
}

TEST_CASE("http_date: anything else is none") {
    for (const std::string& text : {std::string(),
                                    std::string("0"),
                                    std::string("Sun, 06 Nov 1994 08:49:37"),
                                    std::string("Sun, 06 Nov 1994 08:49:37 GMT+1"),
                                    std::string("Sun, 36 Nov 1994 08:49:37 GMT"),
                                    std::string("1994-11-06T08:49:37Z"),
                                    std::string("Sun, 06 Nov 1994 08:49:37 GMT\0x", 31)}) {
        CAPTURE(text);
        CHECK_FALSE(parse_http_date(text));
    }
}

}  // namespace
}  // namespace chm::channels
