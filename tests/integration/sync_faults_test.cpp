// sync() with the real transport against a server that misbehaves. After every fault the mirror is
// what it was, or new and whole; nothing else is acceptable.
#include "base/atomic_file.hpp"
#include "base/zstd.hpp"
#include "channels/curl_transport.hpp"
#include "channels/sync.hpp"
#include "support/local_server.hpp"
#include "support/mirror_check.hpp"
#include "support/recording_reporter.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::LocalServer;
using test::mirror_faults;
using test::Rule;
using test::small_index;

const conda::Channel k_channel{"c", "https://conda.anaconda.org/c"};

class Fixture {
public:
    Fixture() {
        options.retry.base_delay = 1ms;
        options.retry.retries = 3;
        settings.root = directory / "mirror";
        settings.channels = {"c", "conda-forge"};
        settings.upstreams = {{"default", server.url()}};
        put("c/linux-64", small_index("linux-64", {"a-1-0", "b-1-0"}));
        put("c/noarch", small_index("noarch", {"n-1-0"}));
    }

    void put_file(const std::string& path, const std::string& body) {
        REQUIRE(make_directories((upstream / path).parent_path()));
        REQUIRE(write_file_atomically(upstream / path, body));
    }
    /// Both forms of an index.
    void put(const std::string& place, const std::string& index) {
        const auto packed = zstd_compress(index, 3);
        REQUIRE(packed);
        put_file(place + "/repodata.json", index);
        put_file(place + "/repodata.json.zst", *packed);
    }
    /// Upstream moves on, so that the next sync has something to fetch.
    void change_upstream() {
        ++version;
        put("c/linux-64", small_index("linux-64", {"a-1-0", fmt::format("a-{}-0", version)}));
        put("c/noarch", small_index("noarch", {fmt::format("n-{}-0", version)}));
    }

    Result<SyncReport> run(const std::stop_token& stop = {}) {
        reporter.clear();
        server.clear_requests();
        const std::string before = current_id();
        const auto transport = make_curl_transport(options, clock);
        auto report = sync(settings, request, {*transport, clock, reporter, stop});
        CHECK(mirror_faults(settings.root) == std::vector<std::string>());
        CHECK(current_id() == (report ? report->manifest.id : before));
        CHECK_FALSE(fs::exists(settings.root / "snapshots/new.unfinished"));
        return report;
    }
    SyncReport must_run() {
        auto report = run();
        REQUIRE_MESSAGE(report, report.error().message);
        return std::move(*report);
    }
    /// One sync under a script, after upstream has moved on. It must bring what upstream has now.
    void must_survive(std::vector<Rule> rules) {
        change_upstream();
        server.set_script({std::move(rules)});
        const SyncReport report = must_run();
        CHECK(report.new_snapshot);
        CHECK(published("c/noarch").find(fmt::format("n-{}-0", version)) != std::string::npos);
    }
    /// The same for a script that sync cannot cope with: the mirror must be as before.
    Error must_fail(std::vector<Rule> rules) {
        change_upstream();
        server.set_script({std::move(rules)});
        const std::string before = published("c/noarch") + published("c/linux-64");
        const auto report = run();
        REQUIRE_FALSE(report);
        CHECK(published("c/noarch") + published("c/linux-64") == before);
        CHECK(report.error().message.find('\n') == std::string::npos);
        return report.error();
    }

    [[nodiscard]] std::string current_id() const {
        const auto current = read_current(MirrorPaths(settings.root));
        return current && *current ? (*current)->id : std::string();
    }
    [[nodiscard]] std::string published(const std::string& place) const {
        const auto text =
            read_file(settings.root / "public" / place / "repodata.json", test::k_test_limit);
        return text ? *text : std::string();
    }
    [[nodiscard]] std::vector<std::string> asked() const {
        std::vector<std::string> paths;
        for (const test::RequestRecord& record : server.requests()) {
            paths.push_back(record.path);
        }
        std::sort(paths.begin(), paths.end());
        return paths;
    }
    [[nodiscard]] std::size_t asked(const std::string& path) const {
        const auto paths = asked();
        return static_cast<std::size_t>(std::count(paths.begin(), paths.end(), path));
    }

    test::TempDir directory;
    fs::path upstream = directory / "upstream";
    LocalServer server{upstream};
    SystemClock clock;
    test::RecordingReporter reporter;
    CurlOptions options;
    config::Settings settings;
    SyncRequest request{{k_channel}, {"linux-64"}};
    int version = 1;
};

const std::string k_noarch_zst = "/c/noarch/repodata.json.zst";
const std::string k_noarch_json = "/c/noarch/repodata.json";
const std::string k_page = "<html><body>Please log in</body></html>";

