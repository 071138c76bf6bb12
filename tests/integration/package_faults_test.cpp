// fetch_packages() with the real transport against a server that misbehaves, a disk that is full and
// a process that is killed. Whatever happens, the store holds right bytes or none.
#include "base/atomic_file.hpp"
#include "base/file.hpp"
#include "channels/curl_transport.hpp"
#include "channels/package_fetch.hpp"
#include "support/local_server.hpp"
#include "support/recording_reporter.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <spawn.h>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::LocalServer;
using test::Rule;

std::string random_bytes(std::size_t size, unsigned seed) {
    std::mt19937 random(seed);
    std::string bytes(size, '\0');
    for (char& byte : bytes) {
        byte = static_cast<char>(random() & 0xFFU);
    }
    return bytes;
}

const std::string k_big = random_bytes(3'000'000, 1);
const std::string k_page = "<html><body>Please log in</body></html>";

class Fixture {
public:
    Fixture() {
        options.retry.base_delay = 1ms;
        options.retry.retries = 2;
        put("big", k_big);
    }

    void put(const std::string& path, const std::string& bytes) {
        REQUIRE(make_directories((upstream / path).parent_path()));
        REQUIRE(write_file_atomically(upstream / path, bytes));
    }
    static PackageRequest request(const std::vector<std::string>& urls, const std::string& bytes) {
        PackageRequest request;
        for (const std::string& url : urls) {
            request.sources.push_back({url, {}});
        }
        request.label = urls.front();
        request.sha256 = sha256(bytes);
        request.size = bytes.size();
        return request;
    }
    [[nodiscard]] PackageRequest big() const { return request({server.url("/big")}, k_big); }

    Result<std::vector<PackageOutcome>> run(const std::vector<PackageRequest>& requests,
                                            const std::stop_token& stop = {}) {
        reporter.clear();
        server.clear_requests();
        const auto transport = make_curl_transport(options, clock);
        auto outcomes = fetch_packages(
            requests, store, {partials, 64 << 20}, {*transport, clock, reporter, stop});
        check_store();
        return outcomes;
    }
    /// Every object is what its name says.
    void check_store() const {
        const auto objects = store.list();
        REQUIRE(objects);
        for (const StoredObject& object : *objects) {
            CHECK(*sha256_of_file(store.path_of(object.sha256)) == object.sha256);
        }
    }
    FetchedPackage must_fetch(const PackageRequest& wanted) {
        auto outcomes = run({wanted});
        REQUIRE_MESSAGE(outcomes, outcomes.error().message);
        const auto* missing = std::get_if<MissingPackage>(&outcomes->front());
        REQUIRE_MESSAGE(missing == nullptr, missing->got);
        return std::get<FetchedPackage>(outcomes->front());
    }
    MissingPackage must_miss(const PackageRequest& wanted) {
        auto outcomes = run({wanted});
        REQUIRE_MESSAGE(outcomes, outcomes.error().message);
        REQUIRE(std::holds_alternative<MissingPackage>(outcomes->front()));
        CHECK(store.list()->empty());
        return std::get<MissingPackage>(outcomes->front());
    }
    /// The big file under these rules, twice: the faults strike the first time only.
    void must_survive(const std::vector<Rule>& rules) {
        server.set_script({rules});
        CHECK_FALSE(must_fetch(big()).was_here);
        REQUIRE(store.remove(sha256(k_big)));
        CHECK(fs::is_empty(partials));
    }
    /// fetch_packages() as a process of its own, without a shell's or this process's threads.
    [[nodiscard]] ::pid_t start_fetch(std::uint64_t file_limit,
                                      std::chrono::milliseconds retry_delay,
                                      const std::vector<PackageRequest>& requests,
                                      const std::string& error_file) const {
        std::vector<std::string> words = {CHM_FETCH_FILES,
                                          (directory / "root").string(),
                                          std::to_string(file_limit),
                                          std::to_string(retry_delay.count())};
        for (const PackageRequest& wanted : requests) {
            words.push_back(wanted.sources.front().url);
            words.push_back(wanted.sha256->hex());
            words.push_back(std::to_string(*wanted.size));
        }
        std::vector<char*> arguments;
        for (std::string& word : words) {
            arguments.push_back(word.data());
        }
        arguments.push_back(nullptr);
        ::posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_addopen(&actions,
                                           STDERR_FILENO,
                                           (directory / error_file).c_str(),
                                           O_WRONLY | O_CREAT | O_TRUNC,
                                           0600);
        ::pid_t child = -1;
        const int failed =
            ::posix_spawn(&child, CHM_FETCH_FILES, &actions, nullptr, arguments.data(), environ);
        ::posix_spawn_file_actions_destroy(&actions);
        REQUIRE(failed == 0);
        return child;
    }
    void leave_partial(const std::string& bytes) const {
        REQUIRE(make_directories(partials));
        REQUIRE(write_file_atomically(partial(), bytes));
    }
    [[nodiscard]] fs::path partial() const { return partials / (sha256(k_big).hex() + ".part"); }
    [[nodiscard]] std::string range(std::size_t i) const {
        return std::string(server.requests().at(i).header("range").value_or(""));
    }

