// Syncs that store packages, against a real server and its faults. After each the published index
// is closed, every stored file hashes right, and what could not be had is named.
#include "base/atomic_file.hpp"
#include "channels/curl_transport.hpp"
#include "channels/sync.hpp"
#include "channels/upstreams.hpp"
#include "support/local_server.hpp"
#include "support/mirror_check.hpp"
#include "support/recording_reporter.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::LocalServer;
using test::PackageFiles;

const conda::Channel k_channel{"c", "https://conda.anaconda.org/c"};

class Fixture {
public:
    Fixture() {
        options.retry.base_delay = 1ms;
        options.retry.retries = 2;
        settings.root = directory / "mirror";
        settings.channels = {"c"};
        settings.upstreams = {{"default", server.url()}};
        store(config::PackagePolicy::all);
        serve({{"a-1-0.conda", "first"}, {"b-1-0.conda", "second"}, {"c-1-0.tar.bz2", "third"}});
        serve({{"n-1-0.conda", "noarch"}}, "noarch");
    }

    config::PackageSettings& store(config::PackagePolicy policy) {
        settings.packages = {{"c", policy, {}, {}, false, ""}};
        return settings.packages.front();
    }
    void write(const fs::path& path, const std::string& bytes) {
        REQUIRE(make_directories((upstream / path).parent_path()));
        REQUIRE(write_file_atomically(upstream / path, bytes));
    }
    void serve(const PackageFiles& files, const std::string& subdir = "linux-64") {
        for (const auto& [fn, bytes] : files) {
            write(fs::path("c") / subdir / fn, bytes);
        }
        write(fs::path("c") / subdir / "repodata.json", test::index_of(subdir, files));
    }
    Result<SyncReport> run() {
        reporter.clear();
        server.clear_requests();
        const auto transport = make_curl_transport(options, clock);
        auto report = sync(settings, request, {*transport, clock, reporter, {}});
        CHECK(test::mirror_faults(settings.root) == std::vector<std::string>());
        return report;
    }
    SyncReport must_run() {
        auto report = run();
        REQUIRE_MESSAGE(report, report.error().message);
        return std::move(*report);
    }
    /// Sorted names of the package files that the closed index lists.
    std::vector<std::string> listed(const std::string& subdir = "linux-64") {
        auto json = read_file(paths().published() / "c" / subdir / "repodata.json", 1 << 20);
        REQUIRE(json);
        auto index = SubdirIndex::open(std::move(*json), k_channel, subdir);
        REQUIRE(index);
        RecordSet records;
        for (const std::string_view name : index->names()) {
            index->load(name, records);
        }
        std::vector<std::string> names;
        for (const conda::Record& record : records.records()) {
            names.emplace_back(record.fn);
        }
        std::ranges::sort(names);
        return names;
    }
    std::string published(const std::string& fn) {
        const auto text = read_file(paths().published() / "c" / "linux-64" / fn, 1 << 20);
        return text ? *text : "(none)";
    }
    std::size_t asked_for_packages() {
        return static_cast<std::size_t>(std::ranges::count_if(
            server.requests(),
            [](const auto& asked) { return asked.path.find("repodata") == std::string::npos; }));
    }
    [[nodiscard]] std::uint64_t measured_speed(const std::string& base_url) const {
        return read_upstream_speeds(paths().upstream_speeds()).at(base_url + "/c").bytes_per_second;
    }
    [[nodiscard]] MirrorPaths paths() const { return MirrorPaths(settings.root); }

    test::TempDir directory;
    fs::path upstream = directory / "upstream";
    LocalServer server{upstream};
    SystemClock clock;
    test::RecordingReporter reporter;
    CurlOptions options;
    config::Settings settings;
    SyncRequest request{{k_channel}, {"linux-64"}};
};

using Names = std::vector<std::string>;

TEST_CASE_FIXTURE(Fixture, "package sync: everything is stored, published and closed") {
    const SyncReport report = must_run();
    CHECK(report.missing.empty());
    CHECK(report.plan.fetch_files == 4);
    CHECK(listed() == Names{"a-1-0.conda", "b-1-0.conda", "c-1-0.tar.bz2"});
    CHECK(listed("noarch") == Names{"n-1-0.conda"});
    CHECK(published("b-1-0.conda") == "second");
    const SnapshotSubdir* subdir = report.manifest.find("c")->find("linux-64");
    CHECK(subdir->view == View::closed);
    CHECK(subdir->stored_files == 3);
    CHECK(subdir->stored_bytes == 16);

    const SyncReport again = must_run();
    CHECK_FALSE(again.new_snapshot);
    CHECK(asked_for_packages() == 0);
}

