// Back to a snapshot that is whole, and to no other.
#include "channels/rollback.hpp"

#include "base/file_lock.hpp"
#include "channels/missing_files.hpp"
#include "channels/verify_mirror.hpp"
#include "support/recording_reporter.hpp"
#include "support/stored_mirror.hpp"

#include <doctest/doctest.h>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;

struct Fixture {
    Result<RollbackReport> back_to(const std::string& text) {
        return rollback(mirror.paths, text, mirror.clock, {});
    }
    void check_whole() {
        const auto report = verify_mirror(mirror.paths, {}, {mirror.clock, reporter, {}});
        REQUIRE_MESSAGE(report, report.error().message);
        for (const Fault& fault : report->faults) {
            FAIL_CHECK(fault.file << ": expected " << fault.expected << ", got " << fault.got);
        }
    }
    test::TempDir directory;
    test::StoredMirror mirror{directory / "mirror"};
    test::RecordingReporter reporter;
};

TEST_CASE_FIXTURE(Fixture,
                  "rollback: names and bytes are those of the older snapshot, and forth again") {
    const std::string a = mirror.publish({{"old-1-0", "1"}, {"re-1-0", "before"}}).id;
    const std::string b = mirror.publish({{"new-1-0", "2"}, {"re-1-0", "after"}}).id;
    CHECK(mirror.served("re-1-0") == "after");
    const auto report = back_to("previous");
    REQUIRE_MESSAGE(report, report.error().message);
    CHECK(report->before == b);
    CHECK(mirror.current() == a);
    CHECK(mirror.served("re-1-0") == "before");
    CHECK(mirror.served("old-1-0") == "1");
    check_whole();
    REQUIRE(back_to(b));
    CHECK(mirror.current() == b);
    CHECK(mirror.served("re-1-0") == "after");
    check_whole();
}

TEST_CASE_FIXTURE(Fixture, "rollback: public names that were removed come back") {
    const std::string a = mirror.publish({{"old-1-0", "1"}}, "only-then").id;
    mirror.publish({{"new-1-0", "2"}});
    REQUIRE(remove_tree(mirror.paths.published() / "only-then"));
    const auto report = back_to(a);
    REQUIRE_MESSAGE(report, report.error().message);
    CHECK(report->names_added == 1);
    CHECK(mirror.served("old-1-0", "only-then/linux-64") == "1");
    check_whole();
}

TEST_CASE_FIXTURE(Fixture, "rollback: to the current snapshot makes its names anew") {
    mirror.publish({{"re-1-0", "before"}, {"a-1-0", "1"}, {"b-1-0", "2"}});
    mirror.publish({{"re-1-0", "after"}, {"a-1-0", "1"}, {"b-1-0", "2"}});
    REQUIRE(remove_tree(mirror.name("re-1-0")));
    REQUIRE(remove_tree(mirror.name("a-1-0")));
    REQUIRE(remove_tree(mirror.name("b-1-0")));
    REQUIRE(write_file_atomically(mirror.name("b-1-0"), "something else"));
    REQUIRE(remove_tree(mirror.paths.published() / "c/linux-64/repodata.json"));
    const auto report = back_to("current");
    REQUIRE_MESSAGE(report, report.error().message);
    CHECK(report->names_added == 2);
    CHECK(report->names_changed == 1);
    CHECK(mirror.served("re-1-0") == "after");
    CHECK(mirror.served("b-1-0") == "2");
    check_whole();
}

TEST_CASE_FIXTURE(Fixture,
                  "rollback: a snapshot that lost something is refused, and nothing changes") {
    const Manifest a = mirror.publish({{"old-1-0", "1"}});
    const std::string b = mirror.publish({{"new-1-0", "2"}}).id;
    SUBCASE("a stored file") {
        REQUIRE(remove_tree(mirror.object("1")));
    }
    SUBCASE("a stored file's end") {
        test::damage(mirror.object("1"), "");
    }
    SUBCASE("an index") {
        test::damage(upstream_index(mirror.paths.snapshot(a.id), "c", "linux-64"), "x");
    }
    SUBCASE("the list") {
        REQUIRE(remove_tree(stored_list(mirror.paths.snapshot(a.id), "c", "linux-64")));
    }
    SUBCASE("the manifest") {
        REQUIRE(remove_tree(mirror.paths.snapshot(a.id) / "manifest.json"));
    }
    const auto report = back_to(a.id);
    REQUIRE_FALSE(report);
    CHECK(report.error().kind == ErrorKind::integrity);
    CHECK(report.error().message.find(a.id) != std::string::npos);
    CHECK(report.error().message.find("the mirror is unchanged") != std::string::npos);
    CHECK(mirror.current() == b);
}

TEST_CASE_FIXTURE(Fixture, "rollback: leaves a current snapshot that is damaged") {
    const std::string a = mirror.publish({{"a-1-0", "1"}}).id;
    const std::string b = mirror.publish({{"a-1-0", "2"}}).id;
    test::damage(mirror.paths.snapshot(b) / "manifest.json", "{");
    const auto report = back_to("previous");
    REQUIRE_MESSAGE(report, report.error().message);
    CHECK(mirror.current() == a);
    CHECK(mirror.served("a-1-0") == "1");
}

TEST_CASE_FIXTURE(Fixture, "rollback: says who holds the root") {
    const std::string a = mirror.publish({{"a-1-0", "1"}}).id;
    FileLock::Options options;
    options.purpose = "chanmirror sync";
    const auto lock = FileLock::acquire(mirror.paths.lock(), options, mirror.clock);
    REQUIRE(lock);
    const auto report = back_to(a);
    REQUIRE_FALSE(report);
    CHECK(report.error().kind == ErrorKind::locked);
    CHECK(report.error().message.find("chanmirror sync") != std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "rollback: missing.json keeps only what the snapshot lacks") {
    const std::string a = mirror.publish({{"a-1-0", "1"}}).id;
    mirror.publish({{"a-1-0", "1"}, {"b-1-0", "2"}});
    const MissingFiles missing{{"c", "linux-64", "x-1-0.conda", "https://u/x", "", "404", 1, ""}};
    REQUIRE(write_file_atomically(mirror.paths.missing(), to_text(missing)));
    REQUIRE(back_to(a));
    CHECK_FALSE(fs::exists(mirror.paths.missing()));
}

}  // namespace
}  // namespace chm::channels
