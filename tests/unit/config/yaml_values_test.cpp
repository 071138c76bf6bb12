// yaml_values.cpp: texts, lists and flags of a configuration file, and their way back.
#include "config/yaml_values.hpp"

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

}  // namespace

TEST_CASE("yaml_values: a text is a scalar with something in it") {
    CHECK(read_text(node_of("a b")) == "a b");
    CHECK(read_text(node_of("'~'")) == "~");
    for (const char* yaml : {"''", "~", "[a]", "{a: b}", "\"a\\0b\""}) {
        CAPTURE(yaml);
        CHECK_FALSE(read_text(node_of(yaml)));
    }
}

TEST_CASE("yaml_values: one text is a list of one") {
    using List = std::vector<std::string>;
    CHECK(read_list(node_of("a")) == List{"a"});
    CHECK(read_list(node_of("[a, b]")) == List{"a", "b"});
    CHECK(read_list(node_of("[]")) == List{});
    CHECK_FALSE(read_list(node_of("{a: b}")));
    CHECK_FALSE(read_list(node_of("[[a]]")));
    CHECK_FALSE(read_list(node_of("''")));
}

TEST_CASE("yaml_values: flags by their usual words") {
    for (const char* yaml : {"true", "yes", "on"}) {
        CHECK(read_flag(node_of(yaml)) == true);
    }
    for (const char* yaml : {"false", "no", "off"}) {
        CHECK(read_flag(node_of(yaml)) == false);
    }
    CHECK_FALSE(read_flag(node_of("1")));
    CHECK_FALSE(read_flag(node_of("True")));
}

TEST_CASE("yaml_values: what is shown in flow style is read as the same text") {
    for (const std::string_view text :
         {"a",   "a b", "null", "~",  "*a", "&a",    "a: b",       "a,b",  "[a]",
          "{a}", "#a",  "a #b", "-",  "'a", "\"a\"", "a\\b",       "a\nb", "%a",
          "@a",  "!a",  "=",    "a:", "é",  ">=1.2", "x[y='z,w']", " a "}) {
        CAPTURE(text);
        const YamlNode node = node_of("k: {m: " + flow_text(text) + "}");
        const YamlNode list = node_of("k: " + flow_list({std::string(text), "z"}));
        REQUIRE(node.map());
        REQUIRE(node.map()->front().node.map());
        CHECK(read_text(node.map()->front().node.map()->front().node) == text);
        CHECK(read_list(list.map()->front().node) ==
              std::vector<std::string>{std::string(text), "z"});
    }
    CHECK(flow_text("plain-text_1.0/x:y") == "plain-text_1.0/x:y");
    CHECK(flow_list({}) == "[]");
}

}  // namespace chm::config
