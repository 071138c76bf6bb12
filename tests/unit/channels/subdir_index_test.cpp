// SubdirIndex: records by name, on real data, odd data and damaged data.
#include "channels/subdir_index.hpp"

#include "channels/repodata.hpp"
#include "support/mirror_check.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace chm::channels {
namespace {

const conda::Channel k_channel{"c/label/x", "https://example.org/c/label/x"};

SubdirIndex open_or_fail(std::string json, const std::string& subdir = "linux-64") {
    REQUIRE(check_repodata(json, subdir));
    auto index = SubdirIndex::open(std::move(json), k_channel, subdir);
    REQUIRE_MESSAGE(index, index.error().message);
    return std::move(*index);
}

/// The index of one record, "a-1-0.conda", whose body is `members`.
std::string one_record(std::string_view members, std::string_view fn = "a-1-0.conda") {
    return fmt::format(R"({{"packages":{{}},"packages.conda":{{"{}":{{{}}}}}}})", fn, members);
}

/// Loads the only record of "a"; fails the test when there is none.
RecordSet load_a(std::string_view more) {
    const SubdirIndex index =
        open_or_fail(one_record(R"("name":"a","version":"1","build":"0")" + std::string(more)));
    RecordSet records;
    index.load("a", records);
    return records;
}

std::string reason_for(std::string_view more) {
    const RecordSet records = load_a(more);
    CHECK(records.records().empty());
    REQUIRE(records.skipped().size() == 1);
    CHECK(records.skipped()[0].fn == "a-1-0.conda");
    return records.skipped()[0].reason;
}

void load_everything(const SubdirIndex& index, RecordSet& records) {
    for (const std::string_view name : index.names()) {
        index.load(name, records);
    }
    index.load("", records);
}

TEST_CASE("subdir_index: all records of real indexes can be read") {
    for (const char* place :
         {"nvidia/noarch", "nvidia/linux-64", "pytorch/linux-64", "conda-forge/noarch"}) {
        CAPTURE(place);
        const std::string subdir = std::string(place).substr(std::string(place).find('/') + 1);
        std::string json = test::real_index(CHM_TEST_DATA, place);
        const auto summary = check_repodata(json, subdir);
        REQUIRE(summary);
        const SubdirIndex index = open_or_fail(json, subdir);
        const auto names = index.names();
        CHECK(std::is_sorted(names.begin(), names.end()));
        RecordSet records;
        load_everything(index, records);
        CHECK(records.skipped().empty());
        CHECK(records.records().size() == summary->records);
        std::uint64_t newest = 0;
        std::uint64_t hashed = 0;
        for (const conda::Record& record : records.records()) {
            newest = std::max(newest, record.timestamp);
            hashed += record.md5 || record.sha256 ? 1U : 0U;
        }
        CHECK(newest == summary->newest_timestamp);
        CHECK(hashed + 1 >= summary->records);  // one real record of pytorch's has no hash at all
    }
}

TEST_CASE("subdir_index: every field of a record") {
    const RecordSet records = load_a(
        R"(,"build_number":7,"depends":["b >=1","c"],"constrains":["d"],"track_features":"f, g","license":"MIT",
           "license_family":"MIT","features":"mkl","flags":["cuda"],"size":12,"timestamp":1700000000000,
           "md5":"D41D8CD98F00B204E9800998ECF8427E",
           "sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","new":{"x":[1]})");
    REQUIRE(records.records().size() == 1);
    const conda::Record& record = records.records()[0];
    CHECK(record.name == "a");
    CHECK(record.build == "0");
    CHECK(record.build_number == 7);
    CHECK(record.channel == "c/label/x");
    CHECK(record.subdir == "linux-64");
    CHECK(record.fn == "a-1-0.conda");
    CHECK(record.url == "https://example.org/c/label/x/linux-64/a-1-0.conda");
    REQUIRE(record.depends.size() == 2);
    CHECK(record.depends[0] == "b >=1");
    REQUIRE(record.constrains.size() == 1);
    REQUIRE(record.track_features.size() == 2);
    CHECK(record.track_features[0] == "f");
    CHECK(record.track_features[1] == "g");
    CHECK(record.license == "MIT");
    CHECK(record.license_family == "MIT");
    CHECK(record.features == "mkl");
    REQUIRE(record.flags.size() == 1);
    CHECK(record.flags[0] == "cuda");
    CHECK(record.size == 12);
    CHECK(record.timestamp == 1'700'000'000'000);
    CHECK(record.sha256 == sha256(""));
    CHECK(record.md5 == md5(""));
}

TEST_CASE("subdir_index: what real channels leave out or write oddly is read") {
    const RecordSet bare = load_a("");
    REQUIRE(bare.records().size() == 1);
    CHECK_FALSE(bare.records()[0].sha256);
    CHECK_FALSE(bare.records()[0].md5);
    CHECK_FALSE(bare.records()[0].size);
    CHECK(bare.records()[0].depends.empty());
    const RecordSet nulls = load_a(
        R"(,"depends":null,"constrains":null,"track_features":null,"sha256":null,"md5":"","size":null,"timestamp":null,"license":null)");
    REQUIRE(nulls.records().size() == 1);
    CHECK(nulls.records()[0].depends.empty());
    CHECK_FALSE(nulls.records()[0].sha256);
    const RecordSet list = load_a(R"(,"track_features":["x","y"],"size":-1,"timestamp":"soon")");
    REQUIRE(list.records().size() == 1);
    CHECK(list.records()[0].track_features.size() == 2);
    CHECK_FALSE(list.records()[0].size);
    CHECK(list.records()[0].timestamp == 0);
}

TEST_CASE("subdir_index: what cannot be read is left out with its reason") {
    CHECK(reason_for(R"(,"depends":"b")") == "its depends is not a list");
    CHECK(reason_for(R"(,"depends":[1])") == "its depends holds something other than text");
    CHECK(reason_for(R"(,"constrains":{"x":1})") == "its constrains is not a list");
    CHECK(reason_for(R"(,"sha256":"12")") == "its sha256 is malformed");
    CHECK(reason_for(R"(,"md5":"zz")") == "its md5 is malformed");
    CHECK(reason_for(R"(,"track_features":[null])") ==
          "its track_features holds something other than text");
}

TEST_CASE("subdir_index: a name or version that does not fit is left out") {
    const auto skipped = [](std::string_view members) {
        const SubdirIndex index = open_or_fail(one_record(members));
        RecordSet records;
        index.load("a", records);
        CHECK(records.records().empty());
        REQUIRE(records.skipped().size() == 1);
        return records.skipped()[0].reason;
    };
    CHECK(skipped(R"("name":"evil","version":"1","build":"0")").find("'evil'") !=
          std::string::npos);
    CHECK(skipped(R"("version":"1","build":"0")").find("name") != std::string::npos);
    CHECK(skipped(R"("name":5,"version":"1","build":"0")").find("name") != std::string::npos);
    CHECK_FALSE(skipped(R"("name":"a","build":"0")").empty());
    CHECK_FALSE(skipped(R"("name":"a","version":"1 2","build":"0")").empty());
    CHECK_FALSE(skipped(R"("name":"a","version":1,"build":"0")").empty());
}

TEST_CASE("subdir_index: unsafe file names never become records") {
    for (const char* fn : {"../x-1-0.conda",
                           "..\\\\x-1-0.conda",
                           "/x-1-0.conda",
                           "d/x-1-0.conda",
                           "x\\u0000-1-0.conda",
                           "x\\u001b[2J-1-0.conda",
                           "x-1-0.conda\\n",
                           "",
                           "..",
                           "-1-0.conda",
                           "--",
                           "x",
                           "x-1.conda"}) {
        CAPTURE(fn);
        for (const char* name : {"x", "../x", "", "d/x", "..\\\\x", "/x"}) {
            const SubdirIndex index = open_or_fail(
                one_record(fmt::format(R"("name":"{}","version":"1","build":"0")", name), fn));
            RecordSet records;
            load_everything(index, records);
            CHECK(records.records().empty());
            CHECK(records.skipped().size() == 1);
        }
    }
    const std::string longest = std::string(300, 'x') + "-1-0.conda";
    const SubdirIndex index = open_or_fail(one_record(
        fmt::format(R"("name":"{}","version":"1","build":"0")", std::string(300, 'x')), longest));
    RecordSet records;
    load_everything(index, records);
    CHECK(records.records().empty());
    CHECK(records.skipped().size() == 1);
}

TEST_CASE("subdir_index: a file that is no package's has no name of its own") {
    const SubdirIndex index = open_or_fail(R"({"packages":{"junk":{},"a-1-0.conda":{}}})");
    CHECK(index.names() == std::vector<std::string_view>{"a"});
    CHECK(index.has("a"));
    CHECK_FALSE(index.has(""));
    CHECK_FALSE(index.has("junk"));
}

TEST_CASE("subdir_index: escapes in keys are decoded") {
    const SubdirIndex index = open_or_fail(
        R"({"p\u0061ckages":{"\u0061-1-0.tar.bz2":{"n\u0061me":"\u0061","version":"1","build":"0"}}})");
    RecordSet records;
    index.load("a", records);
    REQUIRE(records.records().size() == 1);
    CHECK(records.records()[0].fn == "a-1-0.tar.bz2");
}

TEST_CASE("subdir_index: of a file that is listed twice the later one counts") {
    const SubdirIndex index = open_or_fail(
        R"({"packages":{"a-1-0.conda":{"name":"a","version":"1","build":"0","license":"old"},
                        "a-2-0.conda":{"name":"a","version":"2","build":"0"},
                        "a-1-0.conda":{"name":"a","version":"1","build":"0","license":"new"}}})");
    RecordSet records;
    index.load("a", records);
    REQUIRE(records.records().size() == 2);
    REQUIRE(records.skipped().size() == 1);
    CHECK(records.skipped()[0].reason.find("twice") != std::string::npos);
    CHECK(std::any_of(records.records().begin(), records.records().end(), [](const auto& record) {
        return record.license == "new";
    }));
}