bool has(const Error& error, const std::string& part) {
    CAPTURE(error.message);
    return error.message.find(part) != std::string::npos;
}

TEST_CASE_FIXTURE(Fixture, "sync: the .zst is preferred and the plain form not asked for") {
    CHECK(must_run().new_snapshot);
    CHECK(asked() == std::vector<std::string>{"/c/linux-64/repodata.json.zst", k_noarch_zst});
}

TEST_CASE_FIXTURE(Fixture, "sync: without a .zst the plain form is taken") {
    fs::remove(upstream / "c/noarch/repodata.json.zst");
    CHECK(must_run().new_snapshot);
    CHECK(asked(k_noarch_zst) == 1);
    CHECK(asked(k_noarch_json) == 1);
    CHECK_FALSE(must_run().new_snapshot);
    CHECK(asked() == std::vector<std::string>{"/c/linux-64/repodata.json.zst", k_noarch_json});
}

TEST_CASE_FIXTURE(Fixture,
                  "sync: the second is one conditional request per subdir and no new snapshot") {
    const std::string id = must_run().manifest.id;
    const SyncReport report = must_run();
    CHECK_FALSE(report.new_snapshot);
    CHECK(report.manifest.id == id);
    REQUIRE(server.requests().size() == 2);
    for (const test::RequestRecord& record : server.requests()) {
        CHECK(record.status == 304);
        CHECK(record.header("if-none-match"));
    }
    CHECK(std::distance(fs::directory_iterator(settings.root / "snapshots"),
                        fs::directory_iterator()) == 1);
}

TEST_CASE_FIXTURE(Fixture, "sync: a changed upstream makes a new snapshot") {
    const std::string id = must_run().manifest.id;
    must_survive({});
    CHECK(current_id() != id);
}

TEST_CASE_FIXTURE(Fixture, "sync: passing faults are survived by trying again") {
    static_cast<void>(must_run());
    const std::vector<Rule> faults = {
        {.times = 2, .status = 503},
        {.times = 1, .status = 429, .retry_after = 0},
        {.times = 2, .status = 500},
        {.times = 2, .cut = 30},
        {.times = 2, .cut = 0},
        {.times = 2, .reset = 30},
        {.times = 2, .close = true},
        {.times = 2, .delay = 50ms},
        {.times = 1, .truncate = 40, .cut = 20},
    };
    for (std::size_t i = 0; i < faults.size(); ++i) {
        CAPTURE(i);
        must_survive({faults[i]});
    }
}

TEST_CASE_FIXTURE(Fixture, "sync: Retry-After is honoured") {
    static_cast<void>(must_run());
    const auto began = std::chrono::steady_clock::now();
    must_survive({{.glob = "*noarch*", .times = 1, .status = 429, .retry_after = 1}});
    CHECK(std::chrono::steady_clock::now() - began >= 1s);
}

TEST_CASE_FIXTURE(Fixture, "sync: lasting faults leave the mirror alone and name the URL") {
    static_cast<void>(must_run());
    for (const Rule& rule : {Rule{.glob = "*noarch*", .status = 503},
                             Rule{.glob = "*noarch*", .status = 429, .retry_after = 3600},
                             Rule{.glob = "*noarch*", .cut = 30},
                             Rule{.glob = "*noarch*", .reset = 10},
                             Rule{.glob = "*noarch*", .close = true},
                             Rule{.glob = "*noarch*", .redirect = k_noarch_zst},
                             Rule{.glob = "*noarch*", .status = 403},
                             Rule{.glob = "*noarch*", .status = 418}}) {
        CAPTURE(rule.status.value_or(0));
        const Error error = must_fail({rule});
        CHECK(error.kind == ErrorKind::network);
        CHECK(has(error, server.url("/c/noarch/repodata.json")));
    }
}

TEST_CASE_FIXTURE(Fixture, "sync: the first sync fails as cleanly as a later one") {
    server.set_script({{{.glob = "*noarch*", .status = 503}}});
    const auto report = run();
    REQUIRE_FALSE(report);
    CHECK(report.error().kind == ErrorKind::network);
    CHECK(current_id().empty());
    server.set_script({});
    CHECK(must_run().new_snapshot);
}

TEST_CASE_FIXTURE(Fixture, "sync: a damaged .zst is warned about and the plain form taken") {
    static_cast<void>(must_run());
    for (const Rule& rule : {Rule{.glob = "*/noarch/*.zst", .flip = 40},
                             Rule{.glob = "*/noarch/*.zst", .truncate = 40},
                             Rule{.glob = "*/noarch/*.zst", .body = k_page},
                             Rule{.glob = "*/noarch/*.zst", .body = ""}}) {
        // The last sync took the plain form, and would ask for it at once.
        fs::remove_all(settings.root / "state");
        must_survive({rule});
        REQUIRE(reporter.warnings().size() == 1);
        CHECK(reporter.warnings()[0].find(server.url(k_noarch_zst)) != std::string::npos);
    }
}

