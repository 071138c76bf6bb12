// Tests of base/file_lock. Two descriptors of one process exclude each other as two processes do.
#include "base/file_lock.hpp"

#include "base/atomic_file.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>
#include <stop_token>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

using chm::ErrorKind;
using chm::FileLock;
using chm::test::TempDir;
using namespace std::chrono_literals;

namespace {

class StoppedClock final : public chm::Clock {
public:
    [[nodiscard]] chm::WallTime wall() const override {
        return chm::WallTime{std::chrono::seconds(1796082314)};  // 2026-11-30T23:45:14Z
    }
    [[nodiscard]] chm::SteadyTime steady() const override { return {}; }
};

const StoppedClock k_clock;

std::string host() {
    std::array<char, 256> name{};
    ::gethostname(name.data(), name.size() - 1);
    return name.data();
}

}  // namespace

TEST_CASE("file_lock: the holder is in the file while the lock is held") {
    const TempDir dir;
    {
        const auto lock = FileLock::acquire(dir / "lock", {.purpose = "chanmirror sync"}, k_clock);
        REQUIRE(lock);
        const auto holder = chm::parse_json(chm::read_file(dir / "lock", 4096).value());
        REQUIRE(holder);
        CHECK(holder->text("command") == "chanmirror sync");
        CHECK(*holder->find("pid")->as_integer() == ::getpid());
        CHECK(holder->text("host") == host());
        CHECK(holder->text("since") == "2026-11-30T23:45:14Z");
    }
    CHECK(chm::read_file(dir / "lock", 4096).value().empty());
}

TEST_CASE("file_lock: the second comer is told who holds it") {
    const TempDir dir;
    auto first = FileLock::acquire(dir / "lock", {.purpose = "chanmirror sync"}, k_clock);
    REQUIRE(first);
    const FileLock held = std::move(*first);
    const auto second = FileLock::acquire(dir / "lock", {.purpose = "chanmirror gc"}, k_clock);
    REQUIRE_FALSE(second);
    CHECK(second.error().kind == ErrorKind::locked);
    CHECK(second.error().message ==
          "mirror root " + dir.path().string() + " is in use by chanmirror sync (pid " +
              std::to_string(::getpid()) + " on host " + host() +
              ", since 2026-11-30T23:45:14Z); wait for it to end, or stop it");
}

TEST_CASE("file_lock: a holder that does not say who it is, or lies, is still a holder") {
    const TempDir dir;
    const auto lock = FileLock::acquire(dir / "lock", {.purpose = "x"}, k_clock);
    REQUIRE(lock);
    const std::string prefix = "mirror root " + dir.path().string() + " is in use by ";
    const std::string suffix = "; wait for it to end, or stop it";
    struct Row {
        std::string text;
        std::string holder;
    };
    for (const Row& row : {
             Row{"", "another process"},
             Row{"{\"comm", "another process"},
             Row{std::string(1'000'000, '['), "another process"},
             Row{"[1]", "another process"},
             Row{R"({"command":"a\n\u001b[2J","pid":"7","host":"h\u0000","since":"s"})",
                 "a\\x0a\\x1b[2J (pid unknown on host h\\x00, since s)"},
         }) {
        // Written through the old inode, as another process would.
        std::FILE* file = std::fopen((dir / "lock").c_str(), "we");
        REQUIRE(file != nullptr);
        std::fwrite(row.text.data(), 1, row.text.size(), file);
        std::fclose(file);
        const auto second = FileLock::acquire(dir / "lock", {.purpose = "y"}, k_clock);
        REQUIRE_FALSE(second);
        CHECK(second.error().message == fmt::format("{}{}{}", prefix, row.holder, suffix));
    }
}

TEST_CASE("file_lock: patience waits for the holder to end") {
    const TempDir dir;
    std::optional<FileLock> held(
        FileLock::acquire(dir / "lock", {.purpose = "first"}, k_clock).value());
    std::thread holder([&held] {
        std::this_thread::sleep_for(50ms);
        held.reset();
    });
    const auto second =
        FileLock::acquire(dir / "lock", {.purpose = "second", .patience = 60s}, k_clock);
    holder.join();
    CHECK(second);
}

TEST_CASE("file_lock: patience ends") {
    const TempDir dir;
    const auto lock = FileLock::acquire(dir / "lock", {.purpose = "x"}, k_clock);
    REQUIRE(lock);
    const auto start = std::chrono::steady_clock::now();
    const auto second =
        FileLock::acquire(dir / "lock", {.purpose = "y", .patience = 120ms}, k_clock);
    REQUIRE_FALSE(second);
    CHECK(second.error().kind == ErrorKind::locked);
    CHECK(std::chrono::steady_clock::now() - start >= 120ms);
}

TEST_CASE("file_lock: a stop request ends the wait") {
    const TempDir dir;
    const auto lock = FileLock::acquire(dir / "lock", {.purpose = "x"}, k_clock);
    REQUIRE(lock);
    const std::stop_source stop;
    REQUIRE(stop.request_stop());
    const auto second = FileLock::acquire(
        dir / "lock", {.purpose = "y", .patience = 1h, .stop = stop.get_token()}, k_clock);
    REQUIRE_FALSE(second);
    CHECK(second.error().kind == ErrorKind::interrupted);
}

TEST_CASE("file_lock: the death of the holder frees the lock") {
    const TempDir dir;
    std::array<int, 2> ready{};
    REQUIRE(::pipe(ready.data()) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const auto lock = FileLock::acquire(dir / "lock", {.purpose = "child"}, k_clock);
        const char answer = lock ? 'y' : 'n';
        if (::write(ready[1], &answer, 1) == 1) {
            ::pause();
        }
        ::_exit(1);
    }
    char answer = '?';
    REQUIRE(::read(ready[0], &answer, 1) == 1);
    CHECK(answer == 'y');
    const auto refused = FileLock::acquire(dir / "lock", {.purpose = "parent"}, k_clock);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("child (pid " + std::to_string(child)) != std::string::npos);
    ::kill(child, SIGKILL);
    REQUIRE(::waitpid(child, nullptr, 0) == child);
    CHECK(FileLock::acquire(dir / "lock", {.purpose = "parent"}, k_clock));
    ::close(ready[0]);
    ::close(ready[1]);
}

TEST_CASE("file_lock: a folder that is not there is an error that names the lock") {
    const TempDir dir;
    const auto lock = FileLock::acquire(dir / "gone/lock", {.purpose = "x"}, k_clock);
    REQUIRE_FALSE(lock);
    CHECK(lock.error().kind == ErrorKind::io);
    CHECK(lock.error().message ==
          "opening the lock " + (dir / "gone/lock").string() + ": No such file or directory");
}
