// An index out of shards has exactly the records of the index that they were made of: on a real
// sharded channel, and on real and made-up indexes under random edits.
#include "channels/shard_assembly.hpp"

#include "base/file.hpp"
#include "base/zstd.hpp"
#include "channels/msgpack.hpp"
#include "channels/repodata.hpp"
#include "support/mirror_check.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace chm::channels {
namespace {

using test::k_test_limit;

/// The members of one index that shards carry, as a set: order says nothing.
std::map<std::string, std::string> members_of(const Json& index) {
    std::map<std::string, std::string> members;
    const auto add = [&](const Json* section, const std::string& prefix) {
        if (section != nullptr && section->as_object() != nullptr) {
            for (const auto& [key, record] : *section->as_object()) {
                members.emplace(prefix + key, to_json(record));
            }
        }
    };
    add(index.find("packages"), "packages/");
    add(index.find("packages.conda"), "packages.conda/");
    if (const Json* v3 = index.find("v3"); v3 != nullptr) {
        for (const auto& [extension, section] : *v3->as_object()) {
            add(&section, "v3/" + extension + "/");
        }
    }
    if (const Json* removed = index.find("removed"); removed != nullptr) {
        for (const Json& fn : *removed->as_array()) {
            members.emplace("removed/" + *fn.as_string(), "");
        }
    }
    return members;
}

Json parsed(std::string_view json) {
    auto value = parse_json(json);
    REQUIRE_MESSAGE(value, value.error().message);
    return std::move(*value);
}

ShardContent content_of(const Shard& shard) {
    const auto packed = zstd_decompress(shard.bytes, {k_test_limit});
    REQUIRE(packed);
    auto content = read_shard(*packed, shard.name);
    REQUIRE_MESSAGE(content, content.error().message);
    return std::move(*content);
}

ShardDigests digests_of(const ShardedIndex& index) {
    ShardDigests digests;
    for (const Shard& shard : index.shards) {
        digests.emplace(shard.name, shard.sha256);
    }
    return digests;
}

struct Update {
    std::string json;
    std::size_t fetched = 0;  // shards
};

/// What a sync does with the held index and the new one's shards.
Update update(std::string held, std::string wanted) {
    const auto old_shards = make_shards(held, "");
    const auto new_shards = make_shards(wanted, "");
    REQUIRE_MESSAGE(old_shards, old_shards.error().message);
    REQUIRE(new_shards);
    const ShardDigests known = digests_of(*old_shards);
    const auto records = group_by_name(held);
    REQUIRE(records);
    std::map<std::string, ShardContent> changed;
    for (const Shard& shard : new_shards->shards) {
        const auto found = known.find(shard.name);
        if (found == known.end() || found->second != shard.sha256) {
            ShardContent content = content_of(shard);
            if (const auto before = records->names.find(shard.name);
                before != records->names.end()) {
                keep_held_bytes(content, before->second);
            }
            changed.emplace(shard.name, std::move(content));
        }
    }
    auto json = assemble_index({*records, {}, "", digests_of(*new_shards), changed});
    REQUIRE_MESSAGE(json, json.error().message);
    return {std::move(*json), changed.size()};
}

void check_same(const std::string& json, const std::string& wanted, std::string_view subdir) {
    std::string checked = json;
    const auto summary = check_repodata(checked, subdir);
    REQUIRE_MESSAGE(summary, summary.error().message);
    CHECK(members_of(parsed(json)) == members_of(parsed(wanted)));
}

std::string real(const std::string& name) {
    const auto bytes =
        read_file(std::string(CHM_TEST_DATA) + "/sharded-channel/" + name, k_test_limit);
    REQUIRE(bytes);
    return *bytes;
}

/// An index that edits can be made to.
class Editable {
public:
    explicit Editable(unsigned seed) : random_(seed) {
        for (int i = 0; i < 40; ++i) {
            add();
        }
    }

    void edit() {
        const auto edits = pick(6);
        for (std::size_t i = 0; i < edits; ++i) {
            switch (pick(4)) {
                case 0:
                    add();
                    break;
                case 1:
                    remove();
                    break;
                case 2:
                    touch();
                    break;
                default:
                    remove_name();
            }
        }
    }

    [[nodiscard]] std::string text() const {
        std::string sections[3];
        for (const auto& [key, record] : records_) {
            std::string& section = sections[key.first];
            section += fmt::format(R"({}"{}":{})", section.empty() ? "" : ", ", key.second, record);
        }
        std::string removed;
        for (const std::string& fn : removed_) {
            removed += fmt::format(R"({}"{}")", removed.empty() ? "" : ",", fn);
        }
        return fmt::format(
            R"({{"info":{{"subdir":"noarch"}},"packages":{{{}}},"packages.conda":{{{}}},)"
            R"("removed":[{}],"repodata_version":1,"v3":{{"conda":{{{}}}}}}})",
            sections[0],
            sections[1],
            removed,
            sections[2]);
    }

private:
    std::size_t pick(std::size_t count) { return random_() % count; }

