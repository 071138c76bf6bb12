// closed_index.cpp: which bytes go, which stay, and that nothing leads away.
#include "channels/closed_index.hpp"

#include "base/json.hpp"
#include "channels/repodata.hpp"
#include "channels/subdir_index.hpp"
#include "support/golden.hpp"
#include "support/mirror_check.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chm::channels {
namespace {

using Names = std::set<std::string, std::less<>>;

std::string closed(std::string json, const Names& stored) {
    const auto summary = check_repodata(json, "linux-64");
    REQUIRE_MESSAGE(summary, (summary ? "" : summary.error().message));
    auto index = close_index(json, [&](std::string_view fn) { return stored.contains(fn); });
    REQUIRE_MESSAGE(index, (index ? "" : index.error().message));
    std::string again = index->json;
    const auto after = check_repodata(again, "linux-64");
    REQUIRE_MESSAGE(after, (after ? "" : after.error().message));
    CHECK(after->records == index->records);
    CHECK(foreign_urls(again, 10)->empty());
    return index->json;
}

std::vector<std::string> urls(std::string json, std::size_t limit = 100) {
    REQUIRE(check_repodata(json, "linux-64"));
    const auto found = foreign_urls(json, limit);
    REQUIRE(found);
    return *found;
}

/// An index of every kind of member, as conda-index would indent it.
constexpr std::string_view k_rich = R"({
  "info": {
    "base_url": "https://repo.example.org/c/linux-64/",
    "channel_relations": {"base": "../conda-forge"},
    "repodata_revisions": {
      "v3": {"message": "hello", "n_packages": 3, "newest": 30, "oldest": 10, "more": [1]},
      "v4": {"n_packages": 1}
    },
    "shards_base_url": "https://shards.example.org/",
    "subdir": "linux-64"
  },
  "packages": {
    "a-1-0.tar.bz2": {"name": "a", "version": "1", "build": "0"},
    "b-1-0.tar.bz2": {
      "name": "b",
      "url": "https://cdn.example.org/b-1-0.tar.bz2",
      "unknown": [ 1 , {"url": "kept"} ]
    }
  },
  "packages.conda": {
    "c-1-0.conda": {"url": "x", "name": "c"},
    "d-1-0.conda": {"name": "d", "indexed_timestamp": 99}
  },
  "removed": ["z-1-0.conda"],
  "repodata_version": 2,
  "signatures": {
    "a-1-0.tar.bz2": {"key": {"signature": "aa"}},
    "b-1-0.tar.bz2": {"key": {"signature": "bb"}}
  },
  "unknown": {"url": "https://elsewhere.example.org"},
  "v3": {
    "conda": {
      "e-1-0": {"name": "e", "indexed_timestamp": 10},
      "f-1-0": {"name": "f", "indexed_timestamp": 20, "\u0075rl": "https://cdn.example.org/f"},
      "g-1-0": {"name": "g", "indexed_timestamp": 30}
    },
    "tar.bz2": {}
  },
  "v4": {"conda": {"h-1-0": {"url": "https://cdn.example.org/h"}}}
}
)";

}  // namespace

TEST_CASE("closed_index: a small index of every kind of member") {
    test::golden::check(
        closed(std::string(k_rich), {"b-1-0.tar.bz2", "d-1-0.conda", "f-1-0.conda"}),
        "channels/closed.json");
    test::golden::check(closed(std::string(k_rich), {}), "channels/closed-empty.json");
}

TEST_CASE("closed_index: an index that is closed already does not change by a byte") {
    const std::string plain =
        R"({ "info":{"subdir":"linux-64"} ,"packages":{"a-1-0.tar.bz2":{ "x" : [1, 2] }},)"
        R"("packages.conda":{ },"removed":[],"repodata_version":1,"é":"\u00e9"})";
    CHECK(closed(plain, {"a-1-0.tar.bz2"}) == plain);
    const std::string once = closed(std::string(k_rich), {"a-1-0.tar.bz2", "e-1-0.conda"});
    CHECK(closed(once, {"a-1-0.tar.bz2", "e-1-0.conda"}) == once);
}

