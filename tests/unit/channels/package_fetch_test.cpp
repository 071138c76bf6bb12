// What becomes of each file, whatever its sources answer. Real servers: tests/integration.
#include "channels/package_fetch.hpp"

#include "base/atomic_file.hpp"
#include "base/file.hpp"
#include "support/fake_clock.hpp"
#include "support/fake_transport.hpp"
#include "support/recording_reporter.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;

const std::string k_bytes = "0123456789";
const std::string k_a = "https://a.example/c/x.conda";
const std::string k_b = "https://b.example/c/x.conda";

PackageRequest request(const std::vector<std::string>& urls, const std::string& bytes = k_bytes) {
    PackageRequest request;
    request.label = "c/x.conda";
    for (const std::string& url : urls) {
        request.sources.push_back({url, {}});
    }
    request.sha256 = sha256(bytes);
    request.size = bytes.size();
    return request;
}

class Fixture {
public:
    Result<std::vector<PackageOutcome>> run(const std::vector<PackageRequest>& requests,
                                            const std::stop_token& stop = {}) {
        transport.clear_requests();
        reporter.clear();
        return fetch_packages(requests,
                              store,
                              {directory / "root/state/partial", 1000},
                              {transport, clock, reporter, stop});
    }
    FetchedPackage must_fetch(const PackageRequest& wanted) {
        auto outcomes = run({wanted});
        REQUIRE_MESSAGE(outcomes, outcomes.error().message);
        REQUIRE(std::holds_alternative<FetchedPackage>((*outcomes)[0]));
        auto fetched = std::get<FetchedPackage>((*outcomes)[0]);
        const auto stored = read_file(store.path_of(fetched.sha256), 1 << 20);
        REQUIRE(stored);
        CHECK(sha256(*stored) == fetched.sha256);
        CHECK(stored->size() == fetched.size);
        return fetched;
    }
    MissingPackage must_miss(const PackageRequest& wanted) {
        auto outcomes = run({wanted});
        REQUIRE_MESSAGE(outcomes, outcomes.error().message);
        REQUIRE(std::holds_alternative<MissingPackage>((*outcomes)[0]));
        CHECK(store.list()->empty());
        return std::get<MissingPackage>((*outcomes)[0]);
    }
    [[nodiscard]] fs::path partial(const std::string& key) const {
        return directory / ("root/state/partial/" + key + ".part");
    }
    [[nodiscard]] fs::path partial() const { return partial(sha256(k_bytes).hex()); }
    void leave(const std::string& text) const {
        REQUIRE(make_directories(directory / "root/state/partial"));
        REQUIRE(write_file_atomically(partial(), text));
    }
    [[nodiscard]] std::vector<std::string> resumed() const { return transport.resumed(); }

    using Strings = std::vector<std::string>;
    test::TempDir directory;
    ObjectStore store{directory / "root"};
    test::FakeTransport transport;
    test::FakeClock clock;
    test::RecordingReporter reporter;
};

TEST_CASE_FIXTURE(Fixture, "package_fetch: a file is fetched once and then here") {
    transport.answer(k_a, k_bytes);
    const auto fetched = must_fetch(request({k_a}));
    CHECK(fetched.sha256 == sha256(k_bytes));
    CHECK(fetched.size == 10);
    CHECK_FALSE(fetched.was_here);
    CHECK_FALSE(fs::exists(partial()));
    CHECK(must_fetch(request({k_a})).was_here);
    CHECK(transport.requests().empty());
    CHECK(run({})->empty());
}

TEST_CASE_FIXTURE(Fixture, "package_fetch: what is asked for carries label, size and credentials") {
    PackageRequest wanted = request({k_a});
    wanted.sources[0].credentials.token = Secret("tk");
    transport.answer(k_a, k_bytes);
    must_fetch(wanted);
    REQUIRE(transport.requests().size() == 1);
    CHECK(transport.requests()[0].label == "c/x.conda");
    CHECK(transport.requests()[0].expected_bytes == 10);
    CHECK(transport.requests()[0].credentials == wanted.sources[0].credentials);
}

TEST_CASE_FIXTURE(Fixture,
                  "package_fetch: an object of another size than promised is fetched again") {
    transport.answer(k_a, k_bytes);
    must_fetch(request({k_a}));
    fs::remove(store.path_of(sha256(k_bytes)));
    REQUIRE(write_file_atomically(store.path_of(sha256(k_bytes)), "012"));
    CHECK_FALSE(must_fetch(request({k_a})).was_here);
}