TEST_CASE("subdir_index: duplicate keys inside a record do no harm") {
    const SubdirIndex index = open_or_fail(one_record(
        R"("name":"b","name":"a","version":"1","version":"2","build":"0","depends":[],"depends":["x"])"));
    RecordSet records;
    load_everything(index, records);
    CHECK(records.records().size() + records.skipped().size() == 1);
}

TEST_CASE("subdir_index: sections other than the packages are not read") {
    const SubdirIndex index = open_or_fail(
        R"({"v4":{"conda":{"x-1-0":{}}},"removed":["y-1-0.conda"],"packages":{},"signatures":{"z-1-0.conda":{}}})");
    CHECK(index.names().empty());
}

TEST_CASE("subdir_index: records of v3 have their extension in front (CEP 48)") {
    const SubdirIndex index = open_or_fail(
        R"({"packages":{},"packages.conda":{"a-1-0.conda":{"name":"a","version":"1","build":"0"}},
            "v3":{"conda":{"a-2-0":{"name":"a","version":"2","build":"0",
                                    "depends":["b[version=\">=2\"]"]}},
                  "tar.bz2":{"a-3-0":{"name":"a","version":"3","build":"0"}},"":{},
                  "../x":{"a-4-0":{"name":"a","version":"4","build":"0"}}}})");
    RecordSet records;
    index.load("a", records);
    REQUIRE(records.records().size() == 3);
    CHECK(records.records()[0].fn == "a-1-0.conda");
    CHECK(records.records()[1].fn == "a-2-0.conda");
    CHECK(records.records()[1].url == "https://example.org/c/label/x/linux-64/a-2-0.conda");
    CHECK(records.records()[1].depends.front() == "b[version=\">=2\"]");
    CHECK(records.records()[2].fn == "a-3-0.tar.bz2");
    REQUIRE(records.skipped().size() == 1);
    CHECK(records.skipped()[0].reason == "unsafe file name");
}

