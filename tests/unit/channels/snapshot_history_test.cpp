// Snapshots by the names that people give them.
#include "channels/snapshot_history.hpp"

#include "support/stored_mirror.hpp"

#include <doctest/doctest.h>

namespace chm::channels {
namespace {

struct Fixture {
    test::TempDir directory;
    test::StoredMirror mirror{directory / "mirror"};
};

TEST_CASE("snapshot history: the time in an id") {
    const auto time = time_of_id("20261130T234514Z-3f2a9c1d");
    REQUIRE(time);
    CHECK(utc_text(*time) == "2026-11-30T23:45:14Z");
    for (const char* id : {"",
                           "new.unfinished",
                           "20261130T234514Z-3f2a9c1",
                           "20261130T234514Z-3F2A9C1D",
                           "20261330T234514Z-3f2a9c1d",
                           "2026113 T234514Z-3f2a9c1d"}) {
        CHECK_FALSE(time_of_id(id));
    }
}

TEST_CASE_FIXTURE(Fixture,
                  "snapshot history: newest first, the current one marked, damaged ones named") {
    CHECK(list_snapshots(mirror.paths)->empty());
    const std::string a = mirror.publish({{"a-1-0", "1"}}).id;
    const std::string b = mirror.publish({{"a-1-0", "1"}, {"b-1-0", "22"}}).id;
    const std::string c = mirror.publish({{"a-2-0", "333"}}).id;
    REQUIRE(write_file_atomically(mirror.paths.snapshot(b) / "manifest.json", "{"));
    REQUIRE(std::filesystem::create_directory(mirror.paths.snapshots() / "backup"));
    const auto entries = list_snapshots(mirror.paths);
    REQUIRE(entries);
    REQUIRE(entries->size() == 3);
    CHECK((*entries)[0].id == c);
    CHECK((*entries)[0].is_current);
    CHECK_FALSE((*entries)[1].manifest);
    CHECK_FALSE((*entries)[1].damage.empty());
    CHECK((*entries)[2].id == a);
    CHECK_FALSE((*entries)[2].is_current);
    const SnapshotTotals totals = totals_of(*(*entries)[0].manifest);
    CHECK(totals.subdirs == 1);
    CHECK(totals.records == 1);
    CHECK(totals.stored_files == 1);
    CHECK(totals.stored_bytes == 3);
}

TEST_CASE_FIXTURE(Fixture, "snapshot history: ids, beginnings, current and previous") {
    CHECK(resolve_snapshot(mirror.paths, "current").error().kind == ErrorKind::usage);
    const std::string a = mirror.publish({{"a-1-0", "1"}}).id;
    CHECK(resolve_snapshot(mirror.paths, "previous").error().kind == ErrorKind::usage);
    mirror.clock.advance(std::chrono::hours(24));
    const std::string b = mirror.publish({{"b-1-0", "1"}}).id;
    CHECK(*resolve_snapshot(mirror.paths, "current") == b);
    CHECK(*resolve_snapshot(mirror.paths, "previous") == a);
    CHECK(*resolve_snapshot(mirror.paths, a) == a);
    CHECK(*resolve_snapshot(mirror.paths, b.substr(0, 8)) == b);
    const auto both = resolve_snapshot(mirror.paths, "20");
    REQUIRE_FALSE(both);
    CHECK(both.error().message.find("2 snapshots") != std::string::npos);
    CHECK_FALSE(resolve_snapshot(mirror.paths, ""));
    CHECK_FALSE(resolve_snapshot(mirror.paths, "../etc"));
    const auto near = resolve_snapshot(mirror.paths, a.substr(0, a.size() - 1) + "x");
    REQUIRE_FALSE(near);
    CHECK(near.error().message.find("did you mean '" + a) != std::string::npos);
}

}  // namespace
}  // namespace chm::channels