    test::TempDir directory;
    fs::path upstream = directory / "upstream";
    fs::path partials = directory / "root/state/partial";
    LocalServer server{upstream};
    LocalServer second{upstream};
    ObjectStore store{directory / "root"};
    SystemClock clock;
    test::RecordingReporter reporter;
    CurlOptions options;
};

TEST_CASE_FIXTURE(Fixture, "packages: one file of three is not there") {
    put("a", "a");
    put("c", "c");
    const auto outcomes = run({request({server.url("/a")}, "a"),
                               request({server.url("/b")}, "b"),
                               request({server.url("/c")}, "c")});
    REQUIRE_MESSAGE(outcomes, outcomes.error().message);
    CHECK(std::holds_alternative<FetchedPackage>((*outcomes)[0]));
    CHECK(std::holds_alternative<FetchedPackage>((*outcomes)[2]));
    const auto missing = std::get<MissingPackage>((*outcomes)[1]);
    CHECK(missing.got == "404");
    CHECK(missing.url == server.url("/b"));
    CHECK(missing.tries == 1);
    CHECK(store.list()->size() == 2);
}

TEST_CASE_FIXTURE(Fixture, "packages: wrong bytes of the right size are not taken") {
    server.set_script({{Rule{.flip = 1'000'000}}});
    const auto missing = must_miss(big());
    CHECK(missing.got.starts_with("sha256 "));
    CHECK(missing.tries == 1);
    CHECK(fs::is_empty(partials));
}

TEST_CASE_FIXTURE(Fixture, "packages: a file that is too short or too long, or a page, is none") {
    for (const auto& [rule, got] :
         {std::pair{Rule{.truncate = 1'000'000}, "1000000 bytes"},
          {Rule{.body = k_page, .type = "text/html"}, "39 bytes"},
          {Rule{.body = k_big + "x"}, "3000001 bytes"},
          // The same without a Content-Length: seen only at the end.
          {Rule{.truncate = 1'000'000, .headers = {{"Content-Length", ""}}},
           "cut short after 1.0 MB"},
          {Rule{.body = k_page, .headers = {{"Content-Length", ""}}}, "cut short after 39 B"},
          {Rule{.body = k_big + "x", .headers = {{"Content-Length", ""}}}, "3000001 bytes"}}) {
        server.set_script({{rule}});
        const auto missing = must_miss(big());
        CAPTURE(missing.got);
        CHECK(missing.got.find(got) != std::string::npos);
        CHECK(missing.tries == 1);
        CHECK(fs::is_empty(partials));
    }
}

TEST_CASE_FIXTURE(Fixture, "packages: an endless body is left at the promised size") {
    std::string endless;
    endless.resize(40'000'000, 'x');
    put("endless", endless);
    server.set_script(
        {{Rule{.body_file = upstream / "endless", .headers = {{"Content-Length", ""}}}}});
    must_miss(big());
    CHECK(server.requests()[0].bytes_sent < 20'000'000);
}

TEST_CASE_FIXTURE(Fixture, "packages: a broken transfer goes on where it broke") {
    for (const Rule& rule :
         {Rule{.times = 1, .cut = 1'000'000}, Rule{.times = 1, .reset = 1'000'000}}) {
        must_survive({rule});
        REQUIRE(server.requests().size() == 2);
        CHECK(range(0).empty());
        CHECK(range(1) == "bytes=1000000-");
        CHECK(server.requests()[1].status == 206);
        CHECK(server.requests()[1].bytes_sent == 2'000'000);
    }
}