TEST_CASE("subdir_index: members of the wrong type are not taken for absent") {
    CHECK(reason_for(R"(,"sha256":12345)") == "its sha256 is no text");
    CHECK(reason_for(R"(,"md5":["a"])") == "its md5 is no text");
    CHECK(reason_for(R"(,"build_number":"7")") == "its build_number is no whole number");
    CHECK(reason_for(R"(,"build_number":-1)") == "its build_number is no whole number");
    CHECK(load_a(R"(,"build_number":null)").records().size() == 1);
}

TEST_CASE("subdir_index: what conda cannot install is no candidate") {
    const SubdirIndex index = open_or_fail(
        R"({"packages":{"a-1-0.exe":{"name":"a","version":"1","build":"0"}},
            "v3":{"whl":{"a-2-py3_none_any_0":{"name":"a","version":"2","build":"py3_none_any_0",
                                               "url":"https://u/a-2-py3-none-any.whl"}}}})");
    RecordSet records;
    index.load("a", records);
    CHECK(records.records().empty());
    REQUIRE(records.skipped().size() == 2);
    CHECK(records.skipped()[1].fn == "a-2-py3_none_any_0.whl");
    CHECK(records.skipped()[1].reason == "it is neither a .conda nor a .tar.bz2");
}

TEST_CASE("subdir_index: extras (CEP 44) and times (CEP 47)") {
    const RecordSet records = load_a(R"(,"extra_depends":{"all":["b >=1","c"],"none":[]},
        "timestamp":1700000000,"indexed_timestamp":1773851561010)");
    REQUIRE(records.records().size() == 1);
    const conda::Record& record = records.records().front();
    REQUIRE(record.extra_depends.size() == 2);
    CHECK(record.extra_depends[0].extra == "all");
    CHECK(record.extra_depends[0].depends.size() == 2);
    CHECK(record.extra_depends[0].depends[0] == "b >=1");
    CHECK(record.extra_depends[1].depends.empty());
    CHECK(record.timestamp == 1'700'000'000'000);  // seconds in old records
    CHECK(record.indexed_timestamp == 1'773'851'561'010);
    CHECK(load_a(R"(,"extra_depends":null)").records().size() == 1);
    CHECK(load_a(R"(,"timestamp":1700000001000.5)").records().front().timestamp ==
          1'700'000'001'000);
    CHECK(load_a(R"(,"timestamp":"soon")").records().front().timestamp == 0);
    CHECK(reason_for(R"(,"extra_depends":[])") == "its extra_depends is not an object");
    CHECK(reason_for(R"(,"extra_depends":{"a":"b"})") ==
          "its extra_depends holds something other than lists");
    CHECK(reason_for(R"(,"extra_depends":{"a":[1]})") ==
          "its extra_depends holds something other than text");
}