TEST_CASE("closed_index: minified, what goes takes its comma along") {
    struct Case {
        const char* before;
        const char* after;
    };
    const Names stored = {"b-1-0.conda"};
    for (const Case& c : {
             Case{R"({"packages":{"a-1-0.conda":{},"b-1-0.conda":{},"c-1-0.conda":{}}})",
                  R"({"packages":{"b-1-0.conda":{}}})"},
             Case{R"({"packages":{"a-1-0.conda":{"x":{}}}})", R"({"packages":{}})"},
             Case{R"({"packages":{"b-1-0.conda":{"url":"x"}}})",
                  R"({"packages":{"b-1-0.conda":{}}})"},
             Case{R"({"packages":{"b-1-0.conda":{"url":{"y":["z"]},"n":1}}})",
                  R"({"packages":{"b-1-0.conda":{"n":1}}})"},
             Case{R"({"packages":{"b-1-0.conda":{"n":1,"url":null,"m":2,"url":[]}}})",
                  R"({"packages":{"b-1-0.conda":{"n":1,"m":2}}})"},
             Case{R"({"packages":{"\u0062-1-0.conda":{},"a-1-0.conda":{}}})",
                  R"({"packages":{"\u0062-1-0.conda":{}}})"},
             Case{R"({"v4":{},"packages":{}})", R"({"packages":{}})"},
             Case{R"({"packages":{},"v4":7,"v10":[],"v1":{},"v04":{},"v4x":{},"v":{}})",
                  R"({"packages":{},"v1":{},"v04":{},"v4x":{},"v":{}})"},
             Case{R"({"info":{"base_url":"x"},"packages":{},"info":{"base_url":"y","k":0}})",
                  R"({"info":{},"packages":{},"info":{"k":0}})"},
             Case{R"({"packages":{"a-1-0.conda":{}},"packages":{"b-1-0.conda":{}}})",
                  R"({"packages":{},"packages":{"b-1-0.conda":{}}})"},
         }) {
        CAPTURE(c.before);
        CHECK(closed(c.before, stored) == c.after);
    }
}

TEST_CASE("closed_index: repodata_version 2 becomes 1, others are left") {
    for (const auto& [before, after] : {std::pair{"2", "1"},
                                        std::pair{"1", "1"},
                                        std::pair{"3", "3"},
                                        std::pair{"null", "null"},
                                        std::pair{"\"2\"", "\"2\""},
                                        std::pair{"22", "22"}}) {
        CHECK(closed(fmt::format(R"({{"packages":{{}},"repodata_version": {} }})", before), {}) ==
              fmt::format(R"({{"packages":{{}},"repodata_version": {} }})", after));
    }
    CHECK(closed(R"({"info":{"repodata_version":2},"packages":{}})", {}) ==
          R"({"info":{"repodata_version":1},"packages":{}})");
}

TEST_CASE("closed_index: figures of a revision become true, also before their records") {
    const auto revision =
        [](std::string_view figures, std::string_view records, const Names& stored) {
            const std::string json =
                closed(fmt::format(R"({{"info":{{"repodata_revisions":{{"v3":{{{}}}}}}},)"
                                   R"("packages":{{}},"v3":{{"conda":{{{}}}}}}})",
                                   figures,
                                   records),
                       stored);
            const auto begin = json.find(R"("v3":{)") + 6;
            return json.substr(begin, json.find('}', begin) - begin);
        };
    constexpr std::string_view k_records =
        R"("a-1-0":{"indexed_timestamp":5},"b-1-0":{"indexed_timestamp":18446744073709551615},)"
        R"("c-1-0":{"indexed_timestamp":"7"},"d-1-0":{"indexed_timestamp":6})";
    constexpr std::string_view k_figures = R"("n_packages":4,"newest":9,"oldest":9)";
    const Names all = {"a-1-0.conda", "b-1-0.conda", "c-1-0.conda", "d-1-0.conda"};
    CHECK(revision(k_figures, k_records, all) ==
          R"("n_packages":4,"newest":18446744073709551615,"oldest":5)");
    CHECK(revision(k_figures, k_records, {"a-1-0.conda", "d-1-0.conda"}) ==
          R"("n_packages":2,"newest":6,"oldest":5)");
    CHECK(revision(k_figures, k_records, {"c-1-0.conda"}) ==
          R"("n_packages":1,"newest":null,"oldest":null)");
    CHECK(revision(k_figures, k_records, {}) == R"("n_packages":0,"newest":null,"oldest":null)");
    CHECK(revision(R"("n_packages": null ,"message":"m")", k_records, all) ==
          R"("n_packages": null ,"message":"m")");
    CHECK(revision(R"("n_packages":"many","oldest":[1])", k_records, {"d-1-0.conda"}) ==
          R"("n_packages":1,"oldest":6)");
    CHECK(revision("", k_records, all).empty());
}