TEST_CASE_FIXTURE(Fixture,
                  "package sync: only what changed is fetched, what upstream dropped goes") {
    must_run();
    serve({{"b-1-0.conda", "second"}, {"d-1-0.conda", "fourth"}});
    const SyncReport report = must_run();
    CHECK(report.new_snapshot);
    CHECK(asked_for_packages() == 1);
    CHECK(listed() == Names{"b-1-0.conda", "d-1-0.conda"});
    CHECK(published("a-1-0.conda") == "first");  // gc's to remove: clients of the old index use it
}

TEST_CASE_FIXTURE(Fixture,
                  "package sync: a missing file is left out and named, until it is there") {
    fs::remove(upstream / "c/linux-64/b-1-0.conda");
    const SyncReport report = must_run();
    REQUIRE(report.missing.size() == 1);
    CHECK(report.missing[0].fn == "b-1-0.conda");
    CHECK(report.missing[0].got.find("404") != std::string::npos);
    CHECK(listed() == Names{"a-1-0.conda", "c-1-0.tar.bz2"});
    CHECK(report.manifest.find("c")->find("linux-64")->missing_files == 1);
    const MissingFiles first = read_missing_files(paths().missing());
    REQUIRE(first.size() == 1);
    CHECK_FALSE(first[0].first_seen.empty());

    const SyncReport again = must_run();  // nothing new: no snapshot, the file is still named
    CHECK_FALSE(again.new_snapshot);
    CHECK(again.missing.size() == 1);
    CHECK(read_missing_files(paths().missing())[0].first_seen == first[0].first_seen);

    write("c/linux-64/b-1-0.conda", "second");
    const SyncReport whole = must_run();
    CHECK(whole.new_snapshot);
    CHECK(whole.missing.empty());
    CHECK_FALSE(fs::exists(paths().missing()));
    CHECK(published("b-1-0.conda") == "second");
}

TEST_CASE_FIXTURE(Fixture, "package sync: a file that one upstream lacks comes from the next") {
    LocalServer second(upstream);
    settings.upstreams = {{"default", server.url()}, {"default", second.url()}};
    settings.rank_upstreams = false;
    server.set_script({{{.glob = "*/a-1-0.conda", .status = 404},
                        {.glob = "*/b-1-0.conda", .flip = 1},
                        {.glob = "*/c-1-0.tar.bz2", .status = 503}}});
    const SyncReport report = must_run();
    CHECK(report.missing.empty());
    CHECK(listed() == Names{"a-1-0.conda", "b-1-0.conda", "c-1-0.tar.bz2"});
    CHECK(second.requests().size() == 3);
    CHECK(std::ranges::count_if(server.requests(), [](const auto& asked) {
              return asked.path.ends_with("c-1-0.tar.bz2");
          }) == 2);  // fewer tries than where nobody else has it
}

TEST_CASE_FIXTURE(Fixture, "package sync: an upstream that is away is passed over") {
    auto away = std::make_unique<LocalServer>(upstream);
    settings.upstreams = {{"default", away->url()}, {"default", server.url()}};
    must_run();
    CHECK(measured_speed(away->url()) > 0);
    CHECK(measured_speed(server.url()) > 0);
    const std::string dead = away->url();
    away.reset();
    fs::remove(paths().upstream_speeds());
    serve({{"d-1-0.conda", "fourth"}});
    request.accept_shrink = true;
    CHECK(must_run().new_snapshot);
    CHECK(listed() == Names{"d-1-0.conda"});
    CHECK(measured_speed(dead) == 0);
    CHECK(measured_speed(server.url()) > 0);
}

TEST_CASE_FIXTURE(Fixture, "package sync: wrong, cut and foreign bytes are not stored") {
    write("c/linux-64/a-1-0.conda", "FIRST");
    write("c/linux-64/b-1-0.conda", "sec");
    write("c/linux-64/c-1-0.tar.bz2", "<html>log in</html>");
    const SyncReport report = must_run();
    CHECK(report.missing.size() == 3);
    CHECK(listed().empty());
    CHECK(listed("noarch") == Names{"n-1-0.conda"});
    CHECK(published("a-1-0.conda") == "(none)");
}

