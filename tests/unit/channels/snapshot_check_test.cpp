// Every kind of damage is one fault that names its file; what is right is not accused.
#include "channels/snapshot_check.hpp"

#include "channels/verify_mirror.hpp"
#include "support/recording_reporter.hpp"
#include "support/stored_mirror.hpp"

#include <doctest/doctest.h>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;

struct Fixture {
    Fixture() {
        mirror.publish({{"re-1-0", "before"}, {"a-1-0", "1"}});
        current = mirror.publish({{"re-1-0", "after"}, {"a-1-0", "1"}, {"b-1-0", "22"}});
    }
    VerifyReport verify(const VerifyRequest& request = {}) {
        auto report = verify_mirror(mirror.paths, request, {mirror.clock, reporter, {}});
        REQUIRE_MESSAGE(report, report.error().message);
        return *report;
    }
    [[nodiscard]] fs::path in_current(const fs::path& file) const {
        return mirror.paths.snapshot(current.id) / file;
    }

    test::TempDir directory;
    test::StoredMirror mirror{directory / "mirror"};
    test::RecordingReporter reporter;
    Manifest current;
};

TEST_CASE_FIXTURE(Fixture, "snapshot check: each file that is lost or changed is one fault") {
    std::string file;
    const fs::path place = fs::path("public/c/linux-64");
    SUBCASE("an object is gone") {
        file = mirror.object("22").lexically_relative(mirror.paths.root()).string();
        REQUIRE(remove_tree(mirror.object("22")));
    }
    SUBCASE("a public name is gone") {
        file = "public/c/linux-64/b-1-0.conda";
        REQUIRE(remove_tree(mirror.name("b-1-0")));
    }
    SUBCASE("a public name has other bytes") {
        file = "public/c/linux-64/b-1-0.conda";
        REQUIRE(remove_tree(mirror.name("b-1-0")));
        REQUIRE(write_file_atomically(mirror.name("b-1-0"), "xx"));
    }
    SUBCASE("an index name is gone") {
        file = "public/c/linux-64/repodata.json.zst";
        REQUIRE(remove_tree(mirror.paths.root() / file));
    }
    SUBCASE("the upstream's index is damaged") {
        file = "snapshots/" + current.id + "/upstream/c/linux-64/repodata.json.zst";
        test::damage(mirror.paths.root() / file, "x");
    }
    SUBCASE("the published index is another") {
        file = "snapshots/" + current.id + "/public/c/linux-64/repodata.json";
        test::damage(mirror.paths.root() / file, test::stored_index("linux-64", {{"a-1-0", "1"}}));
    }
    SUBCASE("the compressed one is gone") {
        file = "snapshots/" + current.id + "/public/c/linux-64/repodata.json.zst";
        REQUIRE(remove_tree(mirror.paths.root() / file));
    }
    SUBCASE("the index of shards is damaged") {
        file = "snapshots/" + current.id + "/public/c/linux-64/repodata_shards.msgpack.zst";
        test::damage(mirror.paths.root() / file, "x");
    }
    SUBCASE("the list is damaged") {
        file = "snapshots/" + current.id + "/stored/c/linux-64/files.tsv";
        test::damage(mirror.paths.root() / file, "x");
    }
    const VerifyReport report = verify();
    REQUIRE(report.faults.size() == 1);
    CHECK(report.faults[0].file == file);
    CHECK_FALSE(report.faults[0].expected.empty());
    CHECK_FALSE(report.faults[0].got.empty());
    CHECK_FALSE(report.faults[0].advice.empty());
}

TEST_CASE_FIXTURE(Fixture, "snapshot check: a shard that changed is found by its name") {
    for (const auto& entry : fs::directory_iterator(in_current("public/c/linux-64/shards"))) {
        test::damage(entry.path(), "x");
    }
    CHECK_FALSE(verify().faults.empty());
}

TEST_CASE_FIXTURE(Fixture,
                  "snapshot check: a record without a stored file means the index is not closed") {
    // All digests agree, only the stored list lacks what the index names.
    Manifest manifest = current;
    const StoredFiles stored =
        *read_stored_files(mirror.paths, manifest, "c", manifest.channels[0].subdirs[0]);
    const std::string list = to_text(StoredFiles{stored[0], stored[2]});
    test::damage(in_current("stored/c/linux-64/files.tsv"), list);
    manifest.channels[0].subdirs[0].stored_sha256 = sha256(list);
    test::damage(in_current("manifest.json"), to_text(manifest));
    const VerifyReport report = verify();
    REQUIRE(report.faults.size() == 1);
    CHECK(report.faults[0].file == "public/c/linux-64/" + stored[1].fn);
}

TEST_CASE_FIXTURE(Fixture,
                  "snapshot check: a mirror that was copied without its hardlinks is right") {
    const std::string bytes = mirror.served("b-1-0");
    REQUIRE(remove_tree(mirror.name("b-1-0")));
    REQUIRE(write_file_atomically(mirror.name("b-1-0"), bytes));
    CHECK(verify().faults.empty());
}

}  // namespace
}  // namespace chm::channels