TEST_CASE("closed_index: odd members of info and of the root are left as they are") {
    for (const char* json : {R"({"packages":{},"info":{"repodata_revisions":[1]}})",
                             R"({"packages":{},"info":{"repodata_revisions":{"v3":7}}})",
                             R"({"packages":{},"signatures":["a-1-0.conda"]})",
                             R"({"packages":{},"signatures":null,"v3":{}})",
                             R"({"packages":{},"v3":{"":{}},"url":"https://x"})"}) {
        CAPTURE(json);
        CHECK(closed(json, {}) == json);
    }
}

TEST_CASE("closed_index: records of v3 are asked for by their file's whole name") {
    std::vector<std::string> asked;
    std::string json =
        R"({"packages":{"p-1-0.tar.bz2":{}},"v3":{"conda":{"a-1-0":{}},"whl":{"b-1-0":{}}}})";
    const auto index = close_index(json, [&](std::string_view fn) {
        asked.emplace_back(fn);
        return true;
    });
    REQUIRE(index);
    CHECK(index->records == 3);
    CHECK(asked == std::vector<std::string>{"p-1-0.tar.bz2", "a-1-0.conda", "b-1-0.whl"});
}

TEST_CASE("closed_index: damaged text is an error, not a crash") {
    const std::string whole(k_rich);
    for (std::size_t length = 0; length < whole.size() - 2; ++length) {
        std::string cut = whole.substr(0, length);
        const auto index = close_index(cut, [](std::string_view fn) { return fn.size() % 2 == 0; });
        CHECK_FALSE(index);
        CHECK_FALSE(foreign_urls(cut, 5));
    }
    for (const char* text : {"",
                             "[]",
                             "7",
                             R"({"packages":[]})",
                             R"({"packages":{"a":1}})",
                             R"({"info":[],"packages":{}})",
                             R"({"packages":{},"v3":[]})"}) {
        std::string json = text;
        const auto index = close_index(json, [](std::string_view) { return true; });
        REQUIRE_FALSE(index);
        CHECK(index.error().kind == ErrorKind::integrity);
    }
}

TEST_CASE("foreign_urls: what leads away from the index's own folder") {
    const auto with_url = [](std::string_view url) {
        return urls(fmt::format(R"({{"packages":{{"a-1-0.conda":{{"url":"{}"}}}}}})", url));
    };
    for (const char* url : {"https://h/x",
                            "HTTP://h",
                            "file:///x",
                            "s3+x.y-z://b",
                            "//h/x",
                            "\\\\\\\\h\\\\x",
                            "/\\\\h",
                            " \\t//h",
                            "\\n https://h",
                            "data:x",
                            "oci://h",
                            "htt\\u0070s://h"}) {
        CAPTURE(url);
        CHECK(with_url(url).size() == 1);
    }
    for (const char* url :
         {"", "a-1-0.conda", "../x/a", "/x/a", "./a:b", "1a:b", ":a", "/", "é:x"}) {
        CAPTURE(url);
        CHECK(with_url(url).empty());
    }
    CHECK(with_url("htt\\u0070s://h") == std::vector<std::string>{"https://h"});
}

TEST_CASE("foreign_urls: in every place that clients follow, up to a limit") {
    CHECK(urls(std::string(k_rich)) ==
          std::vector<std::string>{"https://repo.example.org/c/linux-64/",
                                   "https://shards.example.org/",
                                   "https://cdn.example.org/b-1-0.tar.bz2",
                                   "https://cdn.example.org/f"});
    CHECK(urls(std::string(k_rich), 1).size() == 1);
    CHECK(urls(std::string(k_rich), 0).empty());
    CHECK(urls(R"({"packages":{"a":{"url":7}},"info":{"base_url":null}})").empty());
}

namespace {

/// File name → bytes of its record.
using Records = std::map<std::string, std::string, std::less<>>;

/// By a reader that has nothing to do with simdjson's On-Demand: brackets and quotes.
Records records_in(std::string_view json, std::string_view section) {
    Records records;
    std::size_t at = json.find(fmt::format("\"{}\": {{", section));
    REQUIRE(at != std::string_view::npos);
    at = json.find('{', at) + 1;
    while (true) {
        at = json.find_first_not_of(" \n,", at);
        if (json[at] == '}') {
            return records;
        }
        const std::size_t key_end = json.find('"', at + 1);
        const std::size_t begin = json.find('{', key_end);
        std::size_t end = begin;
        int depth = 0;
        for (bool in_text = false; end == begin || depth > 0; ++end) {
            const char c = json[end];
            if (in_text) {
                end += c == '\\' ? 1U : 0U;
                in_text = c != '"';
            } else {
                in_text = c == '"';
                depth += (c == '{' ? 1 : 0) - (c == '}' ? 1 : 0);
            }
        }
        records.emplace(json.substr(at + 1, key_end - at - 1), json.substr(begin, end - begin));
        at = end;
    }
}

std::vector<std::string> loaded(std::string json, const std::string& subdir) {
    auto index = SubdirIndex::open(std::move(json), {"c", "https://example.org/c"}, subdir);
    REQUIRE(index);
    std::vector<std::string> found;
    for (const std::string_view name : index->names()) {
        RecordSet records;
        index->load(name, records);
        for (const conda::Record& record : records.records()) {
            found.push_back(fmt::format(
                "{} {} {}", record.fn, record.timestamp, fmt::join(record.depends, ";")));
        }
    }
    std::ranges::sort(found);
    return found;
}

bool pick(std::string_view fn, unsigned seed) {
    unsigned hash = seed * 2654435761U + 1;
    for (const char c : fn) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    }
    return (hash >> 16) % 4 < seed % 5;  // nothing for 0, all for 4
}

}  // namespace

