// sync() with the real transport on every form of an index: what a first, a changed and an unchanged
// one ask for, and what becomes of a channel that changes in mid-sync.
#include "base/atomic_file.hpp"
#include "base/bzip2.hpp"
#include "base/json.hpp"
#include "base/zstd.hpp"
#include "channels/curl_transport.hpp"
#include "channels/sync.hpp"
#include "support/fake_clock.hpp"
#include "support/local_server.hpp"
#include "support/mirror_check.hpp"
#include "support/recording_reporter.hpp"
#include "support/sharded_upstream.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::large_index;
using test::LocalServer;
using test::Rule;
using test::small_index;
using Paths = std::vector<std::string>;

const conda::Channel k_channel{"c", "https://conda.anaconda.org/c"};

class Fixture {
public:
    Fixture() {
        options.retry.base_delay = 1ms;
        options.retry.retries = 1;
        settings.root = directory / "mirror";
        settings.upstreams = {{"default", server.url()}};
    }

    void put(const std::string& name, const std::string& body) {
        const fs::path path = upstream / "c/noarch" / name;
        REQUIRE(make_directories(path.parent_path()));
        REQUIRE(write_file_atomically(path, body));
        // A server tells versions apart by their date; tests are faster than its seconds.
        modified += 10s;
        fs::last_write_time(path, modified);
    }
    void put_zstd(const std::string& index) { put("repodata.json.zst", *zstd_compress(index, 3)); }
    /// Shards that were there stay, as the CEP asks of servers.
    void put_shards(const std::string& index) {
        for (const auto& [path, body] : test::shard_files(index)) {
            put(path, body);
        }
    }
    void age(const std::string& name, std::chrono::seconds by) {
        const fs::path path = upstream / "c/noarch" / name;
        fs::last_write_time(path, fs::last_write_time(path) - by);
    }

    Result<SyncReport> run() {
        reporter.clear();
        server.clear_requests();
        clock.advance(1s);
        const auto transport = make_curl_transport(options, clock);
        auto report = sync(settings, request, {*transport, clock, reporter, {}});
        CHECK(test::mirror_faults(settings.root) == Paths());
        return report;
    }
    SyncReport must_run() {
        auto report = run();
        REQUIRE_MESSAGE(report, report.error().message);
        return std::move(*report);
    }
    /// The index that the mirror holds now.
    [[nodiscard]] Json held() const {
        const MirrorPaths paths(settings.root);
        const auto current = read_current(paths);
        REQUIRE((current && *current));
        const SnapshotChannel* channel = (*current)->find("c");
        REQUIRE(channel != nullptr);
        const auto json = read_index(paths, **current, *channel, *channel->find("noarch"));
        REQUIRE(json);
        return *parse_json(*json);
    }
    /// "STATUS NAME" for each request, shards as "shard", sorted.
    [[nodiscard]] Paths asked() const {
        Paths lines;
        for (const test::RequestRecord& record : server.requests()) {
            const std::string name = fs::path(record.path).filename();
            const bool shard = record.path.find("/shards/") != std::string::npos;
            lines.push_back(fmt::format("{} {}", record.status, shard ? "shard" : name));
        }
        std::ranges::sort(lines);
        return lines;
    }
    [[nodiscard]] std::size_t shards_asked() const {
        const Paths lines = asked();
        return static_cast<std::size_t>(std::ranges::count(lines, "200 shard"));
    }

    test::TempDir directory;
    fs::path upstream = directory / "upstream";
    LocalServer server{upstream};
    CurlOptions options;
    test::FakeClock clock;
    test::RecordingReporter reporter;
    config::Settings settings;
    SyncRequest request{{k_channel}, {"noarch"}};
    fs::file_time_type modified = fs::file_time_type::clock::now() - 24h;
};

