// What is fetched of an index in shards, from where and with which credentials, and what is refused.
#include "channels/shard_update.hpp"

#include "channels/limits.hpp"
#include "support/fake_transport.hpp"
#include "support/mirror_check.hpp"
#include "support/recording_reporter.hpp"
#include "support/sharded_upstream.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace chm::channels {
namespace {

using test::shard_index;
using test::small_index;

const std::string k_folder = "https://u.example/c/linux-64/";

std::string decoded(const std::string& compressed) {
    const auto packed = zstd_decompress(compressed, {test::k_test_limit});
    REQUIRE(packed);
    return *packed;
}

UpstreamShards read_info(const Json::Object& info, std::string_view folder = k_folder) {
    auto shards = read_upstream_shards(decoded(shard_index(info, {})), folder);
    REQUIRE_MESSAGE(shards, shards.error().message);
    return std::move(*shards);
}

class Fixture {
public:
    /// Serves the index as shards, and says so in `update`.
    void serve(const std::string& json) {
        for (const auto& [path, body] : test::shard_files(json)) {
            if (path == k_shard_index) {
                index = body;
            } else {
                transport.answer(k_folder + path, body);
            }
        }
        update.shard_index = index;
    }
    void hold(const std::string& json) {
        held = json;
        update.held = &held;
        std::string copy = json;
        const auto shards = make_shards(copy, "");
        REQUIRE(shards);
        for (const Shard& shard : shards->shards) {
            update.known.emplace(shard.name, shard.sha256);
        }
    }
    Result<std::optional<AssembledIndex>> run() {
        transport.clear_requests();
        return update_from_shards(update, transport, reporter, {});
    }
    std::string json() {
        auto result = run();
        REQUIRE_MESSAGE(result, result.error().message);
        REQUIRE(*result);
        return (*result)->json;
    }
    Error error() {
        auto result = run();
        REQUIRE_FALSE(result);
        return result.error();
    }