TEST_CASE("closed_index: any subset of real indexes keeps exactly its records, byte for byte") {
    for (const char* place : {"nvidia/noarch", "nvidia/linux-64", "pytorch/linux-64"}) {
        const std::string subdir = std::string(place).substr(std::string(place).find('/') + 1);
        std::string json = test::real_index(CHM_TEST_DATA, place);
        REQUIRE_FALSE(json.empty());
        const auto all = loaded(json, subdir);
        for (unsigned seed = 0; seed < 10; ++seed) {
            CAPTURE(place);
            CAPTURE(seed);
            const auto index =
                close_index(json, [&](std::string_view fn) { return pick(fn, seed); });
            REQUIRE(index);
            std::string after = index->json;
            const auto summary = check_repodata(after, subdir);
            REQUIRE(summary);
            CHECK(summary->records == index->records);
            std::uint64_t kept = 0;
            for (const char* section : {"packages", "packages.conda"}) {
                Records expected = records_in(json, section);
                std::erase_if(expected, [&](const auto& r) { return !pick(r.first, seed); });
                kept += expected.size();
                CHECK(records_in(after, section) == expected);
            }
            CHECK(index->records == kept);
            auto expected = all;
            std::erase_if(expected, [&](const std::string& line) {
                return !pick(line.substr(0, line.find(' ')), seed);
            });
            CHECK(loaded(index->json, subdir) == expected);
            CHECK(close_index(after, [](std::string_view) { return true; })->json == after);
            CHECK((seed % 5 != 4 || after == json));
        }
    }
}

}  // namespace chm::channels
