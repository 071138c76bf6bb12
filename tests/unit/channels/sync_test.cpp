// sync() over a FakeTransport: what becomes of each outcome. Real transfers and faults:
// tests/integration.
#include "channels/sync.hpp"

#include "base/atomic_file.hpp"
#include "base/file_lock.hpp"
#include "base/zstd.hpp"
#include "support/fake_clock.hpp"
#include "support/fake_transport.hpp"
#include "support/mirror_check.hpp"
#include "support/recording_reporter.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <filesystem>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;
using test::mirror_faults;
using test::small_index;

const conda::Channel k_c{"c", "https://conda.anaconda.org/c"};

std::string url(std::string_view place) {
    return fmt::format("https://u/{}/repodata.json.zst", place);
}

class Fixture {
public:
    Fixture() {
        settings.root = directory / "mirror";
        settings.channels = {"c", "conda-forge"};
        settings.upstreams = {{"default", "https://u/"}};
        serve("c/linux-64", small_index("linux-64", {"a-1-0", "b-1-0"}), "\"1\"");
        serve("c/noarch", small_index("noarch", {"n-1-0"}), "\"2\"");
    }

    void serve(std::string_view place, const std::string& index, const std::string& etag) {
        const auto body = zstd_compress(index, 3);
        REQUIRE(body);
        transport.forget(url(place));
        transport.answer(url(place), *body, etag);
    }
    Result<SyncReport> run() {
        clock.advance(std::chrono::seconds(1));
        reporter.clear();
        transport.clear_requests();
        auto report = sync(settings, request, {transport, clock, reporter, {}});
        CHECK(mirror_faults(settings.root) == std::vector<std::string>());
        return report;
    }
    SyncReport must_run() {
        auto report = run();
        REQUIRE_MESSAGE(report, report.error().message);
        return std::move(*report);
    }
    [[nodiscard]] std::string current_id() const {
        const auto current = read_current(MirrorPaths(settings.root));
        REQUIRE(current);
        return *current ? (*current)->id : std::string();
    }

    test::TempDir directory;
    test::FakeTransport transport;
    test::FakeClock clock;
    test::RecordingReporter reporter;
    config::Settings settings;
    SyncRequest request{{k_c}, {"linux-64"}};
};

TEST_CASE_FIXTURE(Fixture, "sync: the first brings the platform and noarch") {
    const SyncReport report = must_run();
    CHECK(report.new_snapshot);
    REQUIRE(report.subdirs.size() == 2);
    CHECK(report.subdirs[0].subdir == "linux-64");
    CHECK(report.subdirs[0].change == SubdirChange::fetched);
    CHECK(report.subdirs[0].records == 2);
    CHECK(report.subdirs[1].subdir == "noarch");
    CHECK(report.manifest.id == current_id());
    const SnapshotSubdir* subdir = report.manifest.find("c")->find("linux-64");
    CHECK(report.manifest.find("c")->url == k_c.url);
    CHECK(subdir->fetched_from == url("c/linux-64"));
    CHECK(subdir->package_url == "https://u/c/linux-64");
}

TEST_CASE_FIXTURE(Fixture, "sync: nothing new upstream makes no snapshot") {
    const std::string id = must_run().manifest.id;
    const SyncReport report = must_run();
    CHECK_FALSE(report.new_snapshot);
    CHECK(report.manifest.id == id);
    CHECK(report.subdirs[0].change == SubdirChange::unchanged);
    CHECK(report.subdirs[0].records == 2);
    CHECK(transport.requests().size() == 2);
}

TEST_CASE_FIXTURE(Fixture, "sync: the same bytes under another ETag make no snapshot") {
    const std::string id = must_run().manifest.id;
    serve("c/noarch", small_index("noarch", {"n-1-0"}), "\"9\"");
    CHECK_FALSE(must_run().new_snapshot);
    static_cast<void>(must_run());
    CHECK(transport.requests()[1].validators.etag == "\"9\"");
}

TEST_CASE_FIXTURE(Fixture, "sync: one changed index makes a snapshot that keeps the other") {
    const std::string id = must_run().manifest.id;
    serve("c/linux-64", small_index("linux-64", {"a-1-0", "a-2-0", "b-1-0"}), "\"3\"");
    const SyncReport report = must_run();
    CHECK(report.new_snapshot);
    CHECK(report.manifest.id > id);
    CHECK(report.subdirs[0].change == SubdirChange::fetched);
    CHECK(report.subdirs[1].change == SubdirChange::unchanged);
    CHECK(report.manifest.find("c")->find("noarch") != nullptr);
}

