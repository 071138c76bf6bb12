// fetch_indexes over a FakeTransport: which form is asked for, and what an answer means.
#include "channels/fetch.hpp"

#include "base/zstd.hpp"
#include "support/fake_clock.hpp"
#include "support/fake_transport.hpp"
#include "support/mirror_check.hpp"
#include "support/recording_reporter.hpp"

#include <doctest/doctest.h>

namespace chm::channels {
namespace {

using test::FakeTransport;
using test::small_index;

const std::string k_plain = "https://u.example/c/linux-64/repodata.json";
const std::string k_zstd = k_plain + ".zst";
const std::string k_bzip2 = k_plain + ".bz2";
const std::string k_index = small_index("linux-64", {"a-1-0", "b-2-1"});

std::string packed(std::string_view text) {
    const auto bytes = zstd_compress(text, 3);
    REQUIRE(bytes);
    return *bytes;
}

class Fixture {
public:
    Result<std::vector<FetchOutcome>> run() {
        reporter.clear();
        transport.clear_requests();
        return fetch_indexes(sources, {transport, clock, reporter, {}});
    }
    FetchOutcome one() {
        auto outcomes = run();
        REQUIRE_MESSAGE(outcomes, outcomes.error().message);
        REQUIRE(outcomes->size() == 1);
        return std::move((*outcomes)[0]);
    }
    FetchedIndex fetched() {
        FetchOutcome outcome = one();
        REQUIRE(std::holds_alternative<FetchedIndex>(outcome));
        return std::get<FetchedIndex>(std::move(outcome));
    }
    Error error() {
        auto outcomes = run();
        REQUIRE_FALSE(outcomes);
        return outcomes.error();
    }

