// Tests of base/json.
#include "base/json.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

using chm::Json;
using chm::parse_json;
using chm::to_json;

namespace {

std::string nested(std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
}

std::string error_of(std::string_view text) {
    const auto result = parse_json(text);
    if (result) {
        return "(no error)";
    }
    CHECK(result.error().kind == chm::ErrorKind::parse);
    CHECK(result.error().message.find('\n') == std::string::npos);
    return result.error().message;
}

}  // namespace

TEST_CASE("json: reading and writing is the identity on compact text") {
    for (const char* text : {"null",
                             "true",
                             "false",
                             "0",
                             "-1",
                             "9223372036854775807",
                             "-9223372036854775808",
                             "0.1",
                             "1.0",
                             "-2.5e-07",
                             "1e+300",
                             "\"\"",
                             R"("a\"b\\c\n\r\t\u0000\u001f/")",
                             "\"h\xC3\xA9 \xF0\x9F\x90\x8D\"",
                             "[]",
                             "{}",
                             "[1,[2,{}],null]",
                             R"({"z":1,"a":{"k":[true,false]},"":"x"})"}) {
        const auto value = parse_json(text);
        REQUIRE(value);
        CHECK(to_json(*value) == text);
    }
}

TEST_CASE("json: members keep their order and are found by name") {
    const Json value =
        Json::Object{{"z", 1}, {"a", "text"}, {"z", 2}, {"n", true}, {"none", Json()}};
    CHECK(*value.find("z")->as_integer() == 1);
    CHECK(value.text("a") == "text");
    CHECK(value.text("z").empty());
    CHECK(value.find("none")->is_null());
    CHECK(value.find("gone") == nullptr);
    CHECK(Json(3).find("a") == nullptr);
    CHECK(Json("x").text("a").empty());
    CHECK(to_json(value) == R"({"z":1,"a":"text","z":2,"n":true,"none":null})");
}

TEST_CASE("json: indented text has one member a line") {
    const Json value =
        Json::Object{{"a", Json::Array{1, "two", Json::Array{}}}, {"b", Json::Object{}}};
    CHECK(to_json(value, 2) == "{\n  \"a\": [\n    1,\n    \"two\",\n    []\n  ],\n  \"b\": {}\n}");
    CHECK(parse_json(to_json(value, 2)).value() == value);
}

TEST_CASE("json: numbers keep their kind") {
    CHECK(*Json(std::uint64_t{7}).as_integer() == 7);
    CHECK(*Json(7U).as_integer() == 7);
    CHECK(*parse_json("18446744073709551615")->as_double() == 18446744073709551615.0);
    CHECK(Json(std::uint64_t{1} << 63U).as_integer() == nullptr);
    CHECK(parse_json("1.0")->as_integer() == nullptr);
    CHECK(to_json(Json(1.0)) == "1.0");
    CHECK(to_json(Json(1e22)) == "1e+22");
    CHECK(to_json(Json(std::nan(""))) == "null");
    CHECK(to_json(Json(-std::numeric_limits<double>::infinity())) == "null");
    CHECK(parse_json("1e400").has_value() == false);
    CHECK(error_of("184467440737095516150") ==
          "not valid JSON: a number is malformed or out of range");
}

TEST_CASE("json: 64 levels are read and more are refused") {
    const std::string deepest = nested(64);
    const auto value = parse_json(deepest);
    REQUIRE(value);
    CHECK(to_json(*value) == deepest);
    for (const std::size_t depth : {66UL, 1'000UL, 1'000'000UL}) {
        CHECK(error_of(nested(depth)) == "not valid JSON: it is nested more than 64 levels deep");
    }
    std::string objects;
    for (int i = 0; i < 10'000; ++i) {
        objects += "{\"a\":";
    }
    CHECK_FALSE(parse_json(objects + "1" + std::string(10'000, '}')));
    // The innermost value may be a scalar.
    CHECK(parse_json(std::string(64, '[') + "1" + std::string(64, ']')));
    CHECK_FALSE(parse_json(std::string(65, '[') + "1" + std::string(65, ']')));
}

TEST_CASE("json: what RFC 8259 does not allow is refused") {
    CHECK(error_of("") == "not valid JSON: it is empty");
    CHECK(error_of(" \n") == "not valid JSON: it is empty");
    for (const char* text :
         {"{",       "[1,]",     "{\"a\":1,}", "{a:1}",       "'a'",    "01",   "+1",
          "1.",      ".5",       "NaN",        "Infinity",    "tru",    "1 2",  "{} x",
          "// c\n1", "\"a\nb\"", "\"\\x\"",    "\"\\ud800\"", "\"open", "[1 2]"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_json(text));
    }
    CHECK_FALSE(parse_json(std::string_view("1\0", 2)));
}

TEST_CASE("json: invalid UTF-8 is refused when read and replaced when written") {
    for (const char* text : {"\"\xff\"", "\"\xc3\"", "\"\xed\xa0\x80\"", "\"\xc0\xaf\""}) {
        CHECK(error_of(text) == "not valid JSON: it is not UTF-8");
    }
    CHECK(to_json(Json("a\xff\xC3\xA9\xc3")) == "\"a\xEF\xBF\xBD\xC3\xA9\xEF\xBF\xBD\"");
    CHECK(parse_json(to_json(Json("\xed\xa0\x80"))).has_value());
}
