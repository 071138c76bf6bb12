// fetch_indexes over a FakeTransport, by forms: .bz2, shards, and indexes that are older than what is
// held. How many requests each costs.
#include "base/bzip2.hpp"
#include "base/zstd.hpp"
#include "channels/fetch.hpp"
#include "channels/limits.hpp"
#include "support/fake_clock.hpp"
#include "support/fake_transport.hpp"
#include "support/mirror_check.hpp"
#include "support/recording_reporter.hpp"
#include "support/sharded_upstream.hpp"

#include <doctest/doctest.h>

namespace chm::channels {
namespace {

using test::FakeTransport;
using test::large_index;
using test::small_index;
using Urls = std::vector<std::string>;

const std::string k_folder = "https://u.example/c/linux-64/";
const std::string k_plain = k_folder + "repodata.json";
const std::string k_zstd = k_plain + ".zst";
const std::string k_bzip2 = k_plain + ".bz2";
const std::string k_shards = k_folder + "repodata_shards.msgpack.zst";
const std::string k_index = small_index("linux-64", {"a-1-0", "b-2-1"});
const std::string k_monday = "Mon, 30 Nov 2026 12:00:00 GMT";
const std::string k_tuesday = "Tue, 01 Dec 2026 12:00:00 GMT";

class Fixture {
public:
    FetchOutcome one() {
        auto outcomes = run();
        REQUIRE_MESSAGE(outcomes, outcomes.error().message);
        return std::move((*outcomes)[0]);
    }
    /// Fetches, and holds what has come, as a sync does.
    FetchedIndex fetched() {
        FetchOutcome outcome = one();
        REQUIRE(std::holds_alternative<FetchedIndex>(outcome));
        FetchedIndex index = std::get<FetchedIndex>(std::move(outcome));
        hold(index);
        return index;
    }
    UnchangedIndex unchanged() {
        FetchOutcome outcome = one();
        REQUIRE(std::holds_alternative<UnchangedIndex>(outcome));
        UnchangedIndex index = std::get<UnchangedIndex>(outcome);
        if (index.state) {
            sources[0].last = index.state;
        }
        return index;
    }
    Error error() {
        auto outcomes = run();
        REQUIRE_FALSE(outcomes);
        return outcomes.error();
    }
    void hold(const FetchedIndex& index) {
        sources[0].last = index.state;
        sources[0].held = [this, index] {
            ++reads;
            return HeldIndex{index.json, index.shards};
        };
    }

    void serve(const std::string& url, std::string body, Validators validators) {
        transport.forget(url);
        transport.answer(url, TransferResponse{200, std::move(body), std::move(validators), url});
    }
    void serve_zstd(const std::string& index, const std::string& etag) {
        serve(k_zstd, *zstd_compress(index, 3), {etag, {}});
    }
    /// Takes the place of what was served as shards; old shards are gone.
    void serve_shards(const std::string& index, const std::string& etag) {
        for (const std::string& url : shards) {
            transport.forget(url);
        }
        shards.clear();
        for (const auto& [path, body] : test::shard_files(index)) {
            serve(k_folder + path, body, {path == k_shard_index ? etag : "", {}});
            if (path != k_shard_index) {
                shards.push_back(k_folder + path);
            }
        }
    }
    [[nodiscard]] std::size_t asked_for_shards() const {
        return static_cast<std::size_t>(std::ranges::count_if(
            transport.urls(),
            [](const std::string& url) { return url.starts_with(k_folder + "shards/"); }));
    }

