// keys.cpp: each key's reader and printer.
#include "config/keys.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace chm::config {
namespace {

YamlNode node_of(std::string_view yaml) {
    auto node = parse_yaml(yaml, "c.yml");
    REQUIRE_MESSAGE(node.has_value(), yaml);
    return std::move(*node);
}

/// The value of `key` after `yaml` has been put into it.
std::string shown(std::string_view key, std::string_view yaml) {
    Settings settings;
    const auto result = find_key(key)->set(settings, node_of(yaml));
    REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
    return find_key(key)->show(settings);
}

std::string refused(std::string_view key, std::string_view yaml) {
    Settings settings;
    const auto result = find_key(key)->set(settings, node_of(yaml));
    REQUIRE_MESSAGE(!result.has_value(), fmt::format("{}: {}", key, yaml));
    CHECK(result.error().message.find('\n') == std::string::npos);
    return result.error().message;
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

}  // namespace

TEST_CASE("keys: the table is whole") {
    std::set<std::string_view> names;
    for (const Key& key : keys()) {
        CHECK(names.insert(key.name).second);
        CHECK(find_key(key.name) == &key);
        CHECK(!key.help.empty());
        CHECK(!key.example.empty());
        CHECK((key.environment.empty() || key.environment.starts_with("CHANMIRROR_")));
    }
    CHECK(names.size() == 22);
    CHECK(find_key("no_such_key") == nullptr);
    CHECK(find_key("") == nullptr);
}

TEST_CASE("keys: a text that YAML would read as null is shown in quotes") {
    for (const std::string_view text : {"'null'", "'Null'", "'NULL'", "'~'"}) {
        const std::string once = shown("root", text);
        CHECK(shown("root", once) == once);
    }
}

TEST_CASE("keys: every example can be set, and what is shown sets the same again") {
    for (const Key& key : keys()) {
        CAPTURE(key.name);
        const std::string first = shown(key.name, key.example);
        CHECK(shown(key.name, first) == first);
    }
}

TEST_CASE("keys: every default is shown as YAML that gives the default again") {
    Settings defaults;
    defaults.root = "/srv/m";
    for (const Key& key : keys()) {
        CAPTURE(key.name);
        const std::string text = key.show(defaults);
        CHECK(shown(key.name, text) == text);
    }
}

TEST_CASE("keys: values as shown") {
    CHECK(shown("root", "/srv/m") == "/srv/m");
    CHECK(shown("root", "'/srv/my mirror: a # b'") == R"("/srv/my mirror: a # b")");
    CHECK(shown("channels", "[pytorch, nvidia/label/cuda-12.4.0]") ==
          "[pytorch, nvidia/label/cuda-12.4.0]");
    CHECK(shown("channels", "conda-forge") == "[conda-forge]");
    CHECK(shown("channels", "[pytorch, defaults]") == "[pytorch, defaults]");
    CHECK(shown("default_channels", "pkgs/main") == "[pkgs/main]");
    CHECK(shown("custom_multichannels", "{torch: [pytorch, nvidia], defaults: conda-forge}") ==
          "{torch: [pytorch, nvidia], defaults: [conda-forge]}");
    CHECK(shown("custom_multichannels", "{}") == "{}");
    CHECK(shown("channel_relations_max_depth", "0") == "0");
    CHECK(shown("subdirs", "[linux-64, osx-arm64]") == "[linux-64, osx-arm64]");
    CHECK(shown("subdirs", "[]") == "[]");
    CHECK(shown("upstreams", "https://mirror.example.org") ==
          "{default: https://mirror.example.org}");
    CHECK(shown("upstreams", "{pytorch: 'http://[::1]:80/x'}") ==
          R"({pytorch: "http://[::1]:80/x"})");
    CHECK(shown("upstreams", "{}") == "{}");
    CHECK(shown("packages", "all") == "{default: all}");
    CHECK(shown("packages", "{pytorch: {match: numpy>=1.2}, default: none}") ==
          R"({pytorch: {policy: matching, match: ["numpy[version='>=1.2']"]}, default: none})");
    CHECK(shown("packages", "{}") == "{}");
    CHECK(shown("jobs", "256") == "256");
    CHECK(shown("retries", "0") == "0");
    CHECK(shown("stall_timeout", "90") == "90");
    CHECK(shown("channel_priority", "flexible") == "flexible");
    CHECK(shown("add_pip_as_python_dependency", "no") == "false");
    CHECK(shown("add_pip_as_python_dependency", "on") == "true");
    CHECK(shown("virtual_packages", "{__cuda: 12.4, __archspec: 1=x86_64_v3}") ==
          "{__cuda: 12.4=0, __archspec: 1=x86_64_v3}");
}

TEST_CASE("keys: a virtual package without version is absent, and shown so") {
    CHECK(shown("virtual_packages", "{__cuda: }") == R"({__cuda: ""})");
    CHECK(shown("virtual_packages", R"({__cuda: ""})") == R"({__cuda: ""})");
    CHECK(contains(refused("virtual_packages", "{__cuda: [12.4]}"),
                   "expected a version for '__cuda'"));
    CHECK(contains(refused("virtual_packages", "{__cuda: {a: b}}"),
                   "expected a version for '__cuda'"));
}

TEST_CASE("keys: values of the wrong type are refused") {
    for (const Key& key : keys()) {
        CAPTURE(key.name);
        if (key.name != "upstreams" && key.name != "virtual_packages" &&
            key.name != "custom_multichannels" && key.name != "proxy_servers") {
            CHECK(contains(refused(key.name, "{a: b}"), "expected"));
        }
        CHECK(!refused(key.name, "[[a]]").empty());
        CHECK(!refused(key.name, "\"a\\0b\"").empty());
        if (key.name != "subdirs" && key.name != "default_channels") {  // none is the default
            CHECK(contains(refused(key.name, "~"), "expected"));
        }
    }
    CHECK(refused("channels", "[]") == "expected at least one channel");
    CHECK(contains(refused("upstreams", "{a: {b: c}}"), "expected a URL or a list"));
    CHECK(contains(refused("virtual_packages", "12.4"), "expected a mapping"));
}

TEST_CASE("keys: numbers outside their range are refused with the range") {
    CHECK(refused("jobs", "0") == "expected a whole number from 1 to 256, got '0'");
    for (const std::string_view text :
         {"257", "-1", "8.5", "0x8", "8 8", "99999999999999999999", "eight"}) {
        CHECK(contains(refused("jobs", text), "from 1 to 256"));
    }
    CHECK(contains(refused("retries", "101"), "from 0 to 100"));
    CHECK(contains(refused("stall_timeout", "86401"), "from 1 to 86400"));
}

TEST_CASE("keys: near misses get a suggestion") {
    CHECK(refused("channel_priority", "stict") ==
          "expected strict, flexible or disabled, got 'stict'; did you mean 'strict'?");
    CHECK(contains(refused("subdirs", "linux64"), "linux-64"));
    CHECK(contains(refused("add_pip_as_python_dependency", "maybe"),
                   "expected true or false, got 'maybe'"));
}

TEST_CASE("keys: channels are checked when they are set") {
    CHECK(!refused("channels", "[../etc]").empty());
    CHECK(!refused("default_channels", "[defaults]").empty());
    CHECK(!refused("custom_multichannels", "{torch: [defaults]}").empty());
    CHECK(contains(refused("custom_multichannels", "{torch: {a: b}}"), "torch"));
    CHECK(!refused("custom_multichannels", "{Bad Name: [pytorch]}").empty());
    CHECK(!refused("upstreams", "{Bad Name: 'https://mirror.example.org'}").empty());
    CHECK(!refused("upstreams", "{pytorch: mirror.example.org}").empty());
}

TEST_CASE("keys: an upstream belongs to a channel's canonical name") {
    CHECK(shown("upstreams", "{'https://conda.anaconda.org/pytorch': 'http://m.example.org'}") ==
          "{pytorch: http://m.example.org}");
    CHECK(refused("upstreams",
                  "{pytorch: 'http://a.example.org', 'https://conda.anaconda.org/pytorch': "
                  "'http://b.example.org'}") == "channel 'pytorch' is given twice");
}

TEST_CASE("keys: a token in the middle of an upstream's path is refused and not repeated") {
    CHECK_FALSE(contains(refused("upstreams", "'https://h/a/t/tk-s3cret/x'"), "s3cret"));
}

TEST_CASE("keys: credentials of upstreams are kept, and never shown") {
    Settings settings;
    const Key& key = *find_key("upstreams");
    REQUIRE(key.set(settings,
                    node_of("{default: 'https://joe:s3cr%40t@mirror.example.org/conda', "
                            "nvidia: 'https://conda.anaconda.org/t/tk-s3cret/x'}"))
                .has_value());
    REQUIRE(settings.upstreams.size() == 2);
    REQUIRE(settings.upstreams[0].credentials.user_password.has_value());
    CHECK(settings.upstreams[0].credentials.user_password->reveal() == "joe:s3cr@t");
    CHECK(settings.upstreams[1].base_url == "https://conda.anaconda.org/x");
    CHECK(settings.upstreams[1].credentials.token == chm::Secret("tk-s3cret"));
    CHECK(key.show(settings) ==
          "{default: https://mirror.example.org/conda, "
          "nvidia: https://conda.anaconda.org/x}");
}

TEST_CASE("keys: no message repeats an upstream's credentials") {
    for (const std::string_view yaml : {"'ftp://joe:s3cret@h/x'",
                                        "'https://joe:s3cret%zz@h/x'",
                                        "'https://h/x?token=s3cret'",
                                        "'joe:s3cret@h'",
                                        "{'https://joe:s3cret@h/x': 'https://h'}",
                                        "{'https://h/t/s3cret/x': 'https://h'}"}) {
        CHECK(!contains(refused("upstreams", yaml), "s3cret"));
    }
}

TEST_CASE("keys: a reader replaces what was there") {
    Settings settings;
    for (const std::string_view yaml :
         {"{pytorch: 'http://a.example.org'}", "{nvidia: 'http://b.example.org'}"}) {
        REQUIRE(find_key("upstreams")->set(settings, node_of(yaml)).has_value());
    }
    CHECK(find_key("upstreams")->show(settings) == "{nvidia: http://b.example.org}");
}

TEST_CASE("keys: channel priorities by name") {
    for (const ChannelPriority priority :
         {ChannelPriority::strict, ChannelPriority::flexible, ChannelPriority::disabled}) {
        CHECK(parse_channel_priority(to_text(priority)) == priority);
    }
    CHECK(!parse_channel_priority("").has_value());
    CHECK(!parse_channel_priority("Strict").has_value());
}

}  // namespace chm::config
