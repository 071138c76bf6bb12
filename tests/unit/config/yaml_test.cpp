// yaml.cpp: what a configuration file may be, and how its mistakes are told.
#include "config/yaml.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <chrono>
#include <string>
#include <string_view>

namespace chm::config {
namespace {

std::string error_of(std::string_view text) {
    const auto result = parse_yaml(text, "c.yml");
    REQUIRE(!result.has_value());
    CHECK(result.error().kind == ErrorKind::config);
    CHECK(result.error().message.find('\n') == std::string::npos);
    return result.error().message;
}

YamlNode parsed(std::string_view text) {
    auto result = parse_yaml(text, "c.yml");
    REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
    return std::move(*result);
}

}  // namespace

TEST_CASE("yaml: a mapping keeps its order, texts and lines") {
    const YamlNode node = parsed("# comment\nb: 1\n\na: [x, 'y z']\nc:\n  d: \"q\"\n");
    REQUIRE(node.map() != nullptr);
    const YamlMap& map = *node.map();
    REQUIRE(map.size() == 3);
    CHECK(map[0].key == "b");
    CHECK(map[0].line == 2);
    REQUIRE(map[0].node.scalar() != nullptr);
    CHECK(*map[0].node.scalar() == "1");
    CHECK(map[1].key == "a");
    CHECK(map[1].line == 4);
    REQUIRE(map[1].node.list() != nullptr);
    REQUIRE(map[1].node.list()->size() == 2);
    CHECK(*(*map[1].node.list())[1].scalar() == "y z");
    REQUIRE(map[2].node.map() != nullptr);
    CHECK(map[2].node.map()->front().line == 6);
}

TEST_CASE("yaml: nothing and null are empty lists") {
    for (const std::string_view text : {"", "# only a comment\n", "---\n", "~", "null"}) {
        const YamlNode node = parsed(text);
        REQUIRE(node.list() != nullptr);
        CHECK(node.list()->empty());
    }
    CHECK(parsed("a:\n").map()->front().node.list() != nullptr);
}

TEST_CASE("yaml: an error names the file and the line") {
    CHECK(error_of("a: 1\nb: [1, 2\n").starts_with("c.yml:"));
    CHECK(error_of("a: 1\nb: @x\n").starts_with("c.yml:2: not valid YAML"));
    CHECK(error_of("a: 1\n\tb: 2\n").starts_with("c.yml:2: not valid YAML"));
    CHECK(error_of("a: *nowhere\n").starts_with("c.yml:1: not valid YAML"));
}

TEST_CASE("yaml: a key given twice is refused at its second line") {
    CHECK(error_of("jobs: 1\nroot: x\njobs: 2\n") == "c.yml:3: key 'jobs' is given twice");
    CHECK(error_of("u:\n  a: 1\n  'a': 2\n") == "c.yml:3: key 'a' is given twice");
}

TEST_CASE("yaml: a key must be a text") {
    CHECK(error_of("[a, b]: 1\n") == "c.yml:1: a key must be a plain text");
    CHECK(error_of("a: 1\n? {b: c}\n: 2\n").starts_with("c.yml:2:"));
}

TEST_CASE("yaml: a second document is refused rather than ignored") {
    CHECK(error_of("jobs: 1\n---\njobs: 2\n").find("a second document begins") !=
          std::string::npos);
    CHECK(parsed("---\njobs: 1\n...\n").map() != nullptr);
    CHECK(error_of(",a: 1\n").find("a second document begins") != std::string::npos);
}

TEST_CASE("yaml: an alias counts each time it is used") {
    const YamlNode node = parsed("a: &x [1, 2]\nb: *x\n");
    CHECK(node.map()->back().node.list()->size() == 2);
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i <= 9; ++i) {
        bomb += fmt::format(
            "a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i, i - 1);
    }
    CHECK(error_of(bomb).find("too many values (aliases expanded)") != std::string::npos);
}

TEST_CASE("yaml: an alias within itself is an error and no endless loop") {
    CHECK(error_of("a: &a [*a]\n").starts_with("c.yml:"));
    CHECK(error_of("a: &a {b: *a}\n").starts_with("c.yml:"));
}

TEST_CASE("yaml: 64 levels are read, more are refused, however many") {
    const auto nested = [](std::size_t levels) {
        return std::string(levels, '[') + "x" + std::string(levels, ']');
    };
    CHECK(parsed(nested(64)).list() != nullptr);
    CHECK(error_of(nested(65)).find("nested too deeply") != std::string::npos);
    CHECK(error_of(nested(100'000)).starts_with("c.yml:1:"));
    CHECK(error_of(std::string(300'000, '[')).starts_with("c.yml:1:"));
    std::string maps;
    for (std::size_t i = 0; i < 1000; ++i) {
        maps += std::string(i, ' ') + "a:\n";
    }
    CHECK(error_of(maps).starts_with("c.yml:"));
}

TEST_CASE("yaml: many keys take time in proportion to their number") {
    std::string text;
    for (int i = 0; i < 90'000; ++i) {
        text += fmt::format("k{}: 1\n", i);
    }
    const auto start = std::chrono::steady_clock::now();
    CHECK(parsed(text).map()->size() == 90'000);
    // Comparing each with all took minutes; a slow, sanitized machine needs a few seconds.
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
}

}  // namespace chm::config