    FakeTransport transport;
    test::FakeClock clock;
    test::RecordingReporter reporter;
    std::vector<IndexSource> sources = {
        {{"c", "https://example.org/c"}, "linux-64", "https://u.example/c", {Secret("u:p")}, {}}};
};

TEST_CASE_FIXTURE(Fixture, "fetch: the .zst is preferred, decoded and checked") {
    transport.answer(k_zstd, packed(k_index), "\"1\"");
    const FetchedIndex index = fetched();
    CHECK(index.json == k_index);
    CHECK(index.summary.records == 2);
    CHECK(index.state.url == k_zstd);
    CHECK(index.state.validators.etag == "\"1\"");
    CHECK(index.state.index_sha256 == sha256(k_index));
    CHECK(index.state.zstd_checked == clock.wall());
    CHECK(index.fetched_from == k_zstd);
    REQUIRE(transport.requests().size() == 1);
    CHECK(transport.requests()[0].label == "c/linux-64/repodata.json.zst");
    CHECK(transport.requests()[0].credentials.user_password == Secret("u:p"));
    CHECK(transport.requests()[0].max_bytes > 0);
    CHECK(transport.requests()[0].validators.empty());
}

TEST_CASE_FIXTURE(Fixture, "fetch: without a usable .zst the plain form decides") {
    transport.answer(k_plain, k_index, "\"p\"");
    for (const int status : {404, 410, 401, 403, 400, 406, 501}) {
        CAPTURE(status);
        transport.forget(k_zstd);
        transport.answer(k_zstd, status);
        CHECK(fetched().state.url == k_plain);
        CHECK(transport.urls() == std::vector<std::string>{k_zstd, k_bzip2, k_plain});
        CHECK(reporter.warnings().empty());
    }
}

TEST_CASE_FIXTURE(Fixture, "fetch: a damaged .zst is warned about and the plain form taken") {
    transport.answer(k_plain, k_index);
    const std::string frame = packed(k_index);
    for (const std::string& body :
         {std::string("<html>"), std::string(), frame.substr(0, frame.size() / 2), packed("{}")}) {
        transport.forget(k_zstd);
        transport.answer(k_zstd, body);
        CHECK(fetched().json == k_index);
        REQUIRE(reporter.warnings().size() == 1);
        CHECK(reporter.warnings()[0].find(k_zstd) != std::string::npos);
    }
}

TEST_CASE_FIXTURE(Fixture, "fetch: damage in both forms is an integrity error that names the URL") {
    transport.answer(k_zstd, "<html>");
    transport.answer(k_plain, "<html>");
    const Error failed = error();
    CHECK(failed.kind == ErrorKind::integrity);
    CHECK(failed.message.starts_with(k_plain + ": "));
    CHECK(failed.message.find("HTML") != std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "fetch: neither form there is an outcome, not an error") {
    CHECK(std::holds_alternative<MissingIndex>(one()));
    transport.answer(k_plain, 410);
    CHECK(std::holds_alternative<MissingIndex>(one()));
}

TEST_CASE_FIXTURE(Fixture, "fetch: denied and odd statuses of the plain form are network errors") {
    for (const int status : {401, 403, 407}) {
        transport.forget(k_plain);
        transport.answer(k_plain, status);
        const Error failed = error();
        CHECK(failed.kind == ErrorKind::network);
        CHECK(failed.message.find("credentials") != std::string::npos);
    }
    for (const int status : {0, 206, 301, 304, 400, 418, 501}) {
        CAPTURE(status);
        transport.forget(k_plain);
        transport.answer(k_plain, status);
        const Error failed = error();
        CHECK(failed.kind == ErrorKind::network);
        CHECK(failed.message.find(k_plain) != std::string::npos);
    }
}

TEST_CASE_FIXTURE(Fixture, "fetch: the second time one conditional request does") {
    transport.answer(k_zstd, packed(k_index), "\"1\"");
    sources[0].last = fetched().state;
    const FetchOutcome outcome = one();
    REQUIRE(std::holds_alternative<UnchangedIndex>(outcome));
    CHECK_FALSE(std::get<UnchangedIndex>(outcome).state);
    REQUIRE(transport.requests().size() == 1);
    CHECK(transport.requests()[0].validators.etag == "\"1\"");
}

TEST_CASE_FIXTURE(Fixture, "fetch: validators of another URL are not sent") {
    transport.answer(k_zstd, packed(k_index), "\"1\"");
    FetchState last = fetched().state;
    last.url = "https://other.example/c/linux-64/repodata.json.zst";
    sources[0].last = last;
    static_cast<void>(fetched());
    CHECK(transport.requests()[0].validators.empty());
}

TEST_CASE_FIXTURE(Fixture,
                  "fetch: a lack of .zst is taken for granted for a week, then asked about once") {
    transport.answer(k_plain, k_index, "\"p\"");
    sources[0].last = fetched().state;
    CHECK(sources[0].last->zstd_checked == clock.wall());
    clock.advance(std::chrono::days(6));
    CHECK(std::holds_alternative<UnchangedIndex>(one()));
    CHECK(transport.urls() == std::vector<std::string>{k_plain});

    clock.advance(std::chrono::days(2));
    const FetchOutcome outcome = one();
    CHECK(transport.urls() == std::vector<std::string>{k_zstd, k_bzip2, k_plain});
    REQUIRE(std::holds_alternative<UnchangedIndex>(outcome));
    REQUIRE(std::get<UnchangedIndex>(outcome).state);
    CHECK(std::get<UnchangedIndex>(outcome).state->zstd_checked == clock.wall());
    CHECK(std::get<UnchangedIndex>(outcome).state->validators.etag == "\"p\"");
    CHECK(std::get<UnchangedIndex>(outcome).state->index_sha256 == sha256(k_index));
}

TEST_CASE_FIXTURE(
    Fixture, "fetch: a changed plain form keeps or renews the date of the last .zst question") {
    transport.answer(k_plain, k_index, "\"p\"");
    sources[0].last = fetched().state;
    const WallTime first = clock.wall();
    transport.forget(k_plain);
    transport.answer(k_plain, small_index("linux-64", {"c-1-0"}), "\"q\"");
    clock.advance(std::chrono::days(1));
    CHECK(fetched().state.zstd_checked == first);
    clock.advance(std::chrono::days(7));
    CHECK(fetched().state.zstd_checked == clock.wall());
}

TEST_CASE_FIXTURE(Fixture, "fetch: once upstream has a .zst it is used again") {
    transport.answer(k_plain, k_index, "\"p\"");
    sources[0].last = fetched().state;
    transport.answer(k_zstd, packed(k_index), "\"z\"");
    clock.advance(std::chrono::days(8));
    CHECK(fetched().state.url == k_zstd);
}

TEST_CASE_FIXTURE(Fixture, "fetch: what is kept of a redirect has no credentials and no ticket") {
    transport.answer(
        k_zstd,
        TransferResponse{
            200, packed(k_index), {}, "https://me:secret@cdn.example/x.zst?X-Amz-Signature=abc#f"});
    CHECK(fetched().fetched_from == "https://cdn.example/x.zst");
}

TEST_CASE_FIXTURE(Fixture, "fetch: outcomes keep the order of their sources") {
    sources.push_back({{"d", "https://example.org/d"}, "noarch", "https://u.example/d", {}, {}});
    sources.push_back({{"e", "https://example.org/e"}, "noarch", "https://u.example/e", {}, {}});
    transport.answer(k_plain, k_index);
    transport.answer("https://u.example/e/noarch/repodata.json.zst",
                     packed(small_index("noarch", {"e-1-0"})));
    const auto outcomes = run();
    REQUIRE(outcomes);
    REQUIRE(outcomes->size() == 3);
    CHECK(std::get<FetchedIndex>((*outcomes)[0]).summary.records == 2);
    CHECK(std::holds_alternative<MissingIndex>((*outcomes)[1]));
    CHECK(std::get<FetchedIndex>((*outcomes)[2]).summary.records == 1);
    CHECK(transport.requests().size() == 3 + 4 + 1);  // c has the plain form, d none, e a .zst
}

TEST_CASE_FIXTURE(Fixture, "fetch: the first failure is returned, the others are details") {
    sources.push_back({{"d", "https://example.org/d"}, "noarch", "https://u.example/d", {}, {}});
    transport.answer(k_zstd, Result<TransferResponse>(fail(ErrorKind::network, "first")));
    transport.answer("https://u.example/d/noarch/repodata.json.zst",
                     Result<TransferResponse>(fail(ErrorKind::integrity, "second")));
    const Error failed = error();
    CHECK(failed.kind == ErrorKind::network);
    CHECK(failed.message == "first (1 more failed too; -v names them)");
    CHECK(reporter.details() == std::vector<std::string>{"second"});
    CHECK(transport.requests().size() == 2);
}

TEST_CASE_FIXTURE(Fixture, "fetch: nothing to fetch is nothing asked") {
    sources.clear();
    const auto outcomes = run();
    REQUIRE(outcomes);
    CHECK(outcomes->empty());
    CHECK(transport.requests().empty());
}

}  // namespace
}  // namespace chm::channels