    test::FakeTransport transport;
    test::RecordingReporter reporter;
    std::string held;
    std::string index;
    ShardUpdate update{k_folder, {Secret("u:p")}, "c/linux-64", {}, nullptr, {}, 0};
};

TEST_CASE("shard_update: addresses are absolute or as seen from the index") {
    const UpstreamShards beside = read_info({{"shards_base_url", "./shards/"}, {"base_url", ""}});
    CHECK(beside.shards_url == k_folder + "shards/");
    CHECK(beside.package_url.empty());
    CHECK(read_info({{"shards_base_url", "s"}}).shards_url == k_folder + "s/");
    CHECK(read_info({{"shards_base_url", ""}, {"base_url", "./"}}).package_url.empty());
    CHECK(read_info({{"shards_base_url", ""}, {"base_url", "https://u.example/c/linux-64"}})
              .package_url.empty());
    const UpstreamShards elsewhere =
        read_info({{"shards_base_url", "https://me:secret@cdn.example/t/tk-1/s"},
                   {"base_url", "../../p/linux-64/"}});
    CHECK(elsewhere.shards_url == "https://cdn.example/s/");
    CHECK(elsewhere.package_url == "https://u.example/p/linux-64/");
    CHECK(read_info({{"shards_base_url", "file:///s/"}}, "file:///c/noarch/").shards_url ==
          "file:///s/");
}

TEST_CASE("shard_update: an index of shards that leads nowhere or is none is refused") {
    for (const Json::Object& info :
         {Json::Object(),
          Json::Object{{"shards_base_url", 1}},
          Json::Object{{"shards_base_url", "file:///etc/"}},
          Json::Object{{"shards_base_url", "ftp://h/"}},
          Json::Object{{"shards_base_url", "a b"}},
          Json::Object{{"shards_base_url", ""}, {"base_url", "file:///"}}}) {
        CAPTURE(to_json(Json(info)));
        const auto shards = read_upstream_shards(decoded(shard_index(info, {})), k_folder);
        REQUIRE_FALSE(shards);
        CHECK(shards.error().kind == ErrorKind::integrity);
    }
    const auto packed = [](const Json& json) {
        MsgpackWriter out;
        out.json(json);
        return out.take();
    };
    const Json info = Json::Object{{"shards_base_url", ""}};
    for (const Json& bad :
         {Json(1),
          Json(Json::Object{{"info", info}}),
          Json(Json::Object{{"shards", Json::Object()}}),
          Json(Json::Object{{"info", 1}, {"shards", Json::Object()}}),
          Json(Json::Object{{"info", info}, {"shards", Json::Object{{"a", "x"}}}}),
          Json(Json::Object{{"version", 2}, {"info", info}, {"shards", Json::Object()}})}) {
        CAPTURE(to_json(bad));
        CHECK_FALSE(read_upstream_shards(packed(bad), k_folder));
    }
    CHECK_FALSE(read_upstream_shards("", k_folder));
    CHECK(read_upstream_shards(
        packed(Json::Object{{"version", 1}, {"info", info}, {"shards", Json::Object()}}),
        k_folder));
}

TEST_CASE_FIXTURE(Fixture, "shard_update: only shards that changed are fetched") {
    hold(small_index("linux-64", {"a-1-0", "b-1-0", "c-1-0"}));
    const std::string wanted = small_index("linux-64", {"a-1-0", "b-1-0", "b-2-0", "d-1-0"});
    serve(wanted);
    CHECK(*parse_json(json()) == *parse_json(wanted));
    REQUIRE(transport.requests().size() == 2);  // b and d
    const TransferRequest& request = transport.requests()[0];
    CHECK(request.label == "c/linux-64: shard of b");
    CHECK(request.credentials.user_password == Secret("u:p"));
    CHECK(request.max_bytes == k_max_shard_bytes);
    CHECK((*run())->shards.size() == 3);
}

TEST_CASE_FIXTURE(Fixture, "shard_update: without anything held every shard is fetched") {
    const std::string wanted = small_index("linux-64", {"a-1-0", "b-1-0"});
    serve(wanted);
    CHECK(*parse_json(json()) == *parse_json(wanted));
    CHECK(transport.requests().size() == 2);
}

TEST_CASE_FIXTURE(Fixture, "shard_update: thousands of shards come in several batches") {
    std::vector<std::string> packages;
    for (int i = 0; i < 2300; ++i) {
        packages.push_back(fmt::format("p{:04}-1-0", i));
    }
    serve(small_index("linux-64", packages));
    CHECK(*parse_json(json()) == *parse_json(small_index("linux-64", packages)));
    CHECK(transport.requests().size() == 2300);
}

TEST_CASE_FIXTURE(Fixture, "shard_update: the whole index is taken where it is less to fetch") {
    hold(small_index("linux-64", {"a-1-0", "b-1-0", "c-1-0"}));
    serve(small_index("linux-64", {"a-2-0", "b-2-0", "c-1-0"}));
    const auto is_taken = [&](std::uint64_t whole_bytes) {
        update.whole_bytes = whole_bytes;
        const auto result = run();
        REQUIRE(result);
        CHECK(result->has_value() == !transport.requests().empty());
        return result->has_value();
    };
    CHECK(is_taken(2 * 8192));  // two shards of 8 kB
    CHECK_FALSE(is_taken(2 * 8192 - 1));
    update.known.clear();  // three, which the next ten updates pay for
    CHECK(is_taken(3 * 8192 / 10 + 1));
    CHECK_FALSE(is_taken(3 * 8192 / 10 - 1));
    CHECK(reporter.warnings().empty());
}

TEST_CASE_FIXTURE(Fixture,
                  "shard_update: an index that says more than shards can is not made of them") {
    hold(small_index("linux-64", {"a-1-0"}));
    held.insert(held.rfind('}'), R"(,"signatures":{})");
    serve(small_index("linux-64", {"a-2-0"}));
    const auto result = run();
    REQUIRE(result);
    CHECK_FALSE(*result);
    CHECK(transport.requests().empty());
    REQUIRE(reporter.details().size() == 1);
    CHECK(reporter.details()[0].find("\"signatures\"") != std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "shard_update: another server gets no credentials") {
    const auto digest = sha256("x");
    for (const char* base :
         {"https://cdn.example/s/", "http://u.example/s/", "//u.example:8443/s/"}) {
        index = shard_index({{"shards_base_url", base}}, {{"a", digest}});
        update.shard_index = index;
        static_cast<void>(error());
        REQUIRE(transport.requests().size() == 1);
        CHECK(transport.requests()[0].credentials.empty());
        CHECK(transport.requests()[0].url.ends_with("/s/" + digest.hex() + ".msgpack.zst"));
    }
    index = shard_index({{"shards_base_url", "https://u.example/other/"}}, {{"a", digest}});
    update.shard_index = index;
    static_cast<void>(error());
    CHECK(transport.requests()[0].credentials.user_password == Secret("u:p"));
}

TEST_CASE_FIXTURE(Fixture,
                  "shard_update: a shard that is missing or not what it should be names its URL") {
    const auto answer_with = [&](const std::string& body) {
        const auto digest = sha256(body);
        index = shard_index({{"shards_base_url", "s/"}}, {{"a", digest}});
        update.shard_index = index;
        const std::string url = k_folder + "s/" + digest.hex() + ".msgpack.zst";
        transport.answer(url, body);
        return url;
    };
    const auto packed = [](std::string_view bytes) { return *zstd_compress(bytes, 3); };
    for (const std::string& body :
         {std::string(), std::string("<html>"), packed(""), packed("x")}) {
        const std::string url = answer_with(body);
        const Error failed = error();
        CHECK(failed.kind == ErrorKind::integrity);
        CHECK(failed.message.starts_with(url + ": "));
    }
    const std::string url = answer_with(packed("\x80"));
    CHECK(run());
    transport.forget(url);
    CHECK(error() == Error{ErrorKind::network, url + ": answered 404"});
    transport.answer(url, packed("\x81"));
    CHECK(error().message ==
          url + ": the shard of a is not the one that the index of shards names");
    transport.forget(url);
    transport.answer(url, Result<TransferResponse>(fail(ErrorKind::interrupted, "stopped")));
    CHECK(error() == Error{ErrorKind::interrupted, "stopped"});
}

TEST_CASE_FIXTURE(Fixture, "shard_update: bombs stop at the limit") {
    // 200 MB of zeros are a msgpack of as many small integers, and some kilobytes.
    const std::string bomb = *zstd_compress(std::string(200'000'000, '\0'), 3);
    CHECK(bomb.size() < 100'000);
    SUBCASE("as the index of shards") {
        update.shard_index = bomb;
        CHECK(error().message ==
              k_folder +
                  "repodata_shards.msgpack.zst: zstd data is larger than 33554432 bytes "
                  "when decoded");
    }
    SUBCASE("as a shard") {
        index = shard_index({{"shards_base_url", "s/"}}, {{"a", sha256(bomb)}});
        update.shard_index = index;
        transport.answer(k_folder + "s/" + shard_file_name(sha256(bomb)), bomb);
        CHECK(error().message.ends_with("zstd data is larger than 33554432 bytes when decoded"));
    }
}

TEST_CASE_FIXTURE(Fixture, "shard_update: a damaged index of shards names its URL") {
    for (const std::string& body : {std::string("<html>"), *zstd_compress("\x80", 3)}) {
        index = body;
        update.shard_index = index;
        CHECK(error().kind == ErrorKind::integrity);
        CHECK(error().message.starts_with(k_folder + "repodata_shards.msgpack.zst: "));
    }
}

}  // namespace
}  // namespace chm::channels