TEST_CASE_FIXTURE(Fixture, "sync: damage in both forms is an integrity error that names the URL") {
    static_cast<void>(must_run());
    const std::string other_subdir = small_index("win-64", {"n-9-0"});
    for (const Rule& rule : {Rule{.glob = "*noarch*", .body = k_page, .type = "text/html"},
                             Rule{.glob = "*noarch*", .body = ""},
                             Rule{.glob = "*noarch*", .truncate = 60},
                             Rule{.glob = "*noarch*", .body = other_subdir},
                             Rule{.glob = "*noarch*", .body = "{}"},
                             Rule{.glob = "*noarch*", .body = "[1,2,3]"}}) {
        const Error error = must_fail({rule});
        CHECK(error.kind == ErrorKind::integrity);
        CHECK(has(error, server.url(k_noarch_json)));
    }
}

TEST_CASE_FIXTURE(Fixture, "sync: truncated JSON is found wherever it is cut") {
    fs::remove(upstream / "c/noarch/repodata.json.zst");
    static_cast<void>(must_run());
    fs::remove(upstream / "c/noarch/repodata.json.zst");
    const std::string whole = *read_file(upstream / "c/noarch/repodata.json", 1 << 20);
    for (std::size_t part = 0; part < 20; ++part) {
        CAPTURE(part);
        put_file("c/noarch/repodata.json", whole.substr(0, whole.size() * part / 20));
        const auto report = run();
        REQUIRE_FALSE(report);
        CHECK(report.error().kind == ErrorKind::integrity);
    }
}

TEST_CASE_FIXTURE(Fixture, "sync: redirects are followed, and where they led is remembered") {
    fs::create_directories(upstream / "moved");
    fs::rename(upstream / "c/noarch", upstream / "moved/noarch");
    server.set_script(
        {{{.glob = k_noarch_zst, .redirect = "/moved/noarch/repodata.json.zst?ticket=s3cret"}}});
    const SyncReport report = must_run();
    CHECK(report.manifest.find("c")->find("noarch")->fetched_from ==
          server.url("/moved/noarch/repodata.json.zst"));
    CHECK_FALSE(must_run().new_snapshot);
}

TEST_CASE_FIXTURE(Fixture, "sync: a redirect to another port does not carry credentials") {
    const LocalServer other(upstream);
    settings.upstreams = {{"default", server.url(), Secret("me:hunter2")}};
    server.set_script({{{.glob = k_noarch_zst, .redirect = other.url(k_noarch_zst)}}});
    static_cast<void>(must_run());
    for (const test::RequestRecord& record : server.requests()) {
        CHECK(record.header("authorization"));
    }
    REQUIRE(other.requests().size() == 1);
    CHECK_FALSE(other.requests()[0].header("authorization"));
}

TEST_CASE_FIXTURE(Fixture, "sync: a hanging server is given up after the stall timeout") {
    static_cast<void>(must_run());
    options.stall_timeout = 1s;
    options.retry.retries = 0;
    const auto began = std::chrono::steady_clock::now();
    CHECK(must_fail({{.glob = "*noarch*", .hang = true}}).kind == ErrorKind::network);
    CHECK(std::chrono::steady_clock::now() - began < 10s);
}

TEST_CASE_FIXTURE(Fixture, "sync: a stop during a hang returns within a second") {
    static_cast<void>(must_run());
    change_upstream();
    server.set_script({{{.glob = "*noarch*", .hang = true}}});
    std::stop_source stop;
    std::chrono::steady_clock::time_point stopped;
    const std::jthread stopper([&] {
        std::this_thread::sleep_for(150ms);
        stopped = std::chrono::steady_clock::now();
        stop.request_stop();
    });
    const auto report = run(stop.get_token());
    CHECK(std::chrono::steady_clock::now() - stopped < 1s);
    REQUIRE_FALSE(report);
    CHECK(report.error().kind == ErrorKind::interrupted);
}

TEST_CASE_FIXTURE(Fixture, "sync: an unknown channel is a usage error with a suggestion") {
    static_cast<void>(must_run());
    request.channels = {{"conda-forg", "https://conda.anaconda.org/conda-forg"}};
    const auto report = run();
    REQUIRE_FALSE(report);
    CHECK(report.error().kind == ErrorKind::usage);
    CHECK(has(report.error(), "did you mean 'conda-forge'"));
    CHECK(has(report.error(), server.url("/conda-forg")));
}

