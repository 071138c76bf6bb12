// URLs taken apart: what is split where, and that no message repeats what may be secret.
#include "conda/url.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

using chm::ErrorKind;
using chm::conda::is_same_server;
using chm::conda::normal_authority;
using chm::conda::percent_decode;
using chm::conda::resolve_reference;
using chm::conda::split_credentials;
using chm::conda::split_url;

namespace {

bool mentions(std::string_view message, std::string_view word) {
    return message.find(word) != std::string_view::npos;
}

}  // namespace

TEST_CASE("url: splits at the first slash, question mark or hash behind the authority") {
    const auto url = split_url("HTTPS://u:p@H.example:8080/a@b?c#d");
    REQUIRE(url);
    CHECK(url->scheme == "https");
    CHECK(url->user_info == "u:p");
    CHECK(url->authority == "H.example:8080");
    CHECK(url->rest == "/a@b?c#d");
    CHECK(split_url("s3://just/cant")->scheme == "s3");
    CHECK(split_url("file:///x")->authority.empty());
    CHECK(split_url("https://h?x")->rest == "?x");
    for (const std::string_view text : {"", "conda-forge", "://h", "a b://h", "1x://h", "/x://h"}) {
        CAPTURE(text);
        CHECK_FALSE(split_url(text));
    }
}

TEST_CASE("url: the authority is compared in one form") {
    struct Row {
        std::string_view text, authority;
    };
    for (const Row& row : std::vector<Row>{{"https://H:443/x", "h"},
                                           {"https://h:80/x", "h:80"},
                                           {"http://h:80/x", "h"},
                                           {"http://[::1]:81/x", "[::1]:81"},
                                           {"http://h:/x", ""},
                                           {"http://h:123456/x", ""},
                                           {"http://-h/x", ""},
                                           {"http://a b/x", ""},
                                           {"file:///x", ""}}) {
        CAPTURE(row.text);
        CHECK(normal_authority(*split_url(row.text)) == row.authority);
    }
}

TEST_CASE("url: one server is one scheme, host and port") {
    CHECK(is_same_server("https://H/a", "https://h:443/b"));
    CHECK(is_same_server("file:///a", "file:///b"));
    CHECK_FALSE(is_same_server("https://h/a", "http://h/a"));
    CHECK_FALSE(is_same_server("https://h/a", "https://h:8443/a"));
    CHECK_FALSE(is_same_server("https://h/a", "https://h.evil/a"));
    CHECK_FALSE(is_same_server("https://h/a", "a"));
    CHECK_FALSE(is_same_server("https:///a", "https:///a"));
}

TEST_CASE("url: percent-encoding is decoded whole or not at all") {
    CHECK(percent_decode("a%2Bb%2f") == "a+b/");
    CHECK_FALSE(percent_decode("a%2"));
    CHECK_FALSE(percent_decode("%zz"));
}

TEST_CASE("url: split_credentials takes the secret out of the authority only") {
    struct Row {
        std::string_view text, url, secret;  // secret "-": none
    };
    const std::vector<Row> rows = {
        {"https://h/x", "https://h/x", "-"},
        {"https://u:p@h/x", "https://h/x", "u:p"},
        {"https://u:p%40q%2F@h:8080/x?y#z", "https://h:8080/x?y#z", "u:p@q/"},
        {"https://u:a@b@h/x", "https://h/x", "u:a@b"},
        {"https://h/a@b/c", "https://h/a@b/c", "-"},
        {"https://h?a@b", "https://h?a@b", "-"},
        {"http://u:p@[::1]:81/x@y", "http://[::1]:81/x@y", "u:p"},
        {"http://[::1]/x", "http://[::1]/x", "-"},
        {"https://@h/x", "https://h/x", "-"},
        {"https://token@h", "https://h", "token"},
        {"file:///a@b", "file:///a@b", "-"},
        {"HTTP://U:P@H/X", "http://H/X", "U:P"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const auto split = split_credentials(row.text);
        REQUIRE(split);
        CHECK(split->url == row.url);
        const auto& secret = split->credentials.user_password;
        CHECK((secret ? secret->reveal() : "-") == row.secret);
        CHECK_FALSE(split->credentials.token);
    }
}

TEST_CASE("url: split_credentials takes conda's token out of the path") {
    struct Row {
        std::string_view text, url, token;
    };
    for (const Row& row : std::vector<Row>{{"https://h/t/tk-1/x/y", "https://h/x/y", "tk-1"},
                                           {"https://u:p@h:80/t/tk-1", "https://h:80", "tk-1"},
                                           {"https://h/x/t/tk-1/y", "https://h/x/t/tk-1/y", "-"},
                                           {"file:///t/tk-1/x", "file:///t/tk-1/x", "-"}}) {
        CAPTURE(row.text);
        const auto split = split_credentials(row.text);
        REQUIRE(split);
        CHECK(split->url == row.url);
        CHECK((split->credentials.token ? split->credentials.token->reveal() : "-") == row.token);
    }
}

TEST_CASE("url: split_credentials refuses without repeating") {
    for (const std::string_view text : {"",
                                        "conda-forge",
                                        "ftp://u:hunter2@h",
                                        "https://u:hunter2%zz@h",
                                        "https://u:hunter2%4@h",
                                        "https://u:hunter2%0a@h",
                                        "https://u:hunter2%00@h",
                                        "https://u:hunter2@h/\n"}) {
        CAPTURE(text);
        const auto split = split_credentials(text);
        REQUIRE_FALSE(split);
        CHECK(split.error().kind == ErrorKind::usage);
        CHECK_FALSE(mentions(split.error().message, "hunter2"));
    }
}

TEST_CASE("url: a URL with two tokens is refused rather than stripped of one") {
    const auto split = split_credentials("https://h/t/to-12345/t/to-67890/c");
    REQUIRE_FALSE(split);
    CHECK_FALSE(mentions(split.error().message, "12345"));
    CHECK_FALSE(mentions(split.error().message, "67890"));
}

TEST_CASE("url: a reference is resolved as seen from a folder") {
    const std::string folder = "https://h.example:8080/c/linux-64/";
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"", folder},
        {"./", folder},
        {"./shards/", folder + "shards/"},
        {"shards", folder + "shards"},
        {"../x/./y/../z/", "https://h.example:8080/c/x/z/"},
        {"..", "https://h.example:8080/c/"},
        {"../../../../x", "https://h.example:8080/x"},
        {"/s/../t/", "https://h.example:8080/t/"},
        {"//cdn.example/s/", "https://cdn.example/s/"},
        {"https://cdn.example/s/./", "https://cdn.example/s/"},
        {"http://cdn.example", "http://cdn.example/"},
        {"https://u:p@cdn.example/s?a=../b#c", "https://u:p@cdn.example/s?a=../b#c"},
        {"s?u=http://x/", folder + "s?u=http://x/"},
    };
    for (const auto& [reference, url] : cases) {
        CAPTURE(reference);
        CHECK(resolve_reference(folder, reference) == url);
    }
    CHECK(resolve_reference("file:///srv/c/noarch/", "./shards/") ==
          "file:///srv/c/noarch/shards/");
    CHECK(resolve_reference("https://h", "s/") == "https://h/s/");
    for (const std::string& reference : {std::string("ftp://h/s/"),
                                         std::string("a b"),
                                         std::string("a\nb"),
                                         std::string("\0", 1)}) {
        CAPTURE(reference);
        CHECK_FALSE(resolve_reference(folder, reference));
    }
    CHECK_FALSE(resolve_reference("c/linux-64/", "s/"));
}