TEST_CASE_FIXTURE(Fixture, "packages: passing faults are survived") {
    for (const Rule& rule : {Rule{.times = 2, .status = 503},
                             Rule{.times = 1, .status = 429, .retry_after = 0},
                             Rule{.times = 2, .close = true},
                             Rule{.times = 2, .cut = 0},
                             Rule{.cut = 400'000},                          // each time
                             Rule{.times = 2, .no_range = true, .cut = 1},  // nothing kept
                             Rule{.times = 1, .drip = 2'000'000},
                             Rule{.glob = "/big", .redirect = "/elsewhere"}}) {
        put("elsewhere", k_big);
        must_survive({rule});
    }
}

TEST_CASE_FIXTURE(
    Fixture, "packages: Retry-After is waited for, and a long one is the next source's chance") {
    const auto began = std::chrono::steady_clock::now();
    must_survive({{.times = 1, .status = 429, .retry_after = 1}});
    CHECK(std::chrono::steady_clock::now() - began >= 1s);
    server.set_script({{{.status = 429, .retry_after = 3600}}});
    must_fetch(request({server.url("/big"), second.url("/big")}, k_big));
    CHECK(server.requests().size() == 1);
}

TEST_CASE_FIXTURE(Fixture, "packages: a redirect to another host brings no credentials there") {
    server.set_script({{{.redirect = second.url("/big")}}});
    PackageRequest secret = big();
    secret.sources[0].credentials.user_password = Secret("me:secret");
    must_fetch(secret);
    REQUIRE(second.requests().size() == 1);
    CHECK(server.requests()[0].header("authorization"));
    CHECK_FALSE(second.requests()[0].header("authorization"));
}

TEST_CASE_FIXTURE(Fixture, "packages: a redirect loop is left for the next source") {
    server.set_script({{{.redirect = "/big"}}});
    must_fetch(request({server.url("/big"), second.url("/big")}, k_big));
    CHECK(server.requests().size() == 9);
}

TEST_CASE_FIXTURE(Fixture,
                  "packages: a run continues what the last one left, also at another source") {
    leave_partial(k_big.substr(0, 2'500'000));
    must_survive({});
    REQUIRE(server.requests().size() == 1);
    CHECK(range(0) == "bytes=2500000-");
    CHECK_FALSE(server.requests()[0].header("if-range"));
    CHECK(server.requests()[0].bytes_sent == 500'000);

    options.retry.retries = 0;
    server.set_script({{{.cut = 1'000'000}}});
    must_fetch(request({server.url("/big"), second.url("/big")}, k_big));
    REQUIRE(second.requests().size() == 1);
    CHECK(second.requests()[0].header("range") == "bytes=1000000-");
    CHECK_FALSE(second.requests()[0].header("if-range"));
}

TEST_CASE_FIXTURE(Fixture, "packages: a server that does no ranges sends all of it again") {
    leave_partial(k_big.substr(0, 2'500'000));
    must_survive({{.no_range = true}});
    CHECK(server.requests().size() == 1);
    CHECK(server.requests()[0].bytes_sent == k_big.size());
}

TEST_CASE_FIXTURE(Fixture, "packages: a wrong beginning costs one more transfer") {
    std::string wrong = k_big.substr(0, 2'500'000);
    wrong[1'000'000] = static_cast<char>(wrong[1'000'000] + 1);
    leave_partial(wrong);
    must_survive({});
    REQUIRE(server.requests().size() == 2);
    CHECK(range(0) == "bytes=2500000-");
    CHECK(range(1).empty());
}

TEST_CASE_FIXTURE(Fixture,
                  "packages: a server with false ranges is asked for the whole file, once") {
    for (const std::vector<test::HttpHeader>& headers :
         {std::vector<test::HttpHeader>{{"Content-Range", "bytes 1000-2999999/3000000"}},
          std::vector<test::HttpHeader>{}}) {
        leave_partial(k_big.substr(0, 2'500'000));
        must_survive({{.times = 1, .status = 206, .headers = headers}});
        REQUIRE(server.requests().size() == 2);
        CHECK(range(1).empty());
    }
}

TEST_CASE_FIXTURE(Fixture, "packages: 416 to a left-over") {
    PackageRequest wanted = big();
    wanted.size.reset();
    leave_partial(k_big);  // whole, but nobody has told
    must_fetch(wanted);
    REQUIRE(server.requests().size() == 1);
    CHECK(server.requests()[0].status == 416);
    REQUIRE(store.remove(sha256(k_big)));
    leave_partial(k_big + "and more");
    must_fetch(wanted);
    CHECK(server.requests().size() == 2);
    REQUIRE(store.remove(sha256(k_big)));
    leave_partial(k_big.substr(0, 1000));
    must_survive({{.times = 1, .status = 416}});  // and a server that is wrong about it
}

TEST_CASE_FIXTURE(Fixture, "packages: a whole left-over needs no server") {
    leave_partial(k_big);
    must_survive({{.status = 500}});
    CHECK(server.requests().empty());
}

TEST_CASE_FIXTURE(Fixture, "packages: the next source is taken whatever is wrong with the first") {
    for (const Rule& rule : {Rule{.status = 403},
                             Rule{.status = 404},
                             Rule{.status = 410},
                             Rule{.status = 503},
                             Rule{.flip = 5},
                             Rule{.body = k_page},
                             Rule{.truncate = 100},
                             Rule{.cut = 10},
                             Rule{.reset = 10},
                             Rule{.close = true},
                             Rule{.redirect = "/big"}}) {
        server.set_script({{rule}});
        must_fetch(request({server.url("/big"), second.url("/big")}, k_big));
        REQUIRE(store.remove(sha256(k_big)));
    }
}

TEST_CASE_FIXTURE(Fixture, "packages: a server that falls silent is left after the stall timeout") {
    options.stall_timeout = 1s;
    options.retry.retries = 0;
    server.set_script({{{.hang = true}}});
    must_fetch(request({server.url("/big"), second.url("/big")}, k_big));
}

TEST_CASE_FIXTURE(Fixture, "packages: a copy on this machine can be a source") {
    leave_partial(k_big.substr(0, 2'500'000));
    const std::string file = "file://" + (upstream / "big").string();
    must_fetch(request({"file://" + (upstream / "none").string(), file}, k_big));
    REQUIRE(store.remove(sha256(k_big)));
    options.offline = true;
    must_fetch(request({server.url("/big"), file}, k_big));
    CHECK(server.requests().empty());
    REQUIRE(store.remove(sha256(k_big)));
    const auto offline = run({big()});
    REQUIRE_FALSE(offline);
    CHECK(offline.error().kind == ErrorKind::network);
}

TEST_CASE_FIXTURE(Fixture, "packages: nobody at the address") {
    const std::string nobody = [] {
        const test::TempDir gone;
        return LocalServer(gone.path()).url("/x");
    }();
    const auto failed = run({request({nobody}, "x"), request({nobody + "y"}, "y")});
    REQUIRE_FALSE(failed);
    CHECK(failed.error().kind == ErrorKind::network);
    CHECK(failed.error().message.starts_with(nobody));
    const auto outcomes = run({request({nobody}, "x"), big()});
    REQUIRE_MESSAGE(outcomes, outcomes.error().message);
    CHECK(std::holds_alternative<MissingPackage>((*outcomes)[0]));
    CHECK(std::holds_alternative<FetchedPackage>((*outcomes)[1]));
}

TEST_CASE_FIXTURE(Fixture, "packages: the same digest twice is one transfer, the second run none") {
    put("copy", k_big);
    const auto outcomes = run({big(), request({server.url("/copy")}, k_big)});
    REQUIRE_MESSAGE(outcomes, outcomes.error().message);
    CHECK(server.requests().size() == 1);
    CHECK(std::get<FetchedPackage>((*outcomes)[1]).sha256 == sha256(k_big));
    CHECK(must_fetch(big()).was_here);
    CHECK(server.requests().empty());
}

TEST_CASE_FIXTURE(Fixture, "packages: md5 only, and no digest at all") {
    PackageRequest old = big();
    old.sha256.reset();
    old.md5 = md5(k_big);
    server.set_script({{Rule{.times = 1, .cut = 1'000'000}}});
    CHECK(must_fetch(old).sha256 == sha256(k_big));
    CHECK(range(1) == "bytes=1000000-");
    REQUIRE(store.remove(sha256(k_big)));
    PackageRequest bare = big();
    bare.sha256.reset();
    bare.size.reset();
    server.set_script({{Rule{.times = 1, .cut = 1'000'000}}});
    CHECK(must_fetch(bare).sha256 == sha256(k_big));
    CHECK(server.requests()[1].header("if-range"));  // the ETag is all there is to go by
    CHECK(range(1) == "bytes=1000000-");
    REQUIRE(store.remove(sha256(k_big)));
    server.set_script(
        {{Rule{.no_etag = true}, Rule{.times = 1, .no_etag = true, .cut = 1'000'000}}});
    CHECK(must_fetch(bare).sha256 == sha256(k_big));
    CHECK(range(server.requests().size() - 1).empty());
}

TEST_CASE_FIXTURE(Fixture,
                  "packages: objects are read-only, and closed to others if the umask says so") {
    const ::mode_t before = ::umask(027);
    must_fetch(big());
    ::umask(before);
    CHECK(fs::status(store.path_of(sha256(k_big))).permissions() == fs::perms(0440));
}

TEST_CASE_FIXTURE(Fixture, "packages: an interrupted run keeps its bytes for the next") {
    server.set_script({{{.times = 1, .drip = 4'000'000}}});
    std::stop_source stop;
    const std::jthread stopper([&stop] {
        std::this_thread::sleep_for(200ms);
        stop.request_stop();
    });
    const auto began = std::chrono::steady_clock::now();
    const auto outcomes = run({big()}, stop.get_token());
    CHECK(std::chrono::steady_clock::now() - began < 2s);
    REQUIRE_FALSE(outcomes);
    CHECK(outcomes.error().kind == ErrorKind::interrupted);
    const auto here = fs::file_size(partial());
    CHECK(here > 0);
    must_fetch(big());
    CHECK(range(0) == fmt::format("bytes={}-", here));
}

TEST_CASE_FIXTURE(Fixture, "packages: a full disk ends the run at once, and what was here stays") {
    put("small", "small");
    must_fetch(request({server.url("/small")}, "small"));
    // What waits for its next try (60 s) must not hold up the end.
    const ::pid_t child =
        start_fetch(1 << 20, 60s, {request({server.url("/busy")}, "busy"), big()}, "errors");
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 1);
    CHECK(read_file(directory / "errors", 1000)->find(".part: File too large") !=
          std::string::npos);
    CHECK(store.list()->size() == 1);
    must_fetch(big());
    CHECK(range(0) == "bytes=1048576-");
}

TEST_CASE_FIXTURE(
    Fixture, "packages: a run killed at any moment leaves right objects, and the next goes on") {
    constexpr int k_kills = 40;
    constexpr int k_grown =
        5;  // so many must strike in mid-transfer, each run going on from the last
    std::vector<PackageRequest> requests = {big()};
    for (int i = 0; i < 30; ++i) {
        const std::string bytes = random_bytes(20'000, static_cast<unsigned>(i) + 2);
        put(fmt::format("f{}", i), bytes);
        requests.push_back(request({server.url(fmt::format("/f{}", i))}, bytes));
    }
    server.set_script({{{.glob = "/big", .drip = 6'000'000}, {.delay = 5ms}}});
    std::mt19937 random(20261201);
    std::uniform_int_distribution<int> delay_us(0, 60'000);
    std::uint64_t furthest = 0;
    int grown = 0;
    // On a busy machine most kills come before the child has begun; then there are more of them.
    for (int kill = 0; kill < k_kills || (grown < k_grown && kill < 20 * k_kills); ++kill) {
        CAPTURE(kill);
        const ::pid_t child = start_fetch(0, 1ms, requests, "errors");
        std::this_thread::sleep_for(std::chrono::microseconds(delay_us(random)));
        ::kill(child, SIGKILL);
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        REQUIRE((WIFSIGNALED(status) || WEXITSTATUS(status) == 0));
        check_store();
        std::error_code error;
        const auto here = fs::file_size(partial(), error);
        grown += !error && here > furthest ? 1 : 0;
        furthest = error ? furthest : std::max(furthest, here);
    }
    CHECK(grown >= k_grown);
    server.set_script({});
    const auto outcomes = run(requests);
    REQUIRE_MESSAGE(outcomes, outcomes.error().message);
    for (const PackageOutcome& outcome : *outcomes) {
        CHECK(std::holds_alternative<FetchedPackage>(outcome));
    }
    CHECK(store.list()->size() == requests.size());
    CHECK(fs::is_empty(partials));
}

}  // namespace
}  // namespace chm::channels
