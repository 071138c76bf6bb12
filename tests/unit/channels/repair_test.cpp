// A repair leaves a whole mirror, and the next sync something to do.
#include "channels/repair.hpp"

#include "channels/missing_files.hpp"
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

TEST_CASE_FIXTURE(Fixture, "repair: it publishes without what is damaged, and moves it away") {
    test::damage(mirror.object("22"), "2x");
    test::damage(mirror.object("before"), "beforx");  // only the older snapshot needs it
    REQUIRE(remove_tree(mirror.object("1")));
    VerifyRequest request;
    request.repair = true;
    const VerifyReport report = verify(request);
    CHECK(report.repaired.size() == 2);
    CHECK(report.published ==
          std::vector<std::string>{"c/linux-64/a-1-0.conda", "c/linux-64/b-1-0.conda"});
    CHECK(report.snapshot != current.id);
    CHECK(report.snapshot == mirror.current());
    CHECK(fs::exists(mirror.paths.root() / "quarantine" / sha256("22").hex()));
    CHECK_FALSE(mirror.has_object("22"));
    CHECK(mirror.served("b-1-0") == "(none)");
    CHECK(mirror.served("re-1-0") == "after");
    const auto now = read_current(mirror.paths);
    REQUIRE(now);
    const SnapshotSubdir& subdir = (*now)->channels[0].subdirs[0];
    CHECK(subdir.missing_files == 2);
    CHECK(subdir.published_records == 1);
    CHECK(subdir.records == 3);
    CHECK(subdir.policy == "all");  // so the next sync looks at it again
    const MissingFiles missing = read_missing_files(mirror.paths.missing());
    REQUIRE(missing.size() == 2);
    CHECK(missing[1].fn == "b-1-0.conda");
    CHECK(missing[1].url == "https://u/c/linux-64/b-1-0.conda");
    for (const Fault& fault : report.faults) {  // what is left are objects of older snapshots
        CHECK(fault.file.starts_with("objects/"));
    }
}

TEST_CASE_FIXTURE(Fixture, "repair: it of a whole mirror changes nothing") {
    VerifyRequest request;
    request.repair = true;
    CHECK(verify(request).faults.empty());
    CHECK(mirror.current() == current.id);
    CHECK_FALSE(fs::exists(mirror.paths.root() / "quarantine"));
}

}  // namespace
}  // namespace chm::channels
