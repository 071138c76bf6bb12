// Sharded repodata: on a whole real channel as a server serves it, and on odd indexes.
#include "channels/shards.hpp"

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/zstd.hpp"
#include "channels/msgpack.hpp"
#include "channels/repodata.hpp"
#include "support/mirror_check.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace chm::channels {
namespace {

std::string real(const std::string& name) {
    const auto bytes =
        read_file(std::string(CHM_TEST_DATA) + "/sharded-channel/" + name, test::k_test_limit);
    REQUIRE(bytes);
    return *bytes;
}

Json decoded(std::string_view compressed) {
    const auto packed = zstd_decompress(compressed, {test::k_test_limit});
    REQUIRE(packed);
    auto value = parse_msgpack(*packed);
    REQUIRE_MESSAGE(value, value.error().message);
    return std::move(*value);
}

ShardedIndex sharded(std::string json, std::string_view package_url = "") {
    REQUIRE(check_repodata(json, "linux-64"));
    auto result = make_shards(json, package_url);
    REQUIRE_MESSAGE(result, result.error().message);
    return std::move(*result);
}

const Shard& shard_of(const ShardedIndex& index, std::string_view name) {
    const auto found = std::ranges::find(index.shards, name, &Shard::name);
    REQUIRE(found != index.shards.end());
    return *found;
}

TEST_CASE("shards: a real channel's say what ours say") {
    const auto theirs = parse_shard_index(real("repodata_shards.msgpack.zst"));
    REQUIRE(theirs);
    CHECK(theirs->size() == 12);
    const ShardedIndex ours = sharded(real("repodata.json"));
    CHECK(ours.shards.size() == theirs->size());
    const Json repodata = *parse_json(real("repodata.json"));
    for (const auto& [name, digest] : *theirs) {
        CAPTURE(name);
        const std::string bytes = real("shards/" + shard_file_name(digest));
        CHECK(sha256(bytes) == digest);
        const Json upstream = decoded(bytes);
        const Json mine = decoded(shard_of(ours, name).bytes);
        REQUIRE(upstream.find("packages.conda") != nullptr);
        const Json::Object& records = *upstream.find("packages.conda")->as_object();
        CHECK(records.size() == mine.find("packages.conda")->as_object()->size());
        for (const auto& [fn, record] : records) {
            const Json* own = mine.find("packages.conda")->find(fn);
            REQUIRE(own != nullptr);
            CHECK(own->text("sha256") == record.text("sha256"));
            CHECK(*own == *repodata.find("packages.conda")->find(fn));
        }
    }
}

TEST_CASE("shards: the index says where the shards and the packages are") {
    const ShardedIndex index = sharded(
        R"({"info":{"subdir":"linux-64","base_url":"https://u/x","channel_relations":{"base":"../b"}},
            "packages":{},"packages.conda":{},"repodata_version":2})",
        "https://packages.example/c/linux-64");
    const Json document = decoded(index.index);
    const Json* info = document.find("info");
    REQUIRE(info != nullptr);
    CHECK(*document.find("version") == Json(1));
    CHECK(info->text("base_url") == "https://packages.example/c/linux-64");
    CHECK(info->text("shards_base_url") == "./shards/");
    CHECK(info->text("subdir") == "linux-64");
    CHECK(info->find("channel_relations")->text("base") == "../b");
    CHECK(parse_shard_index(index.index)->empty());
}

TEST_CASE("shards: digests are bytes, everything else is kept as it is") {
    const std::string hex = sha256("a").hex();
    const ShardedIndex index = sharded(
        R"({"packages":{"a-1-0.tar.bz2":{"name":"a","sha256":")" + hex +
        R"(","md5":"NOT ONE","x":[1,{"y":null}],"size":3}},"removed":["a-0-0.tar.bz2","b-0-0.conda"],)"
        R"("v3":{"conda":{"a-2-0":{"name":"a"}}},"packages.conda":{}})");
    REQUIRE(index.shards.size() == 2);
    const Shard& a = shard_of(index, "a");
    CHECK(sha256(a.bytes) == a.sha256);
    const std::string packed = *zstd_decompress(a.bytes, {test::k_test_limit});
    CHECK(packed.find(hex) == std::string::npos);
    const Json shard = decoded(a.bytes);
    const Json* record = shard.find("packages")->find("a-1-0.tar.bz2");
    REQUIRE(record != nullptr);
    CHECK(to_json(*record) ==
          R"({"name":"a","sha256":")" + hex + R"(","md5":"NOT ONE","x":[1,{"y":null}],"size":3})");
    CHECK(to_json(*shard.find("removed")) == R"(["a-0-0.tar.bz2"])");
    CHECK(shard.find("v3")->find("conda")->find("a-2-0") != nullptr);
    CHECK(to_json(*decoded(shard_of(index, "b").bytes).find("removed")) == R"(["b-0-0.conda"])");
}

TEST_CASE("shards: the same index gives the same bytes, another name's change touches no shard") {
    const std::string json = test::real_index(CHM_TEST_DATA, "nvidia/linux-64");
    const ShardedIndex first = sharded(json);
    const ShardedIndex second = sharded(json);
    CHECK(first.index == second.index);
    std::string changed = json;
    changed.insert(changed.rfind('}'), R"(,"v3":{"conda":{"zzz-1-0":{"name":"zzz"}}})");
    const ShardedIndex third = sharded(changed);
    CHECK(third.shards.size() == first.shards.size() + 1);
    for (const Shard& shard : first.shards) {
        CHECK(shard_of(third, shard.name).sha256 == shard.sha256);
    }
}

TEST_CASE("shards: an index of shards that is none is an integrity error") {
    for (const std::string& bytes : {std::string(),
                                     std::string("x"),
                                     *zstd_compress("\x80", 3),
                                     *zstd_compress("\x81\xa6shards\x90", 3),
                                     *zstd_compress("\x81\xa6shards\x81\xa1"
                                                    "a\x01",
                                                    3)}) {
        CHECK_FALSE(parse_shard_index(bytes));
    }
}

}  // namespace
}  // namespace chm::channels