    FakeTransport transport;
    test::FakeClock clock;
    test::RecordingReporter reporter;
    int reads = 0;  // of the held index
    Urls shards;
    std::vector<IndexSource> sources = {
        {{"c", "https://example.org/c"}, "linux-64", "https://u.example/c", {Secret("u:p")}, {}}};

private:
    Result<std::vector<FetchOutcome>> run() {
        reporter.clear();
        transport.clear_requests();
        return fetch_indexes(sources, {transport, clock, reporter, {}});
    }
};

TEST_CASE_FIXTURE(Fixture,
                  "forms: .bz2 is taken where there is no .zst, and asked for at once then") {
    serve(k_bzip2, *bzip2_compress(k_index, 9), {"\"b\"", {}});
    const FetchedIndex index = fetched();
    CHECK(index.json == k_index);
    CHECK(index.state.url == k_bzip2);
    CHECK(index.fetched_from == k_bzip2);
    CHECK(transport.urls() == Urls{k_zstd, k_bzip2});
    unchanged();
    REQUIRE(transport.urls() == Urls{k_bzip2});
    CHECK(transport.requests()[0].validators.etag == "\"b\"");

    clock.advance(std::chrono::days(8));
    const UnchangedIndex later = unchanged();
    CHECK(transport.urls() == Urls{k_zstd, k_bzip2});
    REQUIRE(later.state);
    CHECK(later.state->zstd_checked == clock.wall());
    unchanged();
    CHECK(transport.urls() == Urls{k_bzip2});
}

TEST_CASE_FIXTURE(Fixture, "forms: a .bz2 that the plain index has left behind is not taken") {
    const std::string newer = small_index("linux-64", {"a-3-0"});
    serve(k_bzip2, *bzip2_compress(k_index, 9), {"\"b\"", k_monday});
    SUBCASE("at the first fetch") {
        serve(k_plain, newer, {"\"p\"", k_tuesday});
        const FetchedIndex index = fetched();
        CHECK(index.json == newer);
        CHECK(index.state.url == k_plain);
        CHECK(transport.urls() == Urls{k_zstd, k_bzip2, k_plain});
        CHECK(transport.requests()[2].validators == Validators{"", k_monday});
        unchanged();
        CHECK(transport.urls() == Urls{k_plain});
    }
    SUBCASE("later, once a week") {
        serve(k_plain, k_index, {"", k_monday});  // a 304
        CHECK(fetched().state.url == k_bzip2);
        CHECK(transport.urls() == Urls{k_zstd, k_bzip2, k_plain});
        serve(k_plain, newer, {"\"p\"", k_tuesday});
        unchanged();
        CHECK(transport.urls() == Urls{k_bzip2});
        clock.advance(std::chrono::days(8));
        CHECK(fetched().json == newer);
        CHECK(transport.urls() == Urls{k_zstd, k_bzip2, k_plain, k_shards});
    }
    SUBCASE("unless the plain one is broken") {
        serve(k_plain, "<html>", {"\"p\"", k_tuesday});
        CHECK(fetched().json == k_index);
        REQUIRE(reporter.warnings().size() == 1);
        CHECK(reporter.warnings()[0].starts_with(k_plain + ": "));
    }
    SUBCASE("or cannot be asked for") {
        transport.answer(k_plain, Result<TransferResponse>(fail(ErrorKind::network, "down")));
        CHECK(fetched().json == k_index);
    }
}

TEST_CASE_FIXTURE(Fixture, "forms: a damaged .bz2 is warned about and the plain form taken") {
    transport.answer(k_plain, k_index);
    const std::string stream = *bzip2_compress(k_index, 9);
    for (const std::string& body : {std::string("<html>"),
                                    std::string(),
                                    stream.substr(0, stream.size() / 2),
                                    *bzip2_compress("{}", 9)}) {
        sources[0].last.reset();
        serve(k_bzip2, body, {});
        CHECK(fetched().json == k_index);
        REQUIRE(reporter.warnings().size() == 1);
        CHECK(reporter.warnings()[0].starts_with(k_bzip2 + ": "));
        CHECK(reporter.warnings()[0].ends_with("; taking repodata.json instead"));
    }
}

TEST_CASE_FIXTURE(Fixture, "forms: a form that is gone leads to the others") {
    serve(k_plain, k_index, {"\"p\"", {}});
    CHECK(fetched().state.url == k_plain);
    transport.forget(k_plain);
    serve_zstd(small_index("linux-64", {"a-2-0"}), "\"z\"");
    CHECK(fetched().state.url == k_zstd);
    CHECK(transport.urls() == Urls{k_plain, k_zstd, k_shards});
}

TEST_CASE_FIXTURE(Fixture,
                  "forms: where there are only shards all of them are fetched, then what changed") {
    serve_shards(k_index, "\"1\"");
    const FetchedIndex index = fetched();
    CHECK(*parse_json(index.json) == *parse_json(k_index));
    CHECK(index.state.url == k_shards);
    CHECK(index.fetched_from == k_shards);
    CHECK(index.shards.size() == 2);
    CHECK(transport.urls().size() == 4 + 2);

    unchanged();
    CHECK(transport.urls() == Urls{k_shards});
    CHECK(transport.requests()[0].validators.etag == "\"1\"");
    CHECK(transport.requests()[0].max_bytes == k_max_shard_bytes);
    CHECK(reads == 0);

    const std::string wanted = small_index("linux-64", {"a-1-0", "b-2-1", "b-3-0"});
    serve_shards(wanted, "\"2\"");
    CHECK(*parse_json(fetched().json) == *parse_json(wanted));
    CHECK(asked_for_shards() == 1);
    CHECK(transport.urls().size() == 2);

    serve_shards(wanted, "\"3\"");  // written anew, with nothing new
    const Sha256 before = sources[0].last->index_sha256;
    CHECK(fetched().state.index_sha256 == before);
    CHECK(transport.urls() == Urls{k_shards});
}

TEST_CASE_FIXTURE(Fixture, "forms: shards take over from the whole index once it has changed") {
    serve_zstd(large_index("linux-64", 20), "\"z1\"");
    serve_shards(large_index("linux-64", 20), "\"s1\"");
    CHECK(fetched().state.url == k_zstd);
    CHECK(transport.urls() == Urls{k_zstd});
    unchanged();
    CHECK(transport.urls() == Urls{k_zstd});

    // The first change: the whole index, and every shard to know what it is made of.
    serve_zstd(large_index("linux-64", 20, 1), "\"z2\"");
    serve_shards(large_index("linux-64", 20, 1), "\"s2\"");
    const FetchedIndex learnt = fetched();
    CHECK(learnt.state.url == k_shards);
    CHECK(learnt.state.whole_bytes > 100'000);
    CHECK((learnt.json == large_index("linux-64", 20, 1)));
    CHECK(asked_for_shards() == 20);
    unchanged();
    CHECK(transport.urls() == Urls{k_shards});

    // From then on what changed.
    serve_shards(large_index("linux-64", 20, 3), "\"s3\"");
    const FetchedIndex index = fetched();
    CHECK((index.json == large_index("linux-64", 20, 3)));
    CHECK(index.state.whole_bytes == learnt.state.whole_bytes);
    CHECK(asked_for_shards() == 2);
    CHECK(transport.urls().size() == 3);

    // Too much at once is less to fetch as a whole.
    sources[0].last->whole_bytes = 30'000;
    serve_zstd(large_index("linux-64", 20, 12), "\"z4\"");
    serve_shards(large_index("linux-64", 20, 12), "\"s4\"");
    CHECK(fetched().state.url == k_zstd);
    CHECK(transport.urls() == Urls{k_shards, k_zstd});
    CHECK(reporter.warnings().empty());
}

TEST_CASE_FIXTURE(Fixture,
                  "forms: shards are looked for only in an index that changes, once a week") {
    serve_zstd(k_index, "\"1\"");
    fetched();
    serve_zstd(small_index("linux-64", {"a-2-0"}), "\"2\"");
    CHECK(fetched().state.shards_checked == clock.wall());
    CHECK(transport.urls() == Urls{k_zstd, k_shards});
    serve_zstd(small_index("linux-64", {"a-3-0"}), "\"3\"");
    fetched();
    CHECK(transport.urls() == Urls{k_zstd});
    clock.advance(std::chrono::days(8));
    serve_zstd(small_index("linux-64", {"a-4-0"}), "\"4\"");
    serve_shards(small_index("linux-64", {"a-4-0"}), "\"s\"");  // too small to be worth it
    CHECK(fetched().state.url == k_zstd);
    CHECK(transport.urls() == Urls{k_zstd, k_shards});
    CHECK(reporter.warnings().empty());
    for (const int status : {304, 401, 500}) {
        clock.advance(std::chrono::days(8));
        transport.forget(k_shards);
        transport.answer(k_shards, status);
        serve_zstd(small_index("linux-64", {fmt::format("a-{}-0", status)}),
                   fmt::format("\"{}\"", status));
        CHECK(fetched().state.url == k_zstd);
    }
}

TEST_CASE_FIXTURE(Fixture,
                  "forms: whatever is wrong with shards, the whole index takes their place") {
    serve_shards(k_index, "\"1\"");
    fetched();
    const std::string wanted = small_index("linux-64", {"a-2-0", "b-2-1"});
    serve_shards(wanted, "\"2\"");
    serve_zstd(wanted, "\"z\"");
    const std::string body = transport.body_of(k_shards);
    std::string culprit = k_shards;
    SUBCASE("the index of shards is damaged") {
        serve(k_shards, body.substr(0, body.size() / 2), {"\"2\"", {}});
    }
    SUBCASE("the index of shards is a page") {
        serve(k_shards, "<html>", {});
    }
    SUBCASE("the index of shards is too long") {
        transport.forget(k_shards);
        transport.answer(k_shards,
                         Result<TransferResponse>(fail(ErrorKind::integrity, k_shards + ": long")));
    }
    SUBCASE("it names another subdir") {
        serve_shards(small_index("osx-64", {"a-2-0"}), "\"2\"");
    }
    SUBCASE("a shard has gone") {
        culprit = k_folder + "shards/";
        for (const std::string& url : shards) {
            transport.forget(url);
        }
    }
    SUBCASE("a shard cannot be had") {
        culprit = k_folder + "shards/";
        for (const std::string& url : shards) {
            transport.forget(url);
            transport.answer(url,
                             Result<TransferResponse>(fail(ErrorKind::network, url + ": down")));
        }
    }
    SUBCASE("a shard has other bytes") {
        culprit = k_folder + "shards/";
        for (const std::string& url : shards) {
            serve(url, *zstd_compress("\x80", 3), {});
        }
    }
    SUBCASE("a shard has another name's file") {
        culprit = k_folder + "shards/";
        ShardDigests digests;
        for (const auto& [path, bytes] : test::shard_files(small_index("linux-64", {"a-2-0"}))) {
            digests["b"] = sha256(bytes);
            serve(k_folder + "shards/" + shard_file_name(sha256(bytes)), bytes, {});
        }
        serve(k_shards, test::shard_index({{"shards_base_url", "shards/"}}, digests), {});
    }
    const FetchedIndex index = fetched();
    CHECK(index.json == wanted);
    CHECK(index.state.url == k_zstd);
    CHECK(index.state.shards_checked == clock.wall());
    CHECK(index.shards.empty());
    REQUIRE(reporter.warnings().size() == 1);
    CHECK(reporter.warnings()[0].starts_with(culprit));
    CHECK(reporter.warnings()[0].ends_with("; taking the whole index instead"));
    unchanged();
    CHECK(transport.urls() == Urls{k_zstd});
}

TEST_CASE_FIXTURE(
    Fixture, "forms: shards that fail without a whole index are the error, not a missing index") {
    serve_shards(k_index, "\"1\"");
    for (const std::string& url : shards) {
        transport.forget(url);
    }
    const Error failed = error();
    CHECK(failed.kind == ErrorKind::network);
    CHECK(failed.message.starts_with(k_folder + "shards/"));
    transport.forget(k_shards);
    CHECK(std::holds_alternative<MissingIndex>(one()));
}

TEST_CASE_FIXTURE(Fixture,
                  "forms: an upstream that has dropped its shards is asked for the whole index") {
    serve_shards(k_index, "\"1\"");
    fetched();
    transport.forget(k_shards);
    serve_zstd(k_index, "\"z\"");
    CHECK(fetched().state.url == k_zstd);
    CHECK(reporter.warnings().empty());
}

TEST_CASE_FIXTURE(Fixture, "forms: what is known of shards holds at another upstream") {
    serve_shards(k_index, "\"1\"");
    fetched();
    sources[0].channel_url = "https://v.example/c";
    const std::string folder = "https://v.example/c/linux-64/";
    for (const auto& [path, body] :
         test::shard_files(small_index("linux-64", {"a-1-0", "b-9-0"}))) {
        transport.answer(folder + path, body);
    }
    CHECK(fetched().state.url == folder + std::string(k_shard_index));
    CHECK(transport.urls().size() == 2);
    CHECK(transport.requests()[0].validators.empty());
}

TEST_CASE_FIXTURE(Fixture,
                  "forms: without what was held every shard is fetched, or the whole index") {
    serve_shards(k_index, "\"1\"");
    fetched();
    const std::string wanted = small_index("linux-64", {"a-2-0", "b-2-1"});
    serve_shards(wanted, "\"2\"");
    serve_zstd(wanted, "\"z\"");
    SUBCASE("the list of shards is lost") {
        sources[0].held = [] { return HeldIndex{k_index, {}}; };
        CHECK(*parse_json(fetched().json) == *parse_json(wanted));
        CHECK(asked_for_shards() == 2);
    }
    SUBCASE("the index cannot be read") {
        sources[0].held = []() -> Result<HeldIndex> {
            return fail(ErrorKind::integrity, "damaged on disk");
        };
        CHECK(fetched().state.url == k_zstd);
        CHECK(reporter.warnings() == Urls{"damaged on disk; taking the whole index instead"});
    }
}

TEST_CASE_FIXTURE(Fixture, "forms: an interruption among shards ends the fetch") {
    serve_shards(k_index, "\"1\"");
    for (const std::string& url : shards) {
        transport.forget(url);
        transport.answer(url, Result<TransferResponse>(fail(ErrorKind::interrupted, "stopped")));
    }
    CHECK(error().kind == ErrorKind::interrupted);
}

TEST_CASE_FIXTURE(Fixture,
                  "forms: an older index is asked for once more past the caches, then refused") {
    const std::string zstd = *zstd_compress(k_index, 3);
    const std::string old = *zstd_compress(small_index("linux-64", {"a-0-0"}), 3);
    serve(k_zstd, zstd, {"\"2\"", k_tuesday});
    fetched();
    serve(k_zstd, old, {"\"1\"", k_monday});
    SUBCASE("it stays older") {
        const Error failed = error();
        CHECK(failed.kind == ErrorKind::network);
        CHECK(failed.message.starts_with(k_zstd + ": "));
        CHECK(failed.message.find(k_monday) != std::string::npos);
        CHECK(failed.message.find(k_tuesday) != std::string::npos);
        CHECK(failed.message.find("--accept-shrink") != std::string::npos);
        REQUIRE(transport.urls() == Urls{k_zstd, k_zstd});
        CHECK_FALSE(transport.requests()[0].no_cache);
        CHECK(transport.requests()[1].no_cache);
        CHECK(transport.requests()[1].validators.etag == "\"2\"");
    }
    SUBCASE("the server itself has what is held") {
        transport.answer(k_zstd, TransferResponse{200, zstd, {"\"2\"", k_tuesday}, k_zstd});
        unchanged();
        CHECK(transport.urls() == Urls{k_zstd, k_zstd});
    }
    SUBCASE("the server itself has news") {
        const std::string news = small_index("linux-64", {"a-5-0"});
        transport.answer(
            k_zstd, TransferResponse{200, *zstd_compress(news, 3), {"\"3\"", k_tuesday}, k_zstd});
        CHECK(fetched().json == news);
        CHECK_FALSE(transport.requests().back().no_cache);  // the question for shards
    }
    SUBCASE("the user wants it") {
        sources[0].accept_older = true;
        CHECK(fetched().state.validators.last_modified == k_monday);
    }
    SUBCASE("it is the same index") {
        serve(k_zstd, zstd, {"\"1\"", k_monday});
        CHECK(fetched().json == k_index);
        CHECK(reporter.warnings().empty());
    }
    SUBCASE("at another upstream too") {
        sources[0].channel_url = "https://v.example/c";
        const std::string url = "https://v.example/c/linux-64/repodata.json.zst";
        serve(url, old, {"\"1\"", k_monday});
        CHECK(error().message.starts_with(url));
    }
    SUBCASE("a date that is none says nothing") {
        serve(k_zstd, old, {"\"1\"", "yesterday"});
        fetched();
    }
    SUBCASE("another form's date says nothing") {
        transport.forget(k_zstd);
        serve(k_plain, k_index, {"\"1\"", k_monday});
        CHECK(fetched().state.url == k_plain);
    }
}

TEST_CASE_FIXTURE(Fixture, "forms: an older index of shards is refused too") {
    serve_shards(k_index, "\"2\"");
    const std::string body = transport.body_of(k_shards);
    serve(k_shards, body, {"\"2\"", k_tuesday});
    fetched();
    serve(k_shards, body, {"\"1\"", k_monday});
    CHECK(error().kind == ErrorKind::network);
    CHECK(transport.urls() == Urls{k_shards, k_shards});
    CHECK(transport.requests()[1].no_cache);
}

}  // namespace
}  // namespace chm::channels