TEST_CASE_FIXTURE(Fixture, "sync: channels and subdirs that are repeated count once") {
    request.channels = {k_c, k_c};
    request.subdirs = {"linux-64", "noarch", "linux-64"};
    const SyncReport report = must_run();
    CHECK(report.subdirs.size() == 2);
    CHECK(report.manifest.find("c")->subdirs.size() == 2);
    CHECK(transport.requests().size() == 2);
}

TEST_CASE_FIXTURE(Fixture,
                  "sync: a missing noarch is published empty, a missing platform not at all") {
    transport.forget(url("c/noarch"));
    request.subdirs = {"linux-64", "osx-arm64"};
    const SyncReport report = must_run();
    REQUIRE(report.subdirs.size() == 3);
    CHECK(report.subdirs[1].change == SubdirChange::absent);
    CHECK(report.subdirs[2].change == SubdirChange::absent);
    CHECK(report.manifest.find("c")->find("osx-arm64") == nullptr);
    const SnapshotSubdir* noarch = report.manifest.find("c")->find("noarch");
    REQUIRE(noarch != nullptr);
    CHECK(noarch->fetched_from.empty());
    CHECK(noarch->records == 0);
    CHECK_FALSE(must_run().new_snapshot);
    CHECK(reporter.warnings().empty());

    serve("c/noarch", small_index("noarch", {"n-1-0"}), "\"4\"");
    CHECK(must_run().manifest.find("c")->find("noarch")->records == 1);
}

TEST_CASE_FIXTURE(Fixture, "sync: what upstream no longer has is kept, with a warning") {
    const std::string id = must_run().manifest.id;
    transport.forget(url("c/linux-64"));
    const SyncReport report = must_run();
    CHECK(report.manifest.id == id);
    CHECK(report.subdirs[0].change == SubdirChange::absent);
    REQUIRE(reporter.warnings().size() == 1);
    CHECK(reporter.warnings()[0].find("c/linux-64") != std::string::npos);
}

TEST_CASE_FIXTURE(Fixture,
                  "sync: an unknown channel is a usage error with the nearest configured one") {
    const std::string id = must_run().manifest.id;
    request.channels = {k_c, {"conda-forg", "https://conda.anaconda.org/conda-forg"}};
    const auto report = run();
    REQUIRE_FALSE(report);
    CHECK(report.error().kind == ErrorKind::usage);
    CHECK(report.error().message.find("'conda-forg'") != std::string::npos);
    CHECK(report.error().message.find("did you mean 'conda-forge'") != std::string::npos);
    CHECK(current_id() == id);
}

TEST_CASE_FIXTURE(Fixture, "sync: one failed index leaves the mirror as it was") {
    const std::string id = must_run().manifest.id;
    serve("c/linux-64", small_index("linux-64", {"a-2-0"}), "\"3\"");
    transport.forget(url("c/noarch"));
    transport.answer(url("c/noarch"), Result<TransferResponse>(fail(ErrorKind::network, "down")));
    const auto report = run();
    REQUIRE_FALSE(report);
    CHECK(report.error() == Error{ErrorKind::network, "down"});
    CHECK(current_id() == id);
}

TEST_CASE_FIXTURE(Fixture, "sync: a base_url of upstream's decides where packages come from") {
    const auto with_base = [](std::string_view base) {
        return fmt::format(R"({{"info":{{"base_url":"{}"}},"packages":{{}},"repodata_version":2}})",
                           base);
    };
    serve("c/linux-64", with_base("https://u:p@files.example/c/linux-64/"), "\"5\"");
    CHECK(must_run().manifest.find("c")->find("linux-64")->package_url ==
          "https://files.example/c/linux-64");
    serve("c/linux-64", with_base("../files"), "\"6\"");
    CHECK(must_run().manifest.find("c")->find("linux-64")->package_url ==
          "https://u/c/linux-64/../files");
}

TEST_CASE_FIXTURE(Fixture, "sync: a channel cannot take the place of another of its name") {
    const conda::Channel file{"c", "file:///c"};
    SUBCASE("of one that is here") {
        must_run();
        request.channels = {file};
    }
    SUBCASE("of one of the same run") {
        request.channels = {k_c, file};
    }
    const std::string before = current_id();
    const auto report = run();
    REQUIRE_FALSE(report);
    CHECK(report.error().kind == ErrorKind::usage);
    CHECK(report.error().message.find("one mirror cannot hold both") != std::string::npos);
    CHECK(current_id() == before);
}