TEST_CASE_FIXTURE(Fixture,
                  "index forms: an unchanged index costs one conditional request in every form") {
    const std::string index = small_index("noarch", {"a-1-0", "b-1-0"});
    Paths first;
    std::string form;
    SUBCASE(".zst") {
        put_zstd(index);
        form = "repodata.json.zst";
        first = {"200 repodata.json.zst"};
    }
    SUBCASE(".bz2") {
        put("repodata.json", index);
        put("repodata.json.bz2", *bzip2_compress(index, 9));
        form = "repodata.json.bz2";
        first = {"200 repodata.json.bz2", "304 repodata.json", "404 repodata.json.zst"};
    }
    SUBCASE("plain") {
        put("repodata.json", index);
        form = "repodata.json";
        first = {"200 repodata.json", "404 repodata.json.bz2", "404 repodata.json.zst"};
    }
    SUBCASE("shards") {
        put_shards(index);
        form = "repodata_shards.msgpack.zst";
        first = {"200 repodata_shards.msgpack.zst",
                 "200 shard",
                 "200 shard",
                 "404 repodata.json",
                 "404 repodata.json.bz2",
                 "404 repodata.json.zst"};
    }
    CHECK(must_run().new_snapshot);
    CHECK(asked() == first);
    CHECK(held() == *parse_json(index));
    for (int i = 0; i < 2; ++i) {
        CHECK_FALSE(must_run().new_snapshot);
        CHECK(asked() == Paths{"304 " + form});
    }
    CHECK(reporter.warnings().empty());
}

TEST_CASE_FIXTURE(Fixture, "index forms: a .bz2 that is older than the plain index is not taken") {
    put("repodata.json.bz2", *bzip2_compress(small_index("noarch", {"a-1-0"}), 9));
    put("repodata.json", small_index("noarch", {"a-2-0"}));
    must_run();
    CHECK(held() == *parse_json(small_index("noarch", {"a-2-0"})));
    must_run();
    CHECK(asked() == Paths{"304 repodata.json"});
}

TEST_CASE_FIXTURE(Fixture,
                  "index forms: of a large sharded channel only changed shards are fetched") {
    put_zstd(large_index("noarch", 20));
    put_shards(large_index("noarch", 20));
    must_run();
    CHECK(asked() == Paths{"200 repodata.json.zst"});

    put_zstd(large_index("noarch", 20, 1));
    put_shards(large_index("noarch", 20, 1));
    must_run();
    CHECK(shards_asked() == 20);
    CHECK((held() == *parse_json(large_index("noarch", 20, 1))));
    must_run();
    CHECK(asked() == Paths{"304 repodata_shards.msgpack.zst"});

    put_shards(large_index("noarch", 20, 3));
    must_run();
    CHECK(asked() == Paths{"200 repodata_shards.msgpack.zst", "200 shard", "200 shard"});
    CHECK((held() == *parse_json(large_index("noarch", 20, 3))));

    SUBCASE("the list of what is held is damaged") {
        put_shards(large_index("noarch", 20, 4));
        REQUIRE(write_file_atomically(MirrorPaths(settings.root).held_shards("c", "noarch"), "{"));
        must_run();
        CHECK(shards_asked() == 20);
        CHECK((held() == *parse_json(large_index("noarch", 20, 4))));
    }
    SUBCASE("a shard goes away in mid-sync") {
        put_shards(large_index("noarch", 20, 5));
        put_zstd(large_index("noarch", 20, 6));
        server.set_script({{Rule{.glob = "*/shards/*", .after = 1, .status = 404}}});
        must_run();
        CHECK((held() == *parse_json(large_index("noarch", 20, 6))));
        REQUIRE(reporter.warnings().size() == 1);
        CHECK(reporter.warnings()[0].find("/c/noarch/shards/") != std::string::npos);
        must_run();
        CHECK(asked() == Paths{"304 repodata.json.zst"});
    }
    SUBCASE("a shard is damaged") {
        std::optional<Rule> damage;
        SUBCASE("cut short") {
            damage = Rule{.glob = "*/shards/*", .truncate = 100};
        }
        SUBCASE("by a bit") {
            damage = Rule{.glob = "*/shards/*", .flip = 50};
        }
        SUBCASE("a page in its place") {
            damage = Rule{.glob = "*/shards/*", .body = "<html>"};
        }
        if (damage) {
            put_shards(large_index("noarch", 20, 5));
            put_zstd(large_index("noarch", 20, 5));
            server.set_script({{*damage}});
            must_run();
            REQUIRE(reporter.warnings().size() == 1);
            CHECK(reporter.warnings()[0].find("is not the one that the index of shards names") !=
                  std::string::npos);
            CHECK((held() == *parse_json(large_index("noarch", 20, 5))));
        }
    }
    SUBCASE("the index of shards and everything else fails") {
        const Json before = held();
        put_shards(large_index("noarch", 20, 5));
        server.set_script({{Rule{.glob = "*", .status = 503}}});
        const auto report = run();
        REQUIRE_FALSE(report);
        CHECK(report.error().kind == ErrorKind::network);
        CHECK((held() == before));
    }
}