TEST_CASE_FIXTURE(Fixture,
                  "package_fetch: with only an md5, or with nothing, the sha256 is computed") {
    transport.answer(k_a, k_bytes);
    PackageRequest old = request({k_a});
    old.sha256.reset();
    old.md5 = md5(k_bytes);
    CHECK(must_fetch(old).sha256 == sha256(k_bytes));
    old.md5.reset();
    old.size.reset();
    CHECK(must_fetch(old).sha256 == sha256(k_bytes));
    old.md5 = md5("other");
    CHECK(store.remove(sha256(k_bytes)));
    const auto missing = must_miss(old);
    CHECK(missing.expected == "md5 " + md5("other").hex());
    CHECK(missing.got == "md5 " + md5(k_bytes).hex());
}

TEST_CASE_FIXTURE(Fixture, "package_fetch: the next source is tried, and the last answer told") {
    for (const int status : {401, 403, 404, 410, 416, 418, 429, 503}) {
        CAPTURE(status);
        transport.forget(k_a);
        transport.answer(k_a, status);
        const auto missing = must_miss(request({k_a}));
        CHECK(missing.url == k_a);
        CHECK(missing.expected == "sha256 " + sha256(k_bytes).hex() + ", 10 B");
        CHECK(missing.got == std::to_string(status));
        CHECK(missing.tries == 1);
    }
    transport.answer(k_b, k_bytes);
    CHECK_FALSE(must_fetch(request({k_a, k_b})).was_here);
    CHECK(transport.urls() == Strings{k_a, k_b});
}

TEST_CASE_FIXTURE(Fixture, "package_fetch: wrong bytes are not taken, and not asked for twice") {
    transport.answer(k_a, "9876543210");
    const auto missing = must_miss(request({k_a}));
    CHECK(missing.got == "sha256 " + sha256("9876543210").hex());
    CHECK(missing.tries == 1);
    CHECK_FALSE(fs::exists(partial()));
    transport.answer(k_b, "<html>Please log in</html>");
    CHECK(must_miss(request({k_b})).got.find("26 bytes") != std::string::npos);
    transport.answer("https://c.example/x", k_bytes);
    must_fetch(request({k_a, k_b, "https://c.example/x"}));
}

TEST_CASE_FIXTURE(Fixture, "package_fetch: what one source left off another continues") {
    transport.answer(k_a, k_bytes);
    transport.answer(k_b, k_bytes);
    transport.break_next(k_a, 4);
    must_fetch(request({k_a, k_b}));
    CHECK(resumed() == Strings{k_a + " from 0", k_b + " from 4"});
}

TEST_CASE_FIXTURE(Fixture, "package_fetch: what a run left off the next continues") {
    transport.answer(k_a, k_bytes);
    transport.break_next(k_a, 4);
    const auto missing = must_miss(request({k_a}));
    CHECK(missing.got == "broken off");
    CHECK(fs::file_size(partial()) == 4);
    must_fetch(request({k_a}));
    CHECK(resumed() == Strings{k_a + " from 4"});
    CHECK_FALSE(fs::exists(partial()));
}

TEST_CASE_FIXTURE(Fixture,
                  "package_fetch: a whole left-over is taken without a request, if it is right") {
    leave(k_bytes);
    CHECK_FALSE(must_fetch(request({k_a})).was_here);
    CHECK(transport.requests().empty());
    CHECK(store.remove(sha256(k_bytes)));
    leave("0123456780");
    transport.answer(k_a, k_bytes);
    must_fetch(request({k_a}));
    CHECK(resumed() == Strings{k_a + " from 0"});
}

TEST_CASE_FIXTURE(Fixture,
                  "package_fetch: a wrong beginning is found out and the file fetched anew, once") {
    leave("xyz");
    transport.answer(k_a, k_bytes);
    must_fetch(request({k_a}));
    CHECK(resumed() == Strings{k_a + " from 3", k_a + " from 0"});
    CHECK(store.remove(sha256(k_bytes)));
    leave("xyz");
    transport.forget(k_a);
    transport.answer(k_a, "9876543210");
    must_miss(request({k_a}));
    CHECK(resumed() == Strings{k_a + " from 3", k_a + " from 0"});
}

TEST_CASE_FIXTURE(Fixture,
                  "package_fetch: of a size that nobody promised, 416 says that all is here") {
    PackageRequest wanted = request({k_a});
    wanted.size.reset();
    transport.answer(k_a, k_bytes);
    leave(k_bytes);
    must_fetch(wanted);
    CHECK(resumed() == Strings{k_a + " from 10"});
    CHECK(store.remove(sha256(k_bytes)));
    leave(k_bytes + "and more");
    must_fetch(wanted);
    CHECK(resumed() == Strings{k_a + " from 18", k_a + " from 0"});
}