TEST_CASE_FIXTURE(Fixture, "sync: what a channel builds on is in the manifest") {
    serve("c/linux-64", R"({"info":{"channel_relations":{"base":"../b"}},"packages":{}})", "\"5\"");
    const Manifest manifest = must_run().manifest;
    CHECK(manifest.find("c")->find("linux-64")->relations == conda::ChannelRelations{"../b", ""});
    CHECK(manifest.find("c")->find("noarch")->relations.empty());
    CHECK(
        read_current(MirrorPaths(settings.root))->value().find("c")->find("linux-64")->relations ==
        conda::ChannelRelations{"../b", ""});
}

TEST_CASE_FIXTURE(Fixture,
                  "sync: another upstream with the same bytes changes where packages come from") {
    const std::string id = must_run().manifest.id;
    settings.upstreams = {{"c", "https://other"}};
    for (const char* subdir : {"linux-64", "noarch"}) {
        const auto body = zstd_compress(subdir == std::string("noarch")
                                            ? small_index("noarch", {"n-1-0"})
                                            : small_index("linux-64", {"a-1-0", "b-1-0"}),
                                        3);
        REQUIRE(body);
        transport.answer(
            fmt::format("https://other/c/{}/repodata.json.zst", subdir), *body, "\"1\"");
    }
    const SyncReport report = must_run();
    CHECK(report.manifest.id != id);
    CHECK(report.manifest.find("c")->find("noarch")->package_url == "https://other/c/noarch");
    for (const TransferRequest& asked : transport.requests()) {
        CHECK(asked.validators.empty());
    }
}

TEST_CASE_FIXTURE(Fixture, "sync: a lost or odd fetch state costs one download and nothing else") {
    const std::string id = must_run().manifest.id;
    REQUIRE(write_file_atomically(MirrorPaths(settings.root).fetch_state("c", "noarch"), "{"));
    CHECK(must_run().manifest.id == id);
    CHECK(transport.requests()[0].validators.etag == "\"1\"");
    CHECK(transport.requests()[1].validators.empty());
    fs::remove_all(settings.root / "state");
    REQUIRE(write_file_atomically(settings.root / "state", "in the way"));
    CHECK(must_run().manifest.id == id);
    CHECK(reporter.warnings().size() == 2);
}

TEST_CASE_FIXTURE(Fixture,
                  "sync: validators of bytes that the snapshot does not hold are not used") {
    static_cast<void>(must_run());
    const auto path = MirrorPaths(settings.root).fetch_state("c", "noarch");
    auto state = read_fetch_state(path);
    REQUIRE(state);
    state->index_sha256 = sha256("other");
    REQUIRE(write_fetch_state(path, *state));
    static_cast<void>(must_run());
    CHECK(transport.requests()[1].validators.empty());
}

TEST_CASE_FIXTURE(Fixture, "sync: a snapshot that lost a file is mended") {
    const MirrorPaths paths(settings.root);
    for (const char* file : {"upstream/c/noarch/repodata.json.zst",
                             "public/c/noarch/repodata.json",
                             "public/c/noarch/repodata.json.zst"}) {
        CAPTURE(file);
        const std::string id = must_run().manifest.id;
        fs::remove(paths.snapshot(id) / file);
        CHECK(must_run().manifest.id != id);
    }
}

TEST_CASE_FIXTURE(Fixture, "sync: the lock is released, and the lock of another is respected") {
    static_cast<void>(must_run());
    FileLock::Options options;
    options.purpose = "chanmirror test";
    const auto lock = FileLock::acquire(MirrorPaths(settings.root).lock(), options, clock);
    REQUIRE(lock);
    const auto report = run();
    REQUIRE_FALSE(report);
    CHECK(report.error().kind == ErrorKind::locked);
    CHECK(report.error().message.find("chanmirror test") != std::string::npos);
    CHECK(transport.requests().empty());
}

TEST_CASE_FIXTURE(Fixture, "sync: no password reaches the disk") {
    settings.upstreams = {{"default", "https://u", {Secret("me:hunter2"), Secret("hunter2")}}};
    static_cast<void>(must_run());
    CHECK(transport.requests()[0].credentials.user_password == Secret("me:hunter2"));
    for (const auto& entry : fs::recursive_directory_iterator(settings.root)) {
        if (entry.is_regular_file()) {
            CHECK(read_file(entry.path(), test::k_test_limit)->find("hunter2") ==
                  std::string::npos);
        }
    }
}

