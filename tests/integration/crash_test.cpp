// kill -9 at any moment leaves the old mirror or the new one, and the next sync succeeds. A child process syncs one
// upstream state after another from file:// and is killed again and again.
#include "channels/curl_transport.hpp"
#include "channels/sync.hpp"

#include "base/atomic_file.hpp"
#include "support/mirror_check.hpp"
#include "support/recording_reporter.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;

constexpr int k_kills = 120;
constexpr int k_states = 4;

/// Upstream number `state`: each has other records in every subdir, and one more channel than the state before.
void make_upstream(const fs::path& folder, int state) {
    for (int channel = 0; channel <= state; ++channel) {
        for (const char* subdir : {"linux-64", "noarch"}) {
            std::vector<std::string> packages;
            for (int i = 0; i < 200; ++i) {
                packages.push_back(fmt::format("p{}-{}-0", i, state));
            }
            const fs::path place = folder / fmt::format("c{}", channel) / subdir;
            REQUIRE(make_directories(place));
            REQUIRE(write_file_atomically(place / "repodata.json", test::small_index(subdir, packages)));
        }
    }
}

Result<SyncReport> sync_state(const fs::path& directory, int state) {
    config::Settings settings;
    settings.root = directory / "mirror";
    settings.upstreams = {{"default", "file://" + (directory / fmt::format("upstream{}", state)).string()}};
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

/// What the child does until it is killed; it leaves at once when a sync fails, which the parent sees.
[[noreturn]] void sync_for_ever(const fs::path& directory, int state) {
    while (sync_state(directory, state)) {
        state = (state + 1) % k_states;
    }
    ::_exit(1);
}

TEST_CASE("crash: a sync killed at any moment leaves a whole mirror that the next sync can use") {
    const test::TempDir directory;
    for (int state = 0; state < k_states; ++state) {
        make_upstream(directory / fmt::format("upstream{}", state), state);
    }
    std::mt19937 random(20261201);
    std::uniform_int_distribution<int> delay_us(0, 40'000);
    int leftovers = 0;
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
        leftovers += fs::exists(directory / "mirror/snapshots/new.unfinished") ? 1 : 0;
        REQUIRE(test::mirror_faults(directory / "mirror") == std::vector<std::string>());
        if (kill % 10 == 9) {
            const auto report = sync_state(directory.path(), (kill / 10) % k_states);
            REQUIRE_MESSAGE(report, report.error().message);
            CHECK(test::mirror_faults(directory / "mirror") == std::vector<std::string>());
            CHECK_FALSE(fs::exists(directory / "mirror/snapshots/new.unfinished"));
        }
    }
    CHECK(leftovers > k_kills / 10);  // the kills did hit syncs at work
    const auto report = sync_state(directory.path(), k_states - 1);
    REQUIRE_MESSAGE(report, report.error().message);
    CHECK(report->manifest.channels.size() == k_states);
    CHECK(test::mirror_faults(directory / "mirror") == std::vector<std::string>());
}

}  // namespace
}  // namespace chm::channels