TEST_CASE_FIXTURE(Fixture,
                  "sync: a missing noarch is published empty, a missing platform skipped") {
    fs::remove_all(upstream / "c/noarch");
    request.subdirs = {"linux-64", "osx-arm64"};
    const SyncReport report = must_run();
    CHECK(report.manifest.find("c")->find("noarch")->records == 0);
    CHECK(report.manifest.find("c")->find("osx-arm64") == nullptr);
    CHECK(fs::exists(settings.root / "public/c/noarch/repodata.json"));
    CHECK_FALSE(fs::exists(settings.root / "public/c/osx-arm64"));
}

TEST_CASE_FIXTURE(Fixture, "sync: a file:// upstream, with and without .zst") {
    settings.upstreams = {{"default", "file://" + upstream.string()}};
    CHECK(must_run().new_snapshot);
    CHECK(server.requests().empty());
    CHECK_FALSE(must_run().new_snapshot);
    fs::remove(upstream / "c/noarch/repodata.json.zst");
    CHECK_FALSE(must_run().new_snapshot);
    change_upstream();
    CHECK(must_run().new_snapshot);
}

TEST_CASE_FIXTURE(Fixture, "sync: a label channel of three segments") {
    put("nvidia/label/cuda-12.4.1/linux-64", small_index("linux-64", {"cuda-1-0"}));
    request.channels = {
        {"nvidia/label/cuda-12.4.1", "https://conda.anaconda.org/nvidia/label/cuda-12.4.1"},
        k_channel};
    const SyncReport report = must_run();
    CHECK(report.manifest.channels.size() == 2);
    CHECK_FALSE(published("nvidia/label/cuda-12.4.1/linux-64").empty());
    CHECK_FALSE(published("nvidia/label/cuda-12.4.1/noarch").empty());
}

TEST_CASE_FIXTURE(Fixture, "sync: a second one at the same time is told who holds the root") {
    static_cast<void>(must_run());
    change_upstream();
    server.set_script({{{.glob = "*noarch*", .delay = 600ms}}});
    Result<SyncReport> slow = fail(ErrorKind::internal, "not run");
    test::RecordingReporter quiet;
    std::jthread first([&] {
        const auto transport = make_curl_transport(options, clock);
        slow = sync(settings, request, {*transport, clock, quiet, {}});
    });
    while (server.requests().size() < 4) {  // two of the sync before, two of this one
        std::this_thread::sleep_for(1ms);
    }
    const auto transport = make_curl_transport(options, clock);
    const auto second = sync(settings, request, {*transport, clock, reporter, {}});
    first.join();
    REQUIRE_FALSE(second);
    CHECK(second.error().kind == ErrorKind::locked);
    CHECK(has(second.error(), "chanmirror sync (pid "));
    REQUIRE_MESSAGE(slow, slow.error().message);
    CHECK(slow->new_snapshot);
    CHECK(mirror_faults(settings.root) == std::vector<std::string>());
}

// Modes do not stop root, so places that even root cannot write stand in for a read-only root: a
// file where a folder should be, and /proc.
TEST_CASE_FIXTURE(Fixture, "sync: a root that cannot be written is an io error that names it") {
    put_file("file", "x");
    for (const fs::path& root :
         {upstream / "file", upstream / "file/below", fs::path("/proc/mirror")}) {
        CAPTURE(root);
        settings.root = root;
        const auto transport = make_curl_transport(options, clock);
        const auto report = sync(settings, request, {*transport, clock, reporter, {}});
        REQUIRE_FALSE(report);
        CHECK(report.error().kind == ErrorKind::io);
        CHECK(has(report.error(), root.string()));
    }
    CHECK(server.requests().empty());
}

TEST_CASE_FIXTURE(Fixture,
                  "sync: a snapshots folder that cannot be written leaves the mirror as it was") {
    static_cast<void>(must_run());
    const std::string id = current_id();
    fs::rename(settings.root / "snapshots", settings.root / "away");
    REQUIRE(write_file_atomically(settings.root / "snapshots", "in the way"));
    const auto transport = make_curl_transport(options, clock);
    const auto report = sync(settings, request, {*transport, clock, reporter, {}});
    REQUIRE_FALSE(report);
    fs::remove(settings.root / "snapshots");
    fs::rename(settings.root / "away", settings.root / "snapshots");
    CHECK(current_id() == id);
    CHECK(mirror_faults(settings.root) == std::vector<std::string>());
}

}  // namespace
}  // namespace chm::channels
