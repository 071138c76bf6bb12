// json_edits.cpp: edits in any order, and members cut with their commas.
#include "channels/json_edits.hpp"

#include "base/json.hpp"
#include "channels/repodata.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace chm::channels {
namespace {

/// An object of the members a to e (values 1 to 5) with `space` around every token, without those
/// of `cut`.
std::string without(std::string_view cut, std::string_view space, std::size_t members) {
    const std::string s(space);
    std::string json = "[{" + s;
    std::vector<std::size_t> keys;
    for (std::size_t i = 0; i < members; ++i) {
        json += i == 0 ? "" : "," + s;
        keys.push_back(json.size());
        json += std::string("\"") + static_cast<char>('a' + i) + "\"" + s + ":" + s;
        json += std::to_string(i + 1) + s;
    }
    json += "}" + s + "]";
    JsonEdits edits(json);
    MemberCutter cutter(edits);
    for (std::size_t i = 0; i < members; ++i) {
        const char* key = json.data() + keys[i];
        if (cut.find(static_cast<char>('a' + i)) == std::string_view::npos) {
            cutter.keep(key);
        } else {
            const std::size_t value = json.find(std::to_string(i + 1), keys[i]);
            cutter.cut(key, std::string_view(json).substr(value, 1 + s.size()));
        }
    }
    cutter.finish();
    return edits.apply();
}

}  // namespace

TEST_CASE("json_edits: no edit gives the same text, with room for simdjson") {
    const std::string json = "{\"a\": 1}";
    JsonEdits edits(json);
    const std::string same = edits.apply();
    CHECK(same == json);
    CHECK(same.capacity() >= json.size() + k_json_padding);
}

TEST_CASE("json_edits: replacing, inserting and cutting, told in any order") {
    const std::string json = "0123456789";
    JsonEdits edits(json);
    edits.replace(std::string_view(json).substr(7, 2), "xyz");
    edits.cut(1, 3);
    edits.insert(0, "<");
    edits.insert(10, ">");
    CHECK(edits.offset_of(json.data() + 4) == 4);
    CHECK(edits.apply() == "<03456xyz9>");
    CHECK(edits.apply() == "<03456xyz9>");
}

TEST_CASE("json_edits: insertions at one place keep their order") {
    const std::string json = "ab";
    JsonEdits edits(json);
    edits.insert(2, "z");
    edits.insert(1, "x");
    edits.insert(1, "y");
    CHECK(edits.apply() == "axybz");
}

TEST_CASE("json_edits: members go with their commas") {
    CHECK(without("", "", 3) == R"([{"a":1,"b":2,"c":3}])");
    CHECK(without("a", "", 3) == R"([{"b":2,"c":3}])");
    CHECK(without("b", "", 3) == R"([{"a":1,"c":3}])");
    CHECK(without("c", "", 3) == R"([{"a":1,"b":2}])");
    CHECK(without("ab", "", 3) == R"([{"c":3}])");
    CHECK(without("bc", "", 3) == R"([{"a":1}])");
    CHECK(without("ac", "", 3) == R"([{"b":2}])");
    CHECK(without("abc", "", 3) == "[{}]");
    CHECK(without("a", "", 1) == "[{}]");
    CHECK(without("", "", 0) == "[{}]");
}

TEST_CASE("json_edits: white space of what stays is as it was") {
    CHECK(without("a", " ", 3) == R"([{ "b" : 2 , "c" : 3 } ])");
    CHECK(without("b", " ", 3) == R"([{ "a" : 1 , "c" : 3 } ])");
    CHECK(without("c", " ", 3) == R"([{ "a" : 1 , "b" : 2 } ])");
    CHECK(without("bc", "\n\t ", 3) == "[{\n\t \"a\"\n\t :\n\t 1\n\t }\n\t ]");
    CHECK(without("abc", "\r\n  ", 3) == "[{}\r\n  ]");
}

TEST_CASE("json_edits: every subset of members leaves JSON with exactly the others") {
    for (const std::string_view space : {"", " ", "\n  "}) {
        for (unsigned subset = 0; subset < 32; ++subset) {
            std::string cut;
            std::string expected;
            for (unsigned i = 0; i < 5; ++i) {
                if ((subset >> i & 1U) != 0) {
                    cut += static_cast<char>('a' + i);
                } else {
                    expected += (expected.empty() ? "" : ",") + std::string("\"") +
                                static_cast<char>('a' + i) + "\":" + std::to_string(i + 1);
                }
            }
            CAPTURE(cut);
            const auto json = parse_json(without(cut, space, 5));
            REQUIRE(json);
            CHECK(to_json(*json) == "[{" + expected + "}]");
        }
    }
}

}  // namespace chm::channels
