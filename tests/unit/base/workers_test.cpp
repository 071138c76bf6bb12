// Tests of base/workers.
#include "base/workers.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

using chm::ErrorKind;
using chm::Result;

TEST_CASE("workers: every index is worked on once") {
    for (const unsigned threads : {0U, 1U, 3U, 64U}) {
        for (const std::size_t count : {0UL, 1UL, 2UL, 1000UL}) {
            std::vector<std::atomic<int>> calls(count);
            const auto result = chm::for_each_parallel(count, threads, [&](std::size_t i) {
                ++calls.at(i);
                return Result<>();
            });
            CHECK(result);
            for (const auto& call : calls) {
                CHECK(call == 1);
            }
        }
    }
}

TEST_CASE("workers: the work is spread but never over more threads than asked for") {
    std::mutex mutex;
    std::set<std::thread::id> seen;
    std::atomic<int> inside{0};
    const auto result = chm::for_each_parallel(2, 2, [&](std::size_t) {
        // Each waits for the other: passes only when two threads are at work.
        ++inside;
        for (int i = 0; i < 10'000 && inside < 2; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        const std::scoped_lock guard(mutex);
        seen.insert(std::this_thread::get_id());
        return Result<>();
    });
    CHECK(result);
    CHECK(seen.size() == 2);
    seen.clear();
    CHECK(chm::for_each_parallel(200, 3, [&](std::size_t) {
        const std::scoped_lock guard(mutex);
        seen.insert(std::this_thread::get_id());
        return Result<>();
    }));
    CHECK(seen.size() <= 3);
}

TEST_CASE("workers: the lowest failure is the outcome whatever the timing") {
    for (int round = 0; round < 50; ++round) {
        const auto result = chm::for_each_parallel(100, 4, [round](std::size_t i) -> Result<> {
            if (i == 10) {
                // The lowest failure comes last in time.
                std::this_thread::sleep_for(std::chrono::microseconds(round * 20));
            }
            if (i >= 10) {
                return chm::fail(ErrorKind::integrity, "index " + std::to_string(i));
            }
            return {};
        });
        REQUIRE_FALSE(result);
        CHECK(result.error().message == "index 10");
    }
}

TEST_CASE("workers: nothing new begins after a failure") {
    std::atomic<int> calls{0};
    const auto result = chm::for_each_parallel(1'000, 1, [&](std::size_t i) -> Result<> {
        ++calls;
        if (i == 5) {
            return chm::fail(ErrorKind::io, "five");
        }
        return {};
    });
    CHECK_FALSE(result);
    CHECK(calls == 6);
}

TEST_CASE("workers: there is at least one thread by default") {
    CHECK(chm::default_threads() >= 1);
}