TEST_CASE_FIXTURE(Fixture, "sync: what one upstream lacks the next one gives") {
    settings.upstreams = {{"default", "https://dead"}, {"default", "https://u"}};
    settings.rank_upstreams = false;
    transport.answer("https://dead/c/linux-64/repodata.json.zst",
                     fail(ErrorKind::network, "https://dead: nobody there"));
    const SyncReport report = must_run();  // and the first answers 404 for noarch
    CHECK(report.manifest.find("c")->find("linux-64")->fetched_from == url("c/linux-64"));
    CHECK(report.manifest.find("c")->find("noarch")->fetched_from == url("c/noarch"));
    REQUIRE(reporter.warnings().size() == 1);
    CHECK(reporter.warnings()[0] == "https://dead: nobody there; asking https://u/c instead");
}

TEST_CASE_FIXTURE(Fixture, "sync: when all upstreams fail the first one's error is told") {
    settings.upstreams = {{"default", "https://dead"}, {"default", "https://gone"}};
    settings.rank_upstreams = false;
    for (const std::string host : {"dead", "gone"}) {
        transport.answer("https://" + host + "/c/linux-64/repodata.json.zst",
                         fail(ErrorKind::network, host + ": nobody there"));
    }
    const auto report = run();
    REQUIRE_FALSE(report);
    CHECK(report.error().kind == ErrorKind::network);
    CHECK(report.error().message == "dead: nobody there");
}

TEST_CASE_FIXTURE(Fixture, "sync: another upstream with the same index makes no snapshot") {
    settings.upstreams = {{"default", "https://u"}, {"default", "https://v"}};
    settings.rank_upstreams = false;
    const Manifest first = must_run().manifest;
    for (const char* subdir : {"linux-64", "noarch"}) {
        const std::string place = std::string("c/") + subdir;
        transport.answer("https://v/" + place + "/repodata.json.zst",
                         transport.body_of(url(place)));
        transport.forget(url(place));
        transport.answer(url(place), fail(ErrorKind::network, "u: nobody there"));
    }
    const SyncReport report = must_run();
    CHECK_FALSE(report.new_snapshot);
    CHECK(report.manifest.id == first.id);
}

TEST_CASE_FIXTURE(Fixture, "sync: the fastest upstream is asked, and measured once a week") {
    settings.upstreams = {{"default", "https://slow"}, {"default", "https://u"}};
    const auto measured = [&] {
        return std::ranges::count_if(transport.requests(),
                                     [](const auto& asked) { return asked.sink != nullptr; });
    };
    CHECK(must_run().manifest.find("c")->find("linux-64")->fetched_from == url("c/linux-64"));
    CHECK(measured() == 3);  // the slow one does not have it in either form
    static_cast<void>(must_run());
    CHECK(measured() == 0);
    CHECK(transport.requests().size() == 2);
    clock.advance(std::chrono::days(8));
    static_cast<void>(must_run());
    CHECK(measured() == 3);
    settings.rank_upstreams = false;
    clock.advance(std::chrono::days(8));
    static_cast<void>(run());
    CHECK(measured() == 0);
}

TEST_CASE_FIXTURE(Fixture, "sync: credentials stay with their server when packages are elsewhere") {
    settings.upstreams = {{"default", "https://u", {Secret("me:hunter2"), std::nullopt}}};
    settings.packages = {{"c", config::PackagePolicy::all, {}, {}, false, ""}};
    const std::string record = small_index("linux-64", {"a-1-0"});
    const auto with_base = [&](const std::string& base) {
        std::string index = record;
        index.insert(index.find("\"info\":{") + 8, "\"base_url\":\"" + base + "\",");
        return index;
    };
    for (const auto& [base, sent] : {std::pair{"https://elsewhere/x", false},
                                     {"https://u/x", true},
                                     {"http://u/x", false},
                                     {"../x", true}}) {
        CAPTURE(base);
        serve("c/linux-64", with_base(base), std::string("\"") + base + "\"");
        static_cast<void>(run());
        const auto asked = std::ranges::find_if(transport.requests(), [](const auto& made) {
            return made.url.ends_with("/a-1-0.conda");
        });
        REQUIRE(asked != transport.requests().end());
        CHECK(asked->credentials.empty() != sent);
    }
}

}  // namespace
}  // namespace chm::channels
