// network_values.cpp: proxies, certificates and the rate.
#include "config/network_values.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chm::config {
namespace {

YamlNode node_of(std::string_view yaml) {
    auto node = parse_yaml(yaml, "c.yml");
    REQUIRE_MESSAGE(node.has_value(), yaml);
    return std::move(*node);
}

template <class T>
std::string message_of(const Result<T>& result) {
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == ErrorKind::config);
    return result.error().message;
}

TEST_CASE("network_values: a proxy's credentials are kept, and never shown") {
    const auto proxies = read_proxy_servers(
        node_of("{http: 'http://joe:s3cr%40t@proxy:3128', https: 'http://proxy:3128'}"));
    REQUIRE(proxies);
    REQUIRE(proxies->size() == 2);
    CHECK((*proxies)[0].scheme == "http");
    CHECK((*proxies)[0].url == "http://proxy:3128");
    CHECK((*proxies)[0].user_password == Secret("joe:s3cr@t"));
    CHECK_FALSE((*proxies)[1].user_password);
    CHECK(show_proxy_servers(*proxies) == "{http: http://proxy:3128, https: http://proxy:3128}");
}

TEST_CASE("network_values: what is no proxy is refused without repeating it") {
    for (const std::string_view yaml : {"proxy:3128",
                                        "[http]",
                                        "{ftp: 'http://me:s3cret@p'}",
                                        "{'https://me:s3cret@h': 'http://p'}",
                                        "{http: 'me:s3cret@p'}",
                                        "{http: 'http://p/t/s3cret/x'}",
                                        "{http: 'file:///s3cret'}"}) {
        CAPTURE(yaml);
        const std::string message = message_of(read_proxy_servers(node_of(yaml)));
        CHECK(message.find("expected") != std::string::npos);
        CHECK(message.find("s3cret") == std::string::npos);
    }
}

TEST_CASE(
    "network_values: certificates are always checked, by the system's or by given authorities") {
    CHECK(read_ssl_verify(node_of("true"))->empty());
    CHECK(*read_ssl_verify(node_of("/etc/ca.pem")) == "/etc/ca.pem");
    CHECK(message_of(read_ssl_verify(node_of("false"))).find("certificate authority") !=
          std::string::npos);
    CHECK(message_of(read_ssl_verify(node_of("~/ca.pem"))).find("absolute") != std::string::npos);
    CHECK(show_path({}, "true") == "true");
    CHECK(show_path("/etc/ca.pem", "true") == "/etc/ca.pem");
}

TEST_CASE("network_values: a rate in bytes a second") {
    CHECK(*parse_limit_rate("0") == 0);
    CHECK(*parse_limit_rate("10k") == 10'000);
    CHECK(*parse_limit_rate("2.5M") == 2'500'000);
    CHECK(message_of(parse_limit_rate("9999")).find("at least 10k") != std::string::npos);
    CHECK(message_of(parse_limit_rate("fast")).find("no number of bytes") != std::string::npos);
}

}  // namespace
}  // namespace chm::config