    static std::string record(const std::string& stem, unsigned salt) {
        return fmt::format(
            R"({{ "name": "{}", "sha256": "{}","x_unknown":[1.5,{{"y":null}},"\u00e9"],)"
            R"("run_exports":{{"weak":["lib >={}"]}},"size":{} }})",
            stem,
            sha256(fmt::format("{}{}", stem, salt)).hex(),
            salt,
            salt * 4'000'000'000ULL);
    }

    void add() {
        const std::string stem = fmt::format("n-{}-{}-{}", pick(12), pick(4), pick(3));
        const auto section = pick(3);
        const std::array endings = {".tar.bz2", ".conda", ""};
        records_[{section, stem + endings[section]}] = record(stem, ++salt_);
    }
    void remove() {
        if (records_.empty()) {
            return;
        }
        const auto at =
            std::next(records_.begin(), static_cast<std::ptrdiff_t>(pick(records_.size())));
        removed_.push_back(at->first.second);
        records_.erase(at);
    }
    void touch() {
        if (!records_.empty()) {
            const auto at =
                std::next(records_.begin(), static_cast<std::ptrdiff_t>(pick(records_.size())));
            at->second = record(at->first.second, ++salt_);
        }
    }
    void remove_name() {
        const std::string name = fmt::format("n-{}", pick(12));
        std::erase_if(records_,
                      [&](const auto& entry) { return shard_name_of(entry.first.second) == name; });
        std::erase_if(removed_, [&](const std::string& fn) { return shard_name_of(fn) == name; });
    }

    std::minstd_rand random_;
    unsigned salt_ = 0;
    std::map<std::pair<std::size_t, std::string>, std::string> records_;
    std::vector<std::string> removed_;
};

TEST_CASE("shard_assembly: random edits come out exactly, step by step") {
    for (unsigned seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        Editable upstream(seed);
        std::string held = upstream.text();
        for (int step = 0; step < 4; ++step) {
            upstream.edit();
            const std::string wanted = upstream.text();
            const Update assembled = update(held, wanted);
            check_same(assembled.json, wanted, "noarch");
            held = assembled.json;
        }
        // Nothing to do is nothing done: the same bytes.
        const Update again = update(held, upstream.text());
        CHECK(again.json == held);
    }
}

TEST_CASE(
    "shard_assembly: a real channel's own shards give its index, from nothing and from a part") {
    const auto digests = parse_shard_index(real("repodata_shards.msgpack.zst"));
    REQUIRE(digests);
    const std::string wanted = real("repodata.json");
    std::map<std::string, ShardContent> all;
    for (const auto& [name, digest] : *digests) {
        all.emplace(name, content_of({name, digest, real("shards/" + shard_file_name(digest))}));
    }
    const Json::Object info = {{"subdir", "linux-64"}, {"created_at", "2026-08-22"}};
    const auto from_nothing = assemble_index({{}, info, "", *digests, all});
    REQUIRE(from_nothing);
    check_same(*from_nothing, wanted, "linux-64");
    CHECK(from_nothing->starts_with(R"({"info":{"subdir":"linux-64"},"packages":{})"));

    std::string held = test::small_index("linux-64", {"mojo-moji-0.0.0-hb0f4dca_0", "gone-1-0"});
    const auto records = group_by_name(held);
    REQUIRE(records);
    const auto from_part = assemble_index({*records, info, "", *digests, all});
    REQUIRE(from_part);
    check_same(*from_part, wanted, "linux-64");
}

TEST_CASE(
    "shard_assembly: real indexes survive a change of one name, and what did not change keeps "
    "its bytes") {
    const std::string wanted = test::real_index(CHM_TEST_DATA, "nvidia/linux-64");
    std::string held = wanted;
    const auto at = held.find("\"license\"");
    REQUIRE(at != std::string::npos);
    held.replace(at, 9, "\"licence\"");
    const Update assembled = update(held, wanted);
    CHECK(assembled.fetched == 1);
    check_same(assembled.json, wanted, "linux-64");
    const auto records_in = [](std::string json) {
        std::map<std::string, std::string> texts;
        const auto records = group_by_name(json);
        REQUIRE(records);
        for (const auto& [name, of_name] : records->names) {
            for (const auto* section : {&of_name.packages, &of_name.packages_conda}) {
                for (const RecordEntry& entry : *section) {
                    texts.emplace(entry.key, entry.json);
                }
            }
        }
        return texts;
    };
    const auto before = records_in(held);
    std::size_t other = 0;
    for (const auto& [key, text] : records_in(assembled.json)) {
        other += before.at(key) == text ? 0U : 1U;
    }
    CHECK(other == 1);
}

TEST_CASE("shard_assembly: keys in another order are the same value, another value is not") {
    std::string held = R"({"packages":{"a-1-0.tar.bz2":{"x": [1, {"b":2,"a":1}], "name":"a"}}})";
    const auto records = group_by_name(held);
    REQUIRE(records);
    const auto text_for = [&](const char* json) {
        ShardContent content;
        content.packages.push_back({"a-1-0.tar.bz2", json, {}});
        keep_held_bytes(content, records->names.at("a"));
        return std::string(content.packages[0].text());
    };
    const std::string kept = R"({"x": [1, {"b":2,"a":1}], "name":"a"})";
    CHECK(text_for(R"({"name":"a","x":[1,{"a":1,"b":2}]})") == kept);
    for (const char* other : {R"({"name":"a","x":[{"a":1,"b":2},1]})",
                              R"({"name":"a","x":[1,{"a":1,"b":3}]})",
                              R"({"name":"a","x":[1,{"a":1,"b":2}],"y":null})",
                              R"({"name":"a"})"}) {
        CHECK(text_for(other) == other);
    }
}

TEST_CASE(
    "shard_assembly: info is the held one's with the new values, and says where packages are") {
    std::string held = R"({"info":{"x_kept":1,"subdir":"noarch","base_url":"old"},"packages":{},)"
                       R"("repodata_version":1})";
    const auto records = group_by_name(held);
    REQUIRE(records);
    const Json::Object info = {{"base_url", "./p"},
                               {"shards_base_url", "./s/"},
                               {"created_at", "now"},
                               {"x_kept", 2},
                               {"x_new", Json::Object{{"base", "../b"}}}};
    const auto beside = assemble_index({*records, info, "", {}, {}});
    REQUIRE(beside);
    CHECK(*beside ==
          R"({"info":{"x_kept":2,"subdir":"noarch","x_new":{"base":"../b"}},"packages":{},)"
          R"("packages.conda":{},"removed":[],"repodata_version":1})");
    const auto elsewhere = assemble_index({*records, info, "https://h/p", {}, {}});
    REQUIRE(elsewhere);
    CHECK(elsewhere->find(R"("base_url":"https://h/p"},)") != std::string::npos);
    CHECK(elsewhere->find(R"("repodata_version":2})") != std::string::npos);
}

TEST_CASE("shard_assembly: what shards cannot say is named") {
    const auto missing = [](std::string json, const Json::Object& info) {
        const auto records = group_by_name(json);
        REQUIRE(records);
        return not_in_shards(*records, info);
    };
    CHECK(missing(R"({"packages":{},"info":{"subdir":"x","base_url":""},"removed":[],"v3":{}})", {})
              .empty());
    CHECK(missing(R"({"packages":{},"signatures":{}})", {}) == "signatures");
    CHECK(missing(R"({"packages":{},"removed":[1]})", {}) == "removed");
    const char* related = R"({"packages":{},"info":{"channel_relations":{"base":"../b"}}})";
    CHECK(missing(related, {}) == "info.channel_relations");
    CHECK(missing(related, {{"channel_relations", Json::Object()}}).empty());
}

TEST_CASE("shard_assembly: a shard that is none, or has another name's file, is refused") {
    const auto error_of = [](const Json& shard, std::string_view name = "a") {
        MsgpackWriter out;
        out.json(shard);
        const auto content = read_shard(out.take(), name);
        if (content) {
            return std::string("(no error)");
        }
        CHECK(content.error().kind == ErrorKind::integrity);
        return content.error().message;
    };
    const auto section = [](const char* key, const char* fn, Json record) {
        return Json(Json::Object{{key, Json::Object{{fn, std::move(record)}}}});
    };
    CHECK(error_of(Json::Object()) == "(no error)");
    CHECK(error_of(section("packages", "a-1-0.tar.bz2", Json::Object())) == "(no error)");
    CHECK(error_of(section("x_unknown", "b-1-0.conda", 1)) == "(no error)");
    CHECK(error_of(section("packages", "b-1-0.tar.bz2", Json::Object())) ==
          "the shard of a holds b-1-0.tar.bz2, a file of another name");
    CHECK(
        error_of(section("packages.conda", "a-b-1-0.conda", Json::Object())).find("another name") !=
        std::string::npos);
    CHECK(error_of(Json::Object{{"v3", section("conda", "b-1-0", Json::Object())}})
              .find("another name") != std::string::npos);
    CHECK(error_of(Json::Object{{"removed", Json::Array{"b-1-0.conda"}}}).find("another name") !=
          std::string::npos);
    for (const Json& bad : {Json(1),
                            Json(Json::Object{{"packages", 1}}),
                            Json(Json::Object{{"v3", 1}}),
                            Json(Json::Object{{"v3", Json::Object{{"conda", 1}}}}),
                            Json(Json::Object{{"removed", 1}}),
                            Json(Json::Object{{"removed", Json::Array{1}}}),
                            section("packages", "a-1-0.tar.bz2", 1)}) {
        CHECK(error_of(bad).starts_with("not a shard (CEP 16): "));
    }
    CHECK_FALSE(read_shard("", "a"));
    CHECK_FALSE(read_shard("\xc1", "a"));
}

}  // namespace
}  // namespace chm::channels
