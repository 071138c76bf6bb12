// Digests of files of every size class: empty, read, mapped, more than one window.
#include "base/file_hashing.hpp"

#include "base/atomic_file.hpp"
#include "support/fake_clock.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <thread>

namespace chm {
namespace {

std::string bytes_of(std::size_t size) {
    std::string bytes(size, '\0');
    std::uint32_t state = 7;
    for (char& c : bytes) {
        state = state * 1664525 + 1013904223;
        c = static_cast<char>(state >> 24U);
    }
    return bytes;
}

TEST_CASE("file hashing: the same digest as of the bytes") {
    const test::TempDir directory;
    for (const std::size_t size :
         {0U, 1U, 4095U, 131'073U, 262'144U, 1'000'003U, (16U << 20U) + 5}) {
        CAPTURE(size);
        const std::string bytes = bytes_of(size);
        REQUIRE(write_file_atomically(directory / "f", bytes));
        std::uint64_t progress = 0;
        const auto hashed = hash_file<Sha256>(
            directory / "f", {nullptr, [&](std::uint64_t count) { progress += count; }, {}});
        REQUIRE_MESSAGE(hashed, hashed.error().message);
        CHECK(hashed->digest == sha256(bytes));
        CHECK(hashed->size == size);
        CHECK(progress == size);
        CHECK(hash_file<Md5>(directory / "f", {})->digest == md5(bytes));
    }
}

TEST_CASE("file hashing: what cannot be read is said") {
    const test::TempDir directory;
    const auto missing = hash_file<Sha256>(directory / "none", {});
    REQUIRE_FALSE(missing);
    CHECK(missing.error().kind == ErrorKind::not_found);
    const auto folder = hash_file<Sha256>(directory.path(), {});
    REQUIRE_FALSE(folder);
    CHECK(folder.error().kind == ErrorKind::io);
    REQUIRE(write_file_atomically(directory / "f", "text"));
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = hash_file<Sha256>(directory / "f", {nullptr, {}, stop.get_token()});
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().kind == ErrorKind::interrupted);
}

TEST_CASE("file hashing: a pace holds all threads to one rate") {
    const SystemClock clock;
    Pace pace(1'000'000, clock);
    const auto begin = clock.steady();
    {
        const std::jthread other([&] { pace.spend(50'000, {}); });
        pace.spend(50'000, {});
    }
    CHECK(clock.steady() - begin >= std::chrono::milliseconds(90));
    Pace free(0, clock);
    const auto begin_free = clock.steady();
    free.spend(1ULL << 50U, {});
    CHECK(clock.steady() - begin_free < std::chrono::seconds(10));
    std::stop_source stop;
    stop.request_stop();
    pace.spend(1ULL << 40U, stop.get_token());  // would sleep for days
}

}  // namespace
}  // namespace chm
