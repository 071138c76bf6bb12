// kill -9 during a rollback or a garbage collection leaves a mirror that verify finds whole: a child
// publishes, rolls back and collects for ever, and is killed again and again.
#include "channels/garbage.hpp"
#include "channels/rollback.hpp"
#include "channels/snapshot_history.hpp"
#include "channels/verify_mirror.hpp"
#include "support/recording_reporter.hpp"
#include "support/stored_mirror.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;

constexpr int k_kills = 100;

test::Packages packages_of(unsigned state) {
    test::Packages packages;
    for (unsigned i = 0; i < 12; ++i) {
        packages[fmt::format("p{}-1-0", (state + i) % 20)] =
            fmt::format("bytes {}", (state * i) % 17);
    }
    return packages;
}

bool work_once(test::StoredMirror& mirror, std::mt19937& random) {
    test::RecordingReporter reporter;
    const auto choice = random() % 3;
    if (choice == 0) {
        mirror.publish(packages_of(static_cast<unsigned>(random() % 100)));
        return true;
    }
    if (choice == 1) {
        const auto entries = list_snapshots(mirror.paths);
        return entries &&
               rollback(mirror.paths, (*entries)[random() % entries->size()].id, mirror.clock, {})
                   .has_value();
    }
    const GarbageRequest request{
        static_cast<unsigned>(random() % 3), std::chrono::seconds(0), false};
    return collect_garbage(mirror.paths, request, {mirror.clock, reporter, {}}).has_value();
}

/// What the child does until it is killed; it leaves at once when something fails.
[[noreturn]] void work_for_ever(test::StoredMirror& mirror, unsigned seed) {
    std::mt19937 random(seed);
    try {
        while (work_once(mirror, random)) {
        }
    } catch (...) {  // a REQUIRE of the support code
        ::_exit(2);
    }
    ::_exit(1);
}

TEST_CASE("crash: a rollback or garbage collection killed at any moment leaves a whole mirror") {
    if (fs::is_directory(
            "/dev/shm")) {  // where fsync costs nothing, so that the kills meet every step
        // NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread
        REQUIRE(::setenv("TMPDIR", "/dev/shm", 1) == 0);
    }
    const test::TempDir directory;
    test::StoredMirror mirror(directory / "mirror");
    test::RecordingReporter reporter;
    for (unsigned state = 0; state < 5; ++state) {
        mirror.publish(packages_of(state));
    }
    std::mt19937 random(20261201);
    std::uniform_int_distribution<int> delay_us(0, 20'000);
    std::set<std::string> seen;
    int leftovers = 0;
    for (unsigned kill = 0; kill < k_kills; ++kill) {
        CAPTURE(kill);
        mirror.clock.advance(std::chrono::hours(1));
        const ::pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            work_for_ever(mirror, kill);
        }
        std::this_thread::sleep_for(std::chrono::microseconds(delay_us(random)));
        REQUIRE(::kill(child, SIGKILL) == 0);
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        REQUIRE(WIFSIGNALED(status));  // else something failed before the kill came
        seen.insert(mirror.current());
        for (const auto& entry : fs::directory_iterator(mirror.paths.snapshots())) {
            leftovers += entry.path().extension() == ".unfinished" ? 1 : 0;
        }
        const auto report = verify_mirror(mirror.paths, {}, {mirror.clock, reporter, {}});
        REQUIRE_MESSAGE(report, report.error().message);
        for (const Fault& fault : report->faults) {
            FAIL_CHECK(fault.file << ": expected " << fault.expected << ", got " << fault.got);
        }
        REQUIRE(report->faults.empty());
    }
    CHECK(seen.size() >= k_kills / 20);  // work did come through between the kills,
    CHECK(leftovers > 0);                // and the kills did hit work
    const auto report = collect_garbage(
        mirror.paths, {1, std::chrono::seconds(0), false}, {mirror.clock, reporter, {}});
    REQUIRE_MESSAGE(report, report.error().message);
    CHECK(verify_mirror(mirror.paths, {}, {mirror.clock, reporter, {}})->faults.empty());
    for (const auto& entry : fs::recursive_directory_iterator(mirror.paths.root())) {
        CHECK(entry.path().extension() != ".tmp");
        CHECK(entry.path().extension() != ".unfinished");
    }
}

}  // namespace
}  // namespace chm::channels
