// Reading request heads, dates and ranges, mostly as tables of right and wrong texts.
#include "support/http_message.hpp"

#include <doctest/doctest.h>

#include <string>

using chm::test::choose_range;
using chm::test::http_date;
using chm::test::media_type;
using chm::test::parse_http_date;
using chm::test::parse_request_head;
using chm::test::RangeChoice;
using std::chrono::seconds;
using std::chrono::sys_seconds;

TEST_CASE("http_message: a request head is read") {
    const auto request = parse_request_head(
        "GET /a%20b/%7Ec?x=%20 HTTP/1.1\r\nHost: h\r\nIF-None-Match:  \"x\" \r\n\r\n");
    REQUIRE(request.has_value());
    CHECK(request->method == "GET");
    CHECK(request->path == "/a b/~c");
    CHECK(request->query == "x=%20");
    CHECK(request->header("if-none-match") == "\"x\"");
    CHECK(request->header("If-None-Match") == "\"x\"");
    CHECK_FALSE(request->header("etag").has_value());
    CHECK(request->keep_alive);
}

TEST_CASE("http_message: the absolute form names the path after the host") {
    CHECK(parse_request_head("GET http://h:80/p?q HTTP/1.1\r\n\r\n")->path == "/p");
    CHECK(parse_request_head("GET http://h HTTP/1.1\r\n\r\n")->path == "/");
}

TEST_CASE("http_message: HTTP/1.0 and Connection: close end the connection") {
    CHECK_FALSE(parse_request_head("GET / HTTP/1.0\r\n\r\n")->keep_alive);
    CHECK_FALSE(parse_request_head("GET / HTTP/1.1\r\nconnection: Close\r\n\r\n")->keep_alive);
}

TEST_CASE("http_message: malformed heads are refused") {
    for (const char* const head : {"\r\n\r\n",
                                   "GET /\r\n\r\n",
                                   "GET  / HTTP/1.1\r\n\r\n",
                                   "GET / SPDY/3\r\n\r\n",
                                   "GET a HTTP/1.1\r\n\r\n",
                                   "GET /%zz HTTP/1.1\r\n\r\n",
                                   "GET /%2 HTTP/1.1\r\n\r\n",
                                   "GET /%00 HTTP/1.1\r\n\r\n",
                                   "GET / HTTP/1.1\r\nno colon\r\n\r\n",
                                   "GET / HTTP/1.1\r\n: x\r\n\r\n"}) {
        CAPTURE(head);
        CHECK_FALSE(parse_request_head(head).has_value());
    }
}

TEST_CASE("http_message: dates are written and read back") {
    const sys_seconds time{seconds(784111777)};  // the example of RFC 9110 §5.6.7
    CHECK(http_date(time) == "Sun, 06 Nov 1994 08:49:37 GMT");
    CHECK(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT") == time);
    CHECK(http_date(sys_seconds{}) == "Thu, 01 Jan 1970 00:00:00 GMT");
    for (const char* const text : {"",
                                   "Sunday, 06-Nov-94 08:49:37 GMT",
                                   "Mon, 06 Nov 1994 08:49:37 GMT",
                                   "Sun, 06 Nov 1994 08:49:37 CET",
                                   "Sun, 06 Nox 1994 08:49:37 GMT",
                                   "Sun, 31 Feb 1994 08:49:37 GMT",
                                   "Sun, 06 Nov 1994 25:49:37 GMT"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_http_date(text).has_value());
    }
}

TEST_CASE("http_message: ranges") {
    using Kind = RangeChoice::Kind;
    struct Case {
        const char* header;
        Kind kind;
        std::uint64_t begin;
        std::uint64_t end;
    };
    for (const Case& c : {Case{"bytes=0-9", Kind::part, 0, 10},
                          Case{"bytes=90-", Kind::part, 90, 100},
                          Case{"bytes=90-500", Kind::part, 90, 100},
                          Case{"bytes=-10", Kind::part, 90, 100},
                          Case{"bytes=-500", Kind::part, 0, 100},
                          Case{"bytes=99-18446744073709551615", Kind::part, 99, 100},
                          Case{"bytes=100-", Kind::unsatisfiable, 0, 0},
                          Case{"bytes=-0", Kind::unsatisfiable, 0, 0},
                          Case{"bytes=9-1", Kind::whole, 0, 0},
                          Case{"bytes=-", Kind::whole, 0, 0},
                          Case{"bytes=1", Kind::whole, 0, 0},
                          Case{"bytes=a-b", Kind::whole, 0, 0},
                          Case{"bytes=1-2,4-5", Kind::whole, 0, 0},
                          Case{"a-bytes=", Kind::whole, 0, 0},
                          Case{"lines=1-2", Kind::whole, 0, 0},
                          Case{"", Kind::whole, 0, 0}}) {
        CAPTURE(c.header);
        const RangeChoice choice = choose_range(c.header, 100);
        CHECK(choice.kind == c.kind);
        CHECK(choice.begin == c.begin);
        CHECK(choice.end == c.end);
    }
    CHECK(choose_range("bytes=0-", 0).kind == Kind::unsatisfiable);
    CHECK(choose_range("bytes=-1", 0).kind == Kind::unsatisfiable);
}

TEST_CASE("http_message: media types go by suffix") {
    CHECK(media_type("/x/repodata.json") == "application/json");
    CHECK(media_type("repodata.json.zst") == "application/zstd");
    CHECK(media_type("a-1-0.conda") == "application/octet-stream");
    CHECK(media_type("a-1-0.tar.bz2") == "application/octet-stream");
    CHECK(media_type("index.html") == "text/html");
    CHECK(media_type("") == "application/octet-stream");
}
