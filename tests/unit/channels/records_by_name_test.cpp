#include "channels/records_by_name.hpp"

#include <doctest/doctest.h>

namespace chm::channels {
namespace {

TEST_CASE("records_by_name: every member is under its name, in its own bytes") {
    std::string json =
        R"({"info": {"subdir": "noarch"} , "packages": {"a-b-1-0.tar.bz2": {"x": 1 }, "odd": {}},
            "packages.conda": {"a-b-2-0.conda": {} , "c-1-0.conda":{}}, "repodata_version": 1 ,
            "removed": ["c-0-0.conda", "d-0-0.conda"],
            "v3": {"conda": {"a-b-3-0": {"y": 2}}, "whl": {"a-b-4-0": {}}}, "signatures": {}})";
    const auto records = group_by_name(json);
    REQUIRE(records);
    CHECK(records->info == R"({"subdir": "noarch"})");
    CHECK(records->repodata_version == "1");
    CHECK(records->others == std::vector<std::string>{"signatures"});
    REQUIRE(records->names.size() == 4);
    const NameRecords& both = records->names.at("a-b");
    REQUIRE(both.packages.size() == 1);
    CHECK(both.packages[0].key == "a-b-1-0.tar.bz2");
    CHECK(both.packages[0].json == R"({"x": 1 })");
    REQUIRE(both.packages_conda.size() == 1);
    CHECK(both.packages_conda[0].json == "{}");
    REQUIRE(both.v3.size() == 2);
    CHECK(both.v3[0].first == "conda");
    CHECK(both.v3[0].second[0].json == R"({"y": 2})");
    CHECK(both.v3[1].first == "whl");
    CHECK(records->names.at("odd").packages.size() == 1);
    CHECK(records->names.at("c").removed == Json::Array{"c-0-0.conda"});
    CHECK(records->names.at("d").removed == Json::Array{"d-0-0.conda"});
}

TEST_CASE("records_by_name: what is no list of texts is told of, what is no index refused") {
    std::string odd = R"({"packages":{},"removed":["a-1-0.conda",1],"info":3})";
    const auto records = group_by_name(odd);
    REQUIRE(records);
    CHECK(records->others == std::vector<std::string>{"removed", "info"});
    for (const char* text : {"", "[]", R"({"packages":[]})", R"({"packages":{"a-1-0.conda":1}})"}) {
        std::string json = text;
        const auto refused = group_by_name(json);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().kind == ErrorKind::integrity);
    }
}

TEST_CASE("records_by_name: a file without a name in its name is a name of its own") {
    CHECK(shard_name_of("a-b-1-0.conda") == "a-b");
    CHECK(shard_name_of("a-1-0") == "a");
    CHECK(shard_name_of("a-1.conda") == "a-1.conda");
    CHECK(shard_name_of("-1-0.conda") == "-1-0.conda");
    CHECK(shard_name_of("").empty());
}

}  // namespace
}  // namespace chm::channels
