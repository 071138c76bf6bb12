// upstream_list.cpp: the key `upstreams` with one or several addresses a channel.
#include "config/upstream_list.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chm::config {
namespace {

Result<std::vector<UpstreamSetting>> read(std::string_view yaml) {
    auto node = parse_yaml(yaml, "c.yml");
    REQUIRE_MESSAGE(node.has_value(), yaml);
    return read_upstreams(*node);
}

std::string refused(std::string_view yaml) {
    const auto upstreams = read(yaml);
    REQUIRE_MESSAGE(!upstreams, yaml);
    return upstreams.error().message;
}

TEST_CASE("upstream_list: several in order of preference") {
    const auto upstreams = read(
        "{conda-forge: ['https://me:pw@a.example.org/c', 'https://b.example.org'], default: "
        "'file:///srv/x'}");
    REQUIRE(upstreams);
    REQUIRE(upstreams->size() == 3);
    CHECK((*upstreams)[0].channel == "conda-forge");
    CHECK((*upstreams)[0].base_url == "https://a.example.org/c");
    CHECK((*upstreams)[0].credentials.user_password == Secret("me:pw"));
    CHECK((*upstreams)[1].channel == "conda-forge");
    CHECK((*upstreams)[1].base_url == "https://b.example.org");
    CHECK((*upstreams)[1].credentials.empty());
    CHECK((*upstreams)[2].channel == "default");
    const std::string shown = show_upstreams(*upstreams);
    CHECK(shown ==
          "{conda-forge: [https://a.example.org/c, https://b.example.org], default: "
          "file:///srv/x}");
    REQUIRE(read(shown));
    CHECK(show_upstreams(*read(shown)) == shown);
}

TEST_CASE("upstream_list: a list alone is for all channels") {
    const auto upstreams = read("['https://a.example.org', 'https://b.example.org']");
    REQUIRE(upstreams);
    CHECK(show_upstreams(*upstreams) ==
          "{default: [https://a.example.org, https://b.example.org]}");
}

TEST_CASE("upstream_list: what makes no list of addresses is refused") {
    CHECK(refused("{c: []}") == "expected a URL or a list of URLs");
    CHECK(refused("{c: {a: b}}") == "expected a URL or a list of URLs");
    CHECK(refused("{c: ['https://me:s3cret@a', 'https://a']}").find("twice") != std::string::npos);
    CHECK(refused("{c: ['https://me:s3cret@a', 'https://a']}").find("s3cret") == std::string::npos);
    CHECK_FALSE(refused("{c: ['https://a', a]}").empty());
}

}  // namespace
}  // namespace chm::config