TEST_CASE("subdir_index: a name that is not there loads nothing and indexes move") {
    SubdirIndex first = open_or_fail(test::small_index("linux-64", {"a-1-0"}));
    SubdirIndex second = std::move(first);
    first = std::move(second);
    RecordSet records;
    first.load("nothing", records);
    CHECK(records.records().empty());
    CHECK(records.skipped().empty());
    CHECK(first.channel() == k_channel);
    CHECK(first.subdir() == "linux-64");
}

TEST_CASE("subdir_index: what is no index is an integrity error that names the channel") {
    for (const char* text :
         {"", "[]", "{", "<html>", R"({"packages":[]})", R"({"packages":{"a":1}})"}) {
        CAPTURE(text);
        const auto index = SubdirIndex::open(text, k_channel, "linux-64");
        REQUIRE_FALSE(index);
        CHECK(index.error().kind == ErrorKind::integrity);
        CHECK(index.error().message.find("c/label/x/linux-64") != std::string::npos);
    }
}

TEST_CASE("subdir_index: several threads load from one index") {
    const SubdirIndex index = open_or_fail(test::real_index(CHM_TEST_DATA, "nvidia/linux-64"));
    std::vector<RecordSet> sets(4);
    {
        std::vector<std::jthread> threads;
        threads.reserve(sets.size());
        for (RecordSet& set : sets) {
            threads.emplace_back([&index, &set] { load_everything(index, set); });
        }
    }
    for (const RecordSet& set : sets) {
        CHECK(set.records().size() == sets[0].records().size());
    }
}

/// One to four random changes of bytes, ranges or order.
std::string damaged(std::string text, std::mt19937& random) {
    const auto below = [&](std::size_t limit) {
        return static_cast<std::size_t>(random()) % limit;
    };
    static constexpr std::string_view k_telling = "{}[]\",:\\0-9e.\n \xff\x80ntf";
    for (std::size_t i = below(4) + 1; i > 0; --i) {
        const std::size_t at = below(text.size());
        switch (below(5)) {
            case 0:
                text[at] =
                    static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << below(8)));
                break;
            case 1:
            case 2:
                text[at] = k_telling[below(k_telling.size())];
                break;
            case 3:
                text.erase(at, below(40) + 1);
                break;
            default:
                text.insert(at, text.substr(below(text.size()), below(40)));
        }
        if (text.empty()) {
            text = " ";
        }
    }
    return text;
}

TEST_CASE("subdir_index: damaged bytes never crash, and what passes the check can be published") {
    const std::string whole = test::real_index(CHM_TEST_DATA, "pytorch/noarch");
    REQUIRE(whole.size() > 1000);
    std::mt19937 random(20261201);  // the same damage on every run
    int accepted = 0;
    for (int round = 0; round < 4000; ++round) {
        CAPTURE(round);
        std::string json = damaged(whole, random);
        const auto summary = check_repodata(json, "noarch");
        accepted += summary ? 1 : 0;
        if (summary) {
            auto published = with_base_url(json, "https://u");
            REQUIRE(published);
            const auto again = check_repodata(*published, "noarch");
            REQUIRE(again);
            CHECK(again->base_url == "https://u");
        }
        auto index = SubdirIndex::open(std::move(json), k_channel, "noarch");
        if (summary) {
            REQUIRE(index);
        }
        if (index) {
            RecordSet records;
            load_everything(*index, records);
            CHECK((!summary ||
                   records.records().size() + records.skipped().size() == summary->records));
        }
    }
    CHECK(accepted > 100);
    CHECK(accepted < 3900);
}

}  // namespace
}  // namespace chm::channels
