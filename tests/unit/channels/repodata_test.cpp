// Is it an index, what does it say of itself, and the same bytes with another base_url.
#include "channels/repodata.hpp"

#include "base/file.hpp"
#include "base/json.hpp"
#include "support/mirror_check.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace chm::channels {
namespace {

std::string corner(const std::string& name) {
    const auto text =
        read_file(std::string(CHM_TEST_DATA) + "/repodata-corner/" + name, test::k_test_limit);
    REQUIRE(text);
    return *text;
}

/// The error's message; empty when the text passes as linux-64's index.
std::string fault(std::string text) {
    const auto summary = check_repodata(text, "linux-64");
    if (summary) {
        return {};
    }
    CHECK(summary.error().kind == ErrorKind::integrity);
    CHECK(summary.error().message.find('\n') == std::string::npos);
    return summary.error().message;
}

bool says(const std::string& message, std::string_view part) {
    CAPTURE(message);
    return message.find(part) != std::string::npos;
}

/// An index around one value, deep in a record.
std::string with_value(std::string_view value) {
    return R"({"packages":{"a-1-0.tar.bz2":{"x":)" + std::string(value) + "}}}";
}

TEST_CASE("repodata: real indexes pass, and their summaries are right") {
    std::string json = test::real_index(CHM_TEST_DATA, "nvidia/linux-64");
    REQUIRE_FALSE(json.empty());
    const auto summary = check_repodata(json, "linux-64");
    REQUIRE(summary);
    CHECK(summary->subdir == "linux-64");
    CHECK(summary->base_url.empty());
    CHECK(summary->records == 436);
    CHECK(summary->newest_timestamp > 1'500'000'000'000);
    std::string large = test::real_index(CHM_TEST_DATA, "conda-forge/linux-64");
    CHECK(check_repodata(large, "linux-64"));
}

TEST_CASE("repodata: the corner cases of other projects pass") {
    struct Case {
        const char* file;
        const char* subdir;
        std::uint64_t records;
    };
    for (const Case& c : {Case{"version-2.json", "linux-64", 2},
                          Case{"version-2-missing-base-url.json", "linux-64", 2},
                          Case{"empty.json", "noarch", 0},
                          Case{"conditional.json", "noarch", 7},
                          Case{"optional-dependencies.json", "noarch", 4}}) {
        CAPTURE(c.file);
        std::string json = corner(c.file);
        const auto summary = check_repodata(json, c.subdir);
        REQUIRE_MESSAGE(summary, summary.error().message);
        CHECK(summary->records == c.records);
        const auto published = with_base_url(json, "https://example.org/x");
        REQUIRE(published);
        std::string again = *published;
        const auto republished = check_repodata(again, c.subdir);
        REQUIRE(republished);
        CHECK(republished->base_url == "https://example.org/x");
        CHECK(republished->records == summary->records);
    }
    std::string json = corner("version-2.json");
    CHECK(check_repodata(json, "linux-64")->base_url ==
          "https://repo.anaconda.com/repo/main/linux-64/");
}

TEST_CASE("repodata: what is no index is refused with its reason") {
    CHECK(says(fault(""), "empty"));
    CHECK(says(fault(" \n\t "), "empty"));
    CHECK(says(fault("<!DOCTYPE html><html>Please log in</html>"), "HTML"));
    CHECK(says(fault(std::string(5000, ' ') + "\n<html>"), "HTML"));
    CHECK(says(fault("[]"), "not a JSON object"));
    CHECK(says(fault("\"packages\""), "not a JSON object"));
    CHECK(says(fault("404: Not Found"), "not a JSON object"));
    CHECK(says(fault(std::string("\0\0", 2)), "not a JSON object"));
    CHECK(says(fault("{}"), "neither"));
    CHECK(says(fault(R"({"info":{"subdir":"linux-64"}})"), "neither"));
    CHECK(says(fault(R"({"info":{"subdir":"osx-arm64"},"packages":{}})"), "osx-arm64"));
    CHECK(says(fault("{\"info\":{\"subdir\":\"\\u001b[2J\"},\"packages\":{}}"), "\\x1b"));
}

TEST_CASE("repodata: members of the wrong type are named") {
    for (const char* text : {R"({"packages":[]})",
                             R"({"packages":null})",
                             R"({"packages":{"a":1}})",
                             R"({"packages.conda":{"a":[]}})",
                             R"({"info":[],"packages":{}})"}) {
        CAPTURE(text);
        CHECK(says(fault(text), "not an object"));
    }
}

TEST_CASE("repodata: an info that says nothing readable is no fault") {
    CHECK(fault(R"({"info":{},"packages":{}})").empty());
    CHECK(fault(R"({"info":{"subdir":null,"base_url":5},"packages":{}})").empty());
    CHECK(fault(R"({"info":{"subdir":{"a":[1,{}]}},"packages":{}})").empty());
}

TEST_CASE("repodata: records of v3 count (CEP 48), and it must be what it should be") {
    std::string text =
        R"({"packages":{"a-1-0.conda":{}},"v3":{"conda":{"a-2-0":{"timestamp":5}},"tar.bz2":{}}})";
    const auto summary = check_repodata(text, "linux-64");
    REQUIRE(summary);
    CHECK(summary->records == 2);
    CHECK(summary->newest_timestamp == 5);
    CHECK(says(fault(R"({"packages":{},"v3":[]})"), "not an object"));
    CHECK(says(fault(R"({"packages":{},"v3":{"conda":{"a-2-0":7}}})"), "not an object"));
}

TEST_CASE("repodata: channel_relations are kept as written (CEP 42)") {
    const auto relations = [](std::string_view value) {
        std::string text = R"({"info":{"channel_relations":)" + std::string(value) +
                           R"(,"subdir":"linux-64"},"packages":{}})";
        const auto summary = check_repodata(text, "linux-64");
        REQUIRE(summary);
        CHECK(summary->subdir == "linux-64");
        return summary->relations;
    };
    CHECK(relations(R"({"base":"../conda-forge","overrides":"../..","more":[1]})") ==
          conda::ChannelRelations{"../conda-forge", "../.."});
    CHECK(relations(R"({"base":7,"overrides":null})").empty());
    CHECK(relations("{}").empty());
    CHECK(relations("[]").empty());
    CHECK(relations("\"../x\"").empty());
    CHECK(relations("{\"base\":\"../" + std::string(100'000, 'a') + "\"}").base.size() == 1024);
}

TEST_CASE("repodata: a file cut short anywhere is refused") {
    const std::string whole = test::real_index(CHM_TEST_DATA, "nvidia/noarch");
    REQUIRE(whole.size() > 1000);
    for (std::size_t part = 0; part < 50; ++part) {
        CAPTURE(part);
        std::string cut = whole.substr(0, whole.size() * part / 50);
        CHECK_FALSE(check_repodata(cut, "noarch"));
    }
    const std::string small = test::small_index("linux-64", {"a-1-0", "b-2-1"});
    for (std::size_t length = 0; length < small.size(); ++length) {
        CAPTURE(length);
        CHECK_FALSE(fault(small.substr(0, length)).empty());
    }
    CHECK(says(fault(small.substr(0, small.size() - 1)), "cut short"));
    CHECK(says(fault(small.substr(0, small.find("linux-64") + 3)), "cut short"));
}

TEST_CASE("repodata: nothing may follow the object") {
    const std::string index = test::small_index("linux-64", {"a-1-0"});
    CHECK(fault(index + "\n \t\r\n").empty());
    for (const char* rest : {"x", "{}", "]", "}", "\"", " 1", ",", "null"}) {
        CAPTURE(rest);
        CHECK_FALSE(fault(index + rest).empty());
    }
    CHECK_FALSE(fault(index + std::string(1, '\0')).empty());
    CHECK_FALSE(fault(index + index).empty());
}

TEST_CASE("repodata: invalid UTF-8 is refused wherever it is") {
    CHECK(says(fault(with_value("\"\xff\"")), "UTF-8"));
    CHECK(says(fault(with_value("\"\xed\xa0\x80\"")), "UTF-8"));
    CHECK(fault(with_value("\"\xf0\x9f\x90\x8d\"")).empty());
}

TEST_CASE("repodata: a nonsense value deep in a record is met") {
    for (const char* value :
         {"nonsense", "truee", "nul",     "01",    "1.",  "-",   ".5",     "+1",
          "1e",       "0x10",  "[1,]",    "[1 2]", "[}",  "{]",  "{1:2}",  "{\"a\"}",
          "{\"a\":}", "'a'",   "\"\\x\"", "[,]",   "[1}", "NaN", "\"\n\"", "1 2",
          "\"a\"b",   "",      "[[]",     "1\f",   "--1", "1e+", "[\"a]",  "{\"a\":1,}"}) {
        CAPTURE(value);
        CHECK_FALSE(fault(with_value(value)).empty());
        CHECK_FALSE(fault(R"({"packages":{},"unknown":)" + std::string(value) + "}").empty());
    }
    for (const char* value : {"0",
                              "-0",
                              "1.5",
                              "-1.5e-300",
                              "1E+400",
                              "123456789012345678901234567890",
                              "true",
                              "false",
                              "null",
                              "[]",
                              "{}",
                              "[ 1 , [ ] , { \"a\" : null } ]",
                              "\"\\u00e9\\n\\\"\"",
                              "\"\""}) {
        CAPTURE(value);
        CHECK(fault(with_value(value)).empty());
    }
}

TEST_CASE("repodata: nesting is bounded") {
    const auto nested = [](std::size_t depth) {
        return with_value(std::string(depth, '[') + std::string(depth, ']'));
    };
    CHECK(fault(nested(30)).empty());
    CHECK(says(fault(nested(100)), "too deep"));
    CHECK(says(fault(nested(5000)), "too deep"));
    CHECK_FALSE(fault(nested(1'000'000)).empty());
    CHECK_FALSE(fault(with_value(std::string(1'000'000, '['))).empty());
    std::string objects;
    for (int i = 0; i < 100'000; ++i) {
        objects += "{\"a\":";
    }
    CHECK_FALSE(fault(with_value(objects + "1" + std::string(100'000, '}'))).empty());
}

TEST_CASE("repodata: white space is where JSON allows it") {
    std::string odd =
        "\r\n\t {\t\"info\" :\n{ \"subdir\"\r:\t\"linux-64\" } ,\"packages\"\n:\n{ } , "
        "\"packages.conda\": "
        "{\t\"a-1-0.conda\" : { \"timestamp\" : 17 \n} } }\n\n";
    const auto summary = check_repodata(odd, "linux-64");
    REQUIRE(summary);
    CHECK(summary->records == 1);
    CHECK(summary->newest_timestamp == 17);
    CHECK(fault("\f{\"packages\":{}}") != "");
}

/// `before` with each (old, new) replaced once, to compare everything outside the edits.
std::string replaced(std::string before, std::string_view old_text, std::string_view new_text) {
    const auto at = before.find(old_text);
    REQUIRE(at != std::string::npos);
    return before.replace(at, old_text.size(), new_text);
}

TEST_CASE("with_base_url: every place of info and version, byte for byte") {
    struct Case {
        const char* before;
        const char* after;
    };
    for (
        const Case& c : {
            Case{R"({"packages":{}})",
                 R"({"info":{"base_url":"U"},"repodata_version":2,"packages":{}})"},
            Case{R"( { "packages" : { } } )",
                 R"( {"info":{"base_url":"U"},"repodata_version":2, "packages" : { } } )"},
            Case{R"({"info":{},"packages":{},"repodata_version":1})",
                 R"({"info":{"base_url":"U"},"packages":{},"repodata_version":2})"},
            Case{
                R"({"info":{ "subdir":"s" },"packages":{},"repodata_version": 1 })",
                R"({"info":{"base_url":"U", "subdir":"s" },"packages":{},"repodata_version": 2 })"},
            Case{R"({"info":{"base_url":"old","k":[1, 2]},"packages":{},"repodata_version":2})",
                 R"({"info":{"base_url":"U","k":[1, 2]},"packages":{},"repodata_version":2})"},
            Case{
                R"({"info":{"k":0,"base_url" : "o\"l\\d" , "z":{}},"packages":{},"repodata_version":2})",
                R"({"info":{"k":0,"base_url" : "U" , "z":{}},"packages":{},"repodata_version":2})"},
            Case{R"({"info":{"base_url":{"a":[1]}},"packages":{},"repodata_version":[1]})",
                 R"({"info":{"base_url":"U"},"packages":{},"repodata_version":2})"},
            Case{R"({"info":{"base_url":null},"packages":{},"repodata_version":null})",
                 R"({"info":{"base_url":"U"},"packages":{},"repodata_version":2})"},
            Case{R"({"info":{"base_url":"x","base_url":"y"},"packages":{},"repodata_version":"1"})",
                 R"({"info":{"base_url":"U","base_url":"U"},"packages":{},"repodata_version":2})"},
            Case{R"({"repodata_version":1,"packages":{},"info":{"base_url":"x"}})",
                 R"({"repodata_version":2,"packages":{},"info":{"base_url":"U"}})"},
            Case{R"({"repodata_version":3,"packages":{},"info":{"base_url":"x"}})",
                 R"({"repodata_version":3,"packages":{},"info":{"base_url":"U"}})"},
            Case{
                R"({"b\u0061se_url":1,"info":{"b\u0061se_url":"x"},"packages":{},"repodata_version":2})",
                R"({"b\u0061se_url":1,"info":{"b\u0061se_url":"U"},"packages":{},"repodata_version":2})"},
        }) {
        CAPTURE(c.before);
        std::string json = c.before;
        const auto edited = with_base_url(json, "U");
        REQUIRE_MESSAGE(edited, edited.error().message);
        CHECK(*edited == c.after);
        CHECK(json == c.before);
        CHECK(parse_json(*edited));
    }
}

TEST_CASE("with_base_url: the URL is escaped as JSON text") {
    std::string json = R"({"packages":{}})";
    const auto edited = with_base_url(json, "a\"b\\c\nd");
    REQUIRE(edited);
    CHECK(says(*edited, R"("base_url":"a\"b\\c\nd")"));
}

TEST_CASE("with_base_url: unknown keys and record bytes survive in a real index") {
    for (const char* place : {"nvidia/noarch", "nvidia/linux-64", "pytorch/linux-64"}) {
        CAPTURE(place);
        const std::string subdir = std::string(place).substr(std::string(place).find('/') + 1);
        std::string json = test::real_index(CHM_TEST_DATA, place);
        REQUIRE_FALSE(json.empty());
        json.insert(json.rfind('}'), R"(,"v4" : {"x":[ 1,2 ]} ,"é":"\u00e9")");
        REQUIRE(check_repodata(json, subdir));
        const auto edited = with_base_url(json, "https://u/x");
        REQUIRE(edited);
        std::string expected =
            replaced(json, "\"info\": {", R"("info": {"base_url":"https://u/x",)");
        expected = replaced(expected, "\"repodata_version\": 1", "\"repodata_version\": 2");
        CHECK(*edited == expected);
        std::string again = *edited;
        const auto summary = check_repodata(again, subdir);
        REQUIRE(summary);
        CHECK(summary->base_url == "https://u/x");
        CHECK(summary->records == check_repodata(json, subdir)->records);
        CHECK(with_base_url(again, "https://u/x") == *edited);
    }
}

TEST_CASE("repodata: the empty index passes and can be published") {
    std::string json = empty_repodata("noarch");
    const auto summary = check_repodata(json, "noarch");
    REQUIRE(summary);
    CHECK(summary->subdir == "noarch");
    CHECK(summary->records == 0);
    const auto edited = with_base_url(json, "https://u/x");
    REQUIRE(edited);
    std::string again = *edited;
    CHECK(check_repodata(again, "noarch")->base_url == "https://u/x");
}

}  // namespace
}  // namespace chm::channels
