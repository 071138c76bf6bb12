// Markers that are none: each error says where, and costs little.
#include "pypi/marker.hpp"
#include "unit/pypi/vectors.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <string_view>

using chm::pypi::Marker;

namespace {

std::string error_of(std::string_view text) {
    const auto parsed = Marker::parse(text);
    REQUIRE_FALSE_MESSAGE(parsed.has_value(), text);
    CHECK(parsed.error().kind == chm::ErrorKind::parse);
    return parsed.error().message;
}

bool says(std::string_view text, std::string_view what) {
    const std::string message = error_of(text);
    CAPTURE(message);
    return message.find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("pypi marker: an error says where") {
    CHECK(says("", "offset 0: a comparison is expected"));
    CHECK(says("os_name", "offset 7: an operator is expected"));
    CHECK(says("os_name ==", "offset 10: a variable or a text in quotes is expected"));
    CHECK(says("os_name == 'x", "offset 11: the quote is not closed"));
    CHECK(says("os_nam == 'x'", "offset 0: no variable of markers"));
    CHECK(says("os_name == nt", "offset 11: no variable of markers"));
    CHECK(says("os_name = 'x'", "offset 8: an operator is expected"));
    CHECK(says("os_name not 'x'", "offset 8: an operator is expected"));
    CHECK(says("os_name == 'x' os_name == 'y'", "offset 15: 'and' or 'or' is expected"));
    CHECK(says("os_name == 'x' and", "offset 18: a comparison is expected"));
    CHECK(says("os_name == 'x' (", "offset 15: 'and' or 'or' is expected before '('"));
    CHECK(says("(os_name == 'x'", "offset 15: ')' is missing"));
    CHECK(says("os_name == 'x')", "offset 14: ')' has no '('"));
    CHECK(says("()", "offset 1: a comparison is expected before ')'"));
    CHECK(says("os_name == 'x'\nor os_name == 'y'", "offset 14: a line break"));
}

TEST_CASE("pypi marker: what has no meaning is an error, not an answer") {
    CHECK(says("'a' == 'b'", "offset 0: a marker compares a variable with a text"));
    CHECK(says("os_name == sys_platform", "a marker compares a variable with a text"));
    CHECK(says("os_name ~= 'nt'", "'~=' compares versions, and os_name is none"));
    CHECK(says("extra === 'nt'", "'===' compares versions, and extra is none"));
    CHECK(says("python_version ~= 'surprise'", "offset 18: '~=' needs a version"));
    CHECK(says("python_version ~= '3'", "'~=' needs a version of two numbers"));
    CHECK(says("python_version === '3 4'", "'===' needs a text without white space"));
    CHECK(says("'x' in extras", "offset 7: this variable is only for lock files"));
    CHECK(says("'x' in dependency_groups", "this variable is only for lock files"));
}

TEST_CASE("pypi marker: hostile texts are errors, in linear time") {
    const auto start = std::chrono::steady_clock::now();
    const std::string item = "os_name=='x'";
    for (const std::string& text : {std::string(10000, '('),
                                    std::string(10000, '(') + item + std::string(10000, ')'),
                                    std::string(65, '(') + item + std::string(65, ')'),
                                    item + std::string(10000, ')'),
                                    std::string("os_name=='\0'", 12),
                                    std::string("os_name=='\xff'"),
                                    "os_name=='" + std::string(1 << 20, 'x') + "'",
                                    "os_name=='" + std::string(60000, 'x'),
                                    std::string(60000, '\''),
                                    std::string(60000, 'x'),
                                    std::string(1 << 20, ' ')}) {
        error_of(text);
    }
    std::string many = item;
    while (many.size() + item.size() + 4 < chm::pypi::k_max_text) {
        many += many.size() % 2 == 0 ? " or " : " and ";
        many += item;
    }
    const auto parsed = Marker::parse(many);
    REQUIRE(parsed.has_value());
    CHECK_FALSE(parsed->evaluate(*chm::pypi::MarkerEnvironment::for_target("linux-64", "3.12")));
    CHECK(Marker::parse(parsed->to_text()).has_value() ==
          (parsed->to_text().size() <= chm::pypi::k_max_text));
    CHECK(std::chrono::steady_clock::now() - start < chm::test::k_patience);
}