TEST_CASE_FIXTURE(
    Fixture,
    "package_fetch: a source with a file of another size leaves the beginning for the next") {
    leave("0123");
    transport.answer(k_a, k_bytes + "and more");
    transport.answer(k_b, k_bytes);
    must_fetch(request({k_a, k_b}));
    CHECK(resumed() == Strings{k_a + " from 4", k_b + " from 4"});
}

TEST_CASE_FIXTURE(
    Fixture,
    "package_fetch: requests for the same bytes are one transfer, from any of their sources") {
    transport.answer(k_b, k_bytes);
    PackageRequest wrong_size = request({k_b});
    wrong_size.size = 11;
    const auto outcomes = run({request({k_a}), request({k_b}), wrong_size});
    REQUIRE_MESSAGE(outcomes, outcomes.error().message);
    CHECK(transport.urls() == Strings{k_a, k_b});
    CHECK(std::holds_alternative<FetchedPackage>((*outcomes)[0]));
    CHECK(std::holds_alternative<FetchedPackage>((*outcomes)[1]));
    REQUIRE(std::holds_alternative<MissingPackage>((*outcomes)[2]));
    CHECK(std::get<MissingPackage>((*outcomes)[2]).got == "10 B");
}

TEST_CASE_FIXTURE(Fixture,
                  "package_fetch: one missing file does not stop the others, and all are counted") {
    const std::string other = "https://a.example/c/y.conda";
    transport.answer(other, "other");
    const auto outcomes =
        run({request({k_a}), request({other}, "other"), request({other}, "other")});
    REQUIRE(outcomes);
    CHECK(std::holds_alternative<MissingPackage>((*outcomes)[0]));
    CHECK(std::holds_alternative<FetchedPackage>((*outcomes)[1]));
    CHECK(std::holds_alternative<FetchedPackage>((*outcomes)[2]));
    REQUIRE_FALSE(reporter.all<PhaseAdvanced>().empty());
    CHECK(reporter.all<PhaseAdvanced>().back().done == 3);
}

TEST_CASE_FIXTURE(Fixture, "package_fetch: only when nobody answers at all is it the network") {
    transport.answer(k_a, fail(ErrorKind::network, k_a + ": no such host"));
    transport.answer(k_b, fail(ErrorKind::network, k_b + ": no such host"));
    const auto failed = run({request({k_a, k_b}), request({k_b}, "other")});
    REQUIRE_FALSE(failed);
    CHECK(failed.error().kind == ErrorKind::network);
    CHECK(failed.error().message == k_a + ": no such host (1 more files failed too)");
    const std::string there = "https://c.example/there";
    transport.answer(there, 404);
    const auto outcomes = run({request({k_a, k_b}), request({there}, "other")});
    REQUIRE(outcomes);
    CHECK(std::get<MissingPackage>((*outcomes)[0]).got == "no such host");
    CHECK(std::get<MissingPackage>((*outcomes)[0]).url == k_b);
    CHECK(std::get<MissingPackage>(run({request({there, k_a})})->at(0)).got == "404");
}

TEST_CASE_FIXTURE(Fixture,
                  "package_fetch: an interrupted run ends with that and keeps what has come") {
    transport.answer(k_a, fail(ErrorKind::interrupted, k_a + ": interrupted"));
    transport.answer(k_b, "other");
    const auto failed = run({request({k_b}, "other"), request({k_a})});
    REQUIRE_FALSE(failed);
    CHECK(failed.error().kind == ErrorKind::interrupted);
    CHECK(fs::exists(partial(sha256("other").hex())));
    must_fetch(request({k_b}, "other"));
    CHECK(transport.requests().empty());
}

TEST_CASE_FIXTURE(Fixture, "package_fetch: a disk that refuses ends everything") {
    REQUIRE(make_directories(directory / "root/state"));
    REQUIRE(write_file_atomically(directory / "root/state/partial", "a file"));
    transport.answer(k_a, k_bytes);
    const auto failed = run({request({k_a})});
    REQUIRE_FALSE(failed);
    CHECK(failed.error().kind == ErrorKind::io);
}

TEST_CASE_FIXTURE(Fixture, "package_fetch: a request without a source is a missing file") {
    const auto missing = must_miss(request({}));
    CHECK(missing.tries == 0);
    CHECK(missing.url.empty());
}

}  // namespace
}  // namespace chm::channels
