// condarc.cpp, against a model of how conda finds a channel's URL (conda/models/channel.py,
// conda/base/context.py: custom_channels).
#include "emit/condarc.hpp"

#include "base/json.hpp"
#include "config/yaml.hpp"
#include "support/golden.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace chm::emit {
namespace {

const config::YamlNode& member(const config::YamlNode& node, std::string_view key) {
    REQUIRE(node.map() != nullptr);
    for (const config::YamlMember& found : *node.map()) {
        if (found.key == key) {
            return found.node;
        }
    }
    REQUIRE_MESSAGE(false, key);
    return node;
}

struct Condarc {
    std::vector<std::string> channels;
    std::map<std::string, std::string> custom_channels;
    std::string channel_priority;
};

Condarc read(const std::string& text) {
    const auto node = config::parse_yaml(text, ".condarc");
    REQUIRE(node.has_value());
    Condarc condarc;
    for (const config::YamlNode& channel : *member(*node, "channels").list()) {
        condarc.channels.push_back(*channel.scalar());
    }
    for (const config::YamlMember& custom : *member(*node, "custom_channels").map()) {
        condarc.custom_channels[custom.key] = *custom.node.scalar();
    }
    condarc.channel_priority = *member(*node, "channel_priority").scalar();
    return condarc;
}

/// conda strips segments from the right until custom_channels has the rest, then joins that
/// location and the whole name.
std::string conda_url(const Condarc& condarc, const std::string& name) {
    std::string key = name;
    while (!condarc.custom_channels.contains(key)) {
        const std::size_t slash = key.rfind('/');
        REQUIRE_MESSAGE(slash != std::string::npos, name);
        key.resize(slash);
    }
    return condarc.custom_channels.at(key) + "/" + name;
}

const std::vector<std::string> k_channels = {"pytorch",
                                             "nvidia/label/cuda-12.4.1",
                                             "nvidia",
                                             "pkgs/main",
                                             "repo.example.org:8443/conda/x",
                                             "conda-forge"};

/// The value as it stands behind "custom_channels:\n  NAME: ".
std::string spelled(const std::string& name) {
    const std::string text = condarc({{name}, "https://m.example.org", "strict"});
    const std::size_t start = text.find("  - ") + 4;
    return text.substr(start, text.find('\n', start) - start);
}

}  // namespace

TEST_CASE("condarc: the whole file") {
    chm::test::golden::check(condarc({k_channels, "file:///srv/my%20mirror/public", "strict"}),
                             "emit/file.condarc");
    chm::test::golden::check(
        condarc({{"conda-forge"}, "http://mirror.example.org/conda", "flexible"}),
        "emit/flexible.condarc");
}

TEST_CASE("condarc: conda and mamba find every channel at its published folder") {
    const std::string base = "http://mirror.example.org/conda";
    const Condarc parsed = read(condarc({k_channels, base, "strict"}));
    CHECK(parsed.channels == k_channels);
    for (const std::string& name : k_channels) {
        CHECK(conda_url(parsed, name) == base + "/" + name);
    }
}

TEST_CASE("condarc: no value holds its channel's name, which conda appends itself") {
    const Condarc parsed = read(condarc({k_channels, "https://m.example.org/c", "strict"}));
    REQUIRE(parsed.custom_channels.size() == k_channels.size());
    for (const auto& [name, location] : parsed.custom_channels) {
        CHECK(location == "https://m.example.org/c");
    }
}

TEST_CASE("condarc: the same as JSON") {
    const auto json = parse_json(condarc_json({{"x", "a/label/b"}, "https://m", "disabled"}));
    REQUIRE(json);
    CHECK(json->text("channel_priority") == "disabled");
    REQUIRE(json->find("custom_channels") != nullptr);
    CHECK(json->find("custom_channels")->text("a/label/b") == "https://m");
}

TEST_CASE("condarc: the priority is written") {
    CHECK(read(condarc({{"x"}, "https://m", "strict"})).channel_priority == "strict");
    CHECK(read(condarc({{"x"}, "https://m", "flexible"})).channel_priority == "flexible");
}

TEST_CASE("condarc: names that YAML would read as something else are quoted") {
    for (const std::string name :
         {"null", "true",  "no",   "on", "off", "yes", "y",   "n",    "12", "1.5", "1e3",
          "0x1f", "12:30", ".inf", "~",  "-",   "_1",  "a b", "a: b", "a:", "#a",  ""}) {
        CHECK_MESSAGE(spelled(name) == "\"" + name + "\"", name);
    }
    for (const std::string name :
         {"conda-forge", "nvidia/label/cuda-12.4.1", "nothing", "e3", "host:80/x"}) {
        CHECK_MESSAGE(spelled(name) == name, name);
    }
    CHECK(read(condarc({{"no", "1e3"}, "https://m", "strict"})).channels ==
          std::vector<std::string>{"no", "1e3"});
}

TEST_CASE("condarc: quotes and line ends in a URL stay within it") {
    const std::string url = "https://m/\"\nchannels: [evil]\n";
    const Condarc parsed = read(condarc({{"x"}, url, "strict"}));
    CHECK(parsed.channels == std::vector<std::string>{"x"});
    CHECK(parsed.custom_channels.at("x") == url);
}

TEST_CASE("condarc: a path as a file URL") {
    CHECK(file_url("/srv/mirror/public") == "file:///srv/mirror/public");
    CHECK(file_url("/srv/my mirror#1?/100%") == "file:///srv/my%20mirror%231%3F/100%25");
    CHECK(file_url("/srv/\xc3\xa9\n") == "file:///srv/%C3%A9%0A");
    CHECK(file_url("/a-b_c.d~e") == "file:///a-b_c.d~e");
}

}  // namespace chm::emit