TEST_CASE_FIXTURE(Fixture,
                  "index forms: shards elsewhere are fetched without the upstream's credentials") {
    test::TempDir elsewhere;
    LocalServer cdn(elsewhere.path());
    ShardDigests digests;
    const std::string index = small_index("noarch", {"a-1-0"});
    for (const auto& [path, body] : test::shard_files(index)) {
        if (path != k_shard_index) {
            digests["a"] = sha256(body);
            REQUIRE(make_directories(elsewhere / "s"));
            REQUIRE(
                write_file_atomically(elsewhere / ("s/" + shard_file_name(sha256(body))), body));
        }
    }
    put("repodata_shards.msgpack.zst",
        test::shard_index({{"subdir", "noarch"}, {"shards_base_url", cdn.url("/s")}}, digests));
    settings.upstreams[0].credentials.user_password = Secret("me:hunter2");
    must_run();
    CHECK(held() == *parse_json(index));
    REQUIRE(server.requests().size() == 4);
    CHECK(server.requests()[3].header("authorization"));
    REQUIRE(cdn.requests().size() == 1);
    CHECK_FALSE(cdn.requests()[0].header("authorization"));
}

TEST_CASE_FIXTURE(Fixture,
                  "index forms: an index older than what is held is refused, unless it is meant") {
    put_zstd(small_index("noarch", {"a-2-0"}));
    must_run();
    const Json before = held();
    put_zstd(small_index("noarch", {"a-1-0"}));
    age("repodata.json.zst", 1h);
    const auto report = run();
    REQUIRE_FALSE(report);
    CHECK(report.error().kind == ErrorKind::network);
    CHECK((held() == before));
    const auto requests = server.requests();
    REQUIRE(requests.size() == 2);
    CHECK_FALSE(requests[0].header("cache-control"));
    CHECK(requests[1].header("cache-control") == "no-cache");

    request.accept_shrink = true;
    must_run();
    CHECK(held() == *parse_json(small_index("noarch", {"a-1-0"})));
    request.accept_shrink = false;
    must_run();
    CHECK(asked() == Paths{"304 repodata.json.zst"});
}

TEST_CASE_FIXTURE(Fixture, "index forms: one stale cache is asked past") {
    put_zstd(small_index("noarch", {"a-2-0"}));
    must_run();
    const fs::path stale = directory / "stale";
    REQUIRE(make_directories(stale / "c/noarch"));
    const fs::path old = stale / "c/noarch/repodata.json.zst";
    REQUIRE(write_file_atomically(old, *zstd_compress(small_index("noarch", {"a-1-0"}), 3)));
    fs::last_write_time(old, modified - 1h);
    server.set_script({{Rule{.glob = "*.zst", .times = 1, .stale = stale}}});
    CHECK_FALSE(must_run().new_snapshot);
    CHECK(asked() == Paths{"200 repodata.json.zst", "304 repodata.json.zst"});
    CHECK(reporter.warnings().empty());
}

}  // namespace
}  // namespace chm::channels
