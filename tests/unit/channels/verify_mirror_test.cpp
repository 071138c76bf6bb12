// verify: every kind of damage is found and named, nothing whole is accused, a repair leaves a whole mirror.
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

TEST_CASE_FIXTURE(Fixture, "verify: a whole mirror has no faults") {
    const VerifyReport report = verify();
    CHECK(report.faults.empty());
    CHECK(report.objects == 4);
    CHECK(report.bytes == 6 + 5 + 1 + 2);
    CHECK(report.snapshots == 2);
    CHECK(report.snapshot == current.id);
}

TEST_CASE_FIXTURE(Fixture, "verify: no mirror is said to be none") {
    const MirrorPaths nowhere(directory / "nowhere");
    const auto report = verify_mirror(nowhere, {}, {mirror.clock, reporter, {}});
    REQUIRE_FALSE(report);
    CHECK(report.error().kind == ErrorKind::usage);
}

TEST_CASE_FIXTURE(
    Fixture,
    "verify: other bytes of the same size are found, and named with what they are published as") {
    test::damage(mirror.object("22"), "2x");
    const VerifyReport report = verify();
    REQUIRE(report.faults.size() == 1);
    const Fault& fault = report.faults[0];
    CHECK(fault.file == mirror.object("22").lexically_relative(mirror.paths.root()).string());
    CHECK(fault.expected == "sha256 " + sha256("22").hex() + ", 2 bytes");
    CHECK(fault.got == "sha256 " + sha256("2x").hex() + ", 2 bytes");
    CHECK(fault.published_as == std::vector<std::string>{"c/linux-64/b-1-0.conda"});
    CHECK(fault.advice.find("--repair") != std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "verify: with a lock, only what it names") {
    test::damage(mirror.object("before"), "beforx");
    const fs::path lock = directory / "x.lock";
    const auto check = [&](const std::string& lines) {
        REQUIRE(write_file_atomically(lock, "@EXPLICIT\n" + lines));
        VerifyRequest request;
        request.locks = {lock};
        return verify(request);
    };
    const std::string here = "https://conda.anaconda.org/c/linux-64/";
    const VerifyReport whole = check(here + "a-1-0.conda#" + sha256("1").hex() + "\n" + here +
                                     "b-1-0.conda#" + md5("22").hex() + "\n");
    CHECK(whole.faults.empty());
    CHECK(whole.objects == 2);
    CHECK(check(here + "old-1-0.conda#" + sha256("before").hex()).faults.size() == 1);
    CHECK(check(here + "a-1-0.conda#" + sha256("other").hex()).faults.size() == 1);
    CHECK(check(here + "b-1-0.conda#" + md5("other").hex()).faults.size() == 1);
    CHECK(check("https://h/d/linux-64/a-1-0.conda#" + md5("1").hex()).faults.size() == 1);
    VerifyRequest request;
    request.locks = {directory / "nothing"};
    const auto absent = verify_mirror(mirror.paths, request, {mirror.clock, reporter, {}});
    REQUIRE_FALSE(absent);
    CHECK(absent.error().kind == ErrorKind::usage);
}

TEST_CASE_FIXTURE(Fixture, "verify: stops when asked to, and says so") {
    std::stop_source stop;
    stop.request_stop();
    const auto report = verify_mirror(mirror.paths, {}, {mirror.clock, reporter, stop.get_token()});
    REQUIRE_FALSE(report);
    CHECK(report.error().kind == ErrorKind::interrupted);
}

}  // namespace
}  // namespace chm::channels
