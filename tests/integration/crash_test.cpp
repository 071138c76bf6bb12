// kill -9 at any moment leaves the old mirror or the new one, and the next sync succeeds. A child
// process syncs one upstream state after another from file:// and is killed again and again.
#include "base/atomic_file.hpp"
#include "channels/curl_transport.hpp"
#include "channels/sync.hpp"
#include "support/mirror_check.hpp"
#include "support/recording_reporter.hpp"
#include "support/temp_dir.hpp"

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

constexpr int k_kills = 120;
constexpr int k_states = 4;

std::vector<std::string> packages_of(int state) {
    std::vector<std::string> packages(40);
    for (std::size_t i = 0; i < packages.size(); ++i) {
        packages[i] = fmt::format("p{}-{}-0", i, state);
    }
    return packages;
}

/// Upstream number `state`: each has other records in every subdir, and one more channel than the
/// state before.
void make_upstream(const fs::path& folder, int state) {
    for (int channel = 0; channel <= state; ++channel) {
        for (const char* subdir : {"linux-64", "noarch"}) {
            const fs::path place = folder / fmt::format("c{}", channel) / subdir;
            REQUIRE(make_directories(place));
            REQUIRE(write_file_atomically(place / "repodata.json",
                                          test::small_index(subdir, packages_of(state))));
        }
    }
}

Result<SyncReport> sync_state(const fs::path& directory, int state) {
    config::Settings settings;
    settings.root = directory / "mirror";
    settings.upstreams = {
        {"default", "file://" + (directory / fmt::format("upstream{}", state)).string()}};
    SyncRequest request{{}, {"linux-64"}};
    for (int channel = 0; channel <= state; ++channel) {
        const std::string name = fmt::format("c{}", channel);
        request.channels.push_back({name, "https://conda.anaconda.org/" + name});
    }
    const SystemClock clock;
    test::RecordingReporter reporter;
    const auto transport = make_curl_transport({}, clock);
    return sync(settings, request, {*transport, clock, reporter, {}});
}

/// What the child does until it is killed; it leaves at once when a sync fails, which the parent
/// sees.
[[noreturn]] void sync_for_ever(const fs::path& directory, int state) {
    while (sync_state(directory, state)) {
        state = (state + 1) % k_states;
    }
    ::_exit(1);
}

std::string current_id(const fs::path& root) {
    const auto current = read_current(MirrorPaths(root));
    return current && *current ? (*current)->id : std::string();
}

TEST_CASE("crash: a sync killed at any moment leaves a whole mirror that the next sync can use") {
    if (fs::is_directory(
            "/dev/shm")) {  // where fsync costs nothing, so that the kills meet every step
        // NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread
        REQUIRE(::setenv("TMPDIR", "/dev/shm", 1) == 0);
    }
    const test::TempDir directory;
    for (int state = 0; state < k_states; ++state) {
        make_upstream(directory / fmt::format("upstream{}", state), state);
    }
    std::mt19937 random(20261201);
    std::uniform_int_distribution<int> delay_us(0, 25'000);
    int leftovers = 0;
    std::set<std::string> snapshots;
    for (int kill = 0; kill < k_kills; ++kill) {
        CAPTURE(kill);
        const ::pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            sync_for_ever(directory.path(), kill % k_states);
        }
        std::this_thread::sleep_for(std::chrono::microseconds(delay_us(random)));
        REQUIRE(::kill(child, SIGKILL) == 0);
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        REQUIRE(WIFSIGNALED(status));  // else a sync failed before the kill came
        snapshots.insert(current_id(directory / "mirror"));
        leftovers += fs::exists(directory / "mirror/snapshots/new.unfinished") ? 1 : 0;
        REQUIRE(test::mirror_faults(directory / "mirror") == std::vector<std::string>());
        if (kill % 10 == 9) {
            const auto report = sync_state(directory.path(), (kill / 10) % k_states);
            REQUIRE_MESSAGE(report, report.error().message);
            CHECK(test::mirror_faults(directory / "mirror") == std::vector<std::string>());
            CHECK_FALSE(fs::exists(directory / "mirror/snapshots/new.unfinished"));
        }
    }
    CHECK(leftovers >= k_kills / 20);         // the kills did hit syncs at work,
    CHECK(snapshots.size() >= k_kills / 20);  // and syncs did come through between them
    const auto report = sync_state(directory.path(), k_states - 1);
    REQUIRE_MESSAGE(report, report.error().message);
    CHECK(report->manifest.channels.size() == k_states);
    CHECK(test::mirror_faults(directory / "mirror") == std::vector<std::string>());
}

}  // namespace
}  // namespace chm::channels
