// What changed between two snapshots, by name and by bytes.
#include "channels/snapshot_diff.hpp"

#include "support/stored_mirror.hpp"

#include <doctest/doctest.h>

namespace chm::channels {
namespace {

struct Fixture {
    test::TempDir directory;
    test::StoredMirror mirror{directory / "mirror"};
};

TEST_CASE_FIXTURE(Fixture, "snapshot diff: added, removed, replaced under the same name") {
    const Manifest a = mirror.publish({{"gone-1-0", "1"}, {"same-1-0", "2"}, {"other-1-0", "3"}});
    const Manifest b = mirror.publish({{"same-1-0", "2"}, {"other-1-0", "33"}, {"new-1-0", "4"}});
    const auto diffs = diff_snapshots(mirror.paths, a, b);
    REQUIRE_MESSAGE(diffs, diffs.error().message);
    REQUIRE(diffs->size() == 1);
    const SubdirDiff& diff = diffs->front();
    CHECK(diff.channel == "c");
    CHECK(diff.subdir == "linux-64");
    CHECK(diff.records == std::vector<ChangedRecord>{{"gone-1-0.conda", RecordChange::removed},
                                                     {"new-1-0.conda", RecordChange::added},
                                                     {"other-1-0.conda", RecordChange::replaced}});
    CHECK(diff.count(RecordChange::added) == 1);
    CHECK(diff.stored_files == 0);
    CHECK(diff.stored_bytes == 1);
    const auto back = diff_snapshots(mirror.paths, b, a);
    REQUIRE(back);
    CHECK(back->front().records.front().change == RecordChange::added);
    CHECK(back->front().stored_bytes == -1);
}

TEST_CASE_FIXTURE(Fixture, "snapshot diff: a hotfix says something else of the same bytes") {
    const Manifest a = mirror.publish({{"a-1-0", "1"}});
    NewIndex index{
        {"c", "https://conda.anaconda.org/c"}, "linux-64", {}, 1, {}, "https://u", "https://u"};
    index.json = test::stored_index("linux-64", {{"a-1-0", "1"}});
    index.json.replace(index.json.find("\"depends\":[]"), 12, "\"depends\":[\"b\"]");
    index.index_sha256 = sha256(index.json);
    const Manifest b = mirror.publish_index(std::move(index));
    const auto diffs = diff_snapshots(mirror.paths, a, b);
    REQUIRE(diffs);
    REQUIRE(diffs->size() == 1);
    CHECK(diffs->front().records ==
          std::vector<ChangedRecord>{{"a-1-0.conda", RecordChange::redescribed}});
    CHECK(diffs->front().stored_files == -1);
}

TEST_CASE_FIXTURE(Fixture,
                  "snapshot diff: a channel that only one has, and none where all is the same") {
    const Manifest a = mirror.publish({{"a-1-0", "1"}});
    const Manifest b = mirror.publish({{"b-1-0", "1"}}, "d");
    const auto diffs = diff_snapshots(mirror.paths, a, b);
    REQUIRE(diffs);
    REQUIRE(diffs->size() == 1);
    CHECK(diffs->front().channel == "d");
    CHECK(diffs->front().count(RecordChange::added) == 1);
    CHECK(diff_snapshots(mirror.paths, b, b)->empty());
}

TEST_CASE_FIXTURE(Fixture, "snapshot diff: a damaged index is named") {
    const Manifest a = mirror.publish({{"a-1-0", "1"}});
    const Manifest b = mirror.publish({{"b-1-0", "1"}});
    test::damage(upstream_index(mirror.paths.snapshot(a.id), "c", "linux-64"), "x");
    const auto diffs = diff_snapshots(mirror.paths, a, b);
    REQUIRE_FALSE(diffs);
    CHECK(diffs.error().kind == ErrorKind::integrity);
    CHECK(diffs.error().message.find("upstream/c/linux-64") != std::string::npos);
}

}  // namespace
}  // namespace chm::channels