TEST_CASE_FIXTURE(Fixture, "package sync: a re-upload under the same name") {
    must_run();
    serve({{"a-1-0.conda", "FIRST!"}, {"b-1-0.conda", "second"}});
    const SyncReport report = must_run();
    CHECK(report.new_snapshot);
    CHECK(published("a-1-0.conda") == "FIRST!");
    CHECK(ObjectStore(settings.root).size_of(sha256("first")) == 5);  // both are kept, by content
    serve({{"a-1-0.conda", "first"}, {"b-1-0.conda", "second"}});
    must_run();
    CHECK(published("a-1-0.conda") == "first");
    CHECK(asked_for_packages() == 0);
}

TEST_CASE_FIXTURE(Fixture,
                  "package sync: the policy decides, and a change of it needs no new index") {
    store(config::PackagePolicy::none);
    CHECK(must_run().manifest.find("c")->find("linux-64")->view == View::upstream);
    CHECK(asked_for_packages() == 0);

    config::PackageSettings& some = store(config::PackagePolicy::matching);
    some.match = {*conda::MatchSpec::parse("a"), *conda::MatchSpec::parse("b")};
    some.exclude = {*conda::MatchSpec::parse("b >=1")};
    const SyncReport matching = must_run();
    CHECK(matching.new_snapshot);
    CHECK(listed() == Names{"a-1-0.conda"});
    CHECK(listed("noarch").empty());
    CHECK(matching.plan.subdirs[0].left_out == 2);

    store(config::PackagePolicy::all);
    must_run();
    CHECK(listed().size() == 3);
    CHECK(asked_for_packages() == 3);

    store(config::PackagePolicy::none);
    must_run();
    CHECK(listed().size() == 3);  // upstream's view lists everything, packages come from there
    CHECK(must_run().new_snapshot == false);
}

TEST_CASE_FIXTURE(Fixture, "package sync: a .tar.bz2 with a .conda of the same build") {
    serve({{"a-1-0.conda", "new"}, {"a-1-0.tar.bz2", "old"}, {"b-1-0.tar.bz2", "only"}});
    store(config::PackagePolicy::all).prefer_conda = true;
    must_run();
    CHECK(listed() == Names{"a-1-0.conda", "b-1-0.tar.bz2"});
}

TEST_CASE_FIXTURE(Fixture, "package sync: a plan changes nothing") {
    request.dry_run = true;
    const SyncReport report = must_run();
    CHECK(report.plan.fetch_files == 4);
    CHECK(report.plan.fetch_bytes == 22);
    CHECK(asked_for_packages() == 0);
    CHECK_FALSE(fs::exists(paths().current()));
    CHECK_FALSE(fs::exists(paths().snapshots()));
}

TEST_CASE_FIXTURE(Fixture, "package sync: an index that lost its records is refused") {
    PackageFiles many;
    for (int i = 0; i < 40; ++i) {
        many[fmt::format("p{}-1-0.conda", i)] = fmt::format("bytes {}", i);
    }
    serve(many);
    const std::string id = must_run().manifest.id;
    serve({{"p1-1-0.conda", "bytes 1"}});
    const auto refused = run();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::network);
    CHECK(refused.error().message.find("--accept-shrink") != std::string::npos);
    CHECK((*read_current(paths()))->id == id);
    request.accept_shrink = true;
    CHECK(must_run().new_snapshot);
    CHECK(listed() == Names{"p1-1-0.conda"});
}

TEST_CASE_FIXTURE(Fixture, "package sync: packages on a host that does not answer") {
    const std::string id = must_run().manifest.id;
    write("c/linux-64/repodata.json",
          R"({"info":{"subdir":"linux-64","base_url":"http://127.0.0.1:9/c"},"packages":{},)"
          R"("packages.conda":{"a-2-0.conda":{"name":"a","version":"2","build":"0","size":1,)"
          R"("sha256":")" +
              sha256("x").hex() + R"("}},"repodata_version":2})");
    request.accept_shrink = true;
    const auto report = run();
    REQUIRE_FALSE(report);
    CHECK(report.error().kind == ErrorKind::network);
    CHECK((*read_current(paths()))->id == id);
}

TEST_CASE_FIXTURE(Fixture,
                  "package sync: names that could leave the folder are refused, the rest goes on") {
    std::string index = test::index_of("linux-64", {{"a-1-0.conda", "first"}});
    const std::string evil =
        R"("..\/..\/evil-1-0.conda":{"name":"evil","version":"1","build":"0"},)";
    index.insert(index.find("\"a-1-0.conda\""), evil);
    write("c/linux-64/repodata.json", index);
    const SyncReport report = must_run();
    REQUIRE(report.plan.subdirs[0].refused.size() == 1);
    CHECK(listed() == Names{"a-1-0.conda"});
}

}  // namespace
}  // namespace chm::channels
