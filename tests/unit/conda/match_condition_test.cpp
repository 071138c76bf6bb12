// The conditions of `when` (CEP 43): precedence, parentheses, and the offset of every error.
#include "conda/match_spec.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

using namespace chm::conda;

TEST_CASE("match condition: specs become reverse Polish steps") {
    const auto steps_of = [](std::string_view text) {
        const auto steps = parse_condition(text);
        REQUIRE_MESSAGE(steps.has_value(), text);
        std::string result;
        for (const ConditionStep& step : *steps) {
            using Kind = ConditionStep::Kind;
            result += step.kind == Kind::spec   ? step.spec.to_text() + " "
                      : step.kind == Kind::both ? "& "
                                                : "| ";
        }
        return result;
    };
    CHECK(steps_of("a") == "a ");
    CHECK(steps_of("a or b and c") == "a b c & | ");
    CHECK(steps_of("a and b or c") == "a b & c | ");
    CHECK(steps_of("(a or b) and c") == "a b | c & ");
    CHECK(steps_of("((a))and(b)") == "a b & ");
    CHECK(steps_of("a or b or c") == "a b | c | ");
    CHECK(steps_of("android and order") == "android order & ");
    CHECK(steps_of("python[version='>=3 , <4'] and b==2") == "python[version='>=3,<4'] b==2 & ");
    // rattler's way to write it; CEP 43 has no space there.
    CHECK(steps_of("python >=3.10 and __linux") == "python[version='>=3.10'] __linux & ");
    CHECK(steps_of("(python >= 3.10 , <4)or numpy 1.2.*") ==
          "python[version='>=3.10,<4'] numpy=1.2 | ");
    const std::vector<std::array<std::string_view, 2>> wrong = {
        {"", "offset 0"},
        {"a b", "offset 2"},
        {"and a", "offset 0"},
        {"a and", "offset 5"},
        {"a or or b", "offset 5"},
        {"(a", "offset 2: ')'"},
        {"a)", "offset 1"},
        {"()", "offset 1"},
        {"a (b)", "offset 2"},
        {"python >=", "offset 0"},
        {"python >=3 <4", "offset 0"},
        {"python >=3 cp3", "offset 11"},
        {"a and b[when=c]", "offset 6"},
        {"a not b", "offset 2"},
    };
    for (const auto& [text, offset] : wrong) {
        const auto steps = parse_condition(text);
        CAPTURE(text);
        REQUIRE_FALSE(steps.has_value());
        CHECK(steps.error().message.find(offset) != std::string::npos);
    }
}

TEST_CASE("match condition: parentheses may be 64 deep, not more") {
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '(') + "a" + std::string(depth, ')');
    };
    CHECK(parse_condition(nested(64)).has_value());
    const auto steps = parse_condition(nested(65));
    REQUIRE_FALSE(steps.has_value());
    CHECK(steps.error().message.find("offset 64: more than 64") != std::string::npos);
}
