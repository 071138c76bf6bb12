// Tests of base/atomic_file.
#include "base/atomic_file.hpp"

#include "base/file.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <array>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

using chm::AtomicFile;
using chm::test::TempDir;
namespace fs = std::filesystem;

namespace {

std::size_t count_entries(const fs::path& folder) {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder)) {
        ++count;
    }
    return count;
}

std::string text_of(const fs::path& path) {
    return chm::read_file(path, 1'000'000).value_or("(unreadable)");
}

/// Runs `work` in a child that is then killed; false when the child could not do its part.
template <class Work>
bool run_and_kill(const Work& work) {
    const pid_t child = ::fork();
    if (child == 0) {
        if (!work()) {
            ::_exit(1);
        }
        ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    return ::waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
           WTERMSIG(status) == SIGKILL;
}

}  // namespace

TEST_CASE("atomic_file: nothing shows before commit and all of it after") {
    const TempDir dir;
    auto file = AtomicFile::create(dir / "f");
    REQUIRE(file);
    REQUIRE(file->write("one "));
    REQUIRE(file->write(std::as_bytes(std::span(std::string_view("two")))));
    CHECK_FALSE(fs::exists(dir / "f"));
    CHECK(count_entries(dir.path()) == 1);
    REQUIRE(file->commit());
    CHECK(text_of(dir / "f") == "one two");
    CHECK(count_entries(dir.path()) == 1);
    const auto again = file->commit();
    REQUIRE_FALSE(again);
    CHECK(again.error().message == "writing " + (dir / "f").string() + ": Bad file descriptor");
    CHECK(text_of(dir / "f") == "one two");
}

TEST_CASE("atomic_file: the destructor and a move remove the uncommitted temporary") {
    const TempDir dir;
    {
        auto first = AtomicFile::create(dir / "f");
        auto second = AtomicFile::create(dir / "f");
        REQUIRE(first);
        REQUIRE(second);
        CHECK(count_entries(dir.path()) == 2);
        *first = std::move(*second);
        CHECK(count_entries(dir.path()) == 1);
    }
    CHECK(count_entries(dir.path()) == 0);
}

TEST_CASE("atomic_file: a kill leaves the old file and does not stop the next run") {
    const TempDir dir;
    REQUIRE(chm::write_file_atomically(dir / "f", "old"));
    REQUIRE(run_and_kill([&dir] {
        static auto file = AtomicFile::create(dir / "f");
        return file && file->write("half of the n");
    }));
    CHECK(text_of(dir / "f") == "old");
    REQUIRE(chm::write_file_atomically(dir / "f", "new"));
    CHECK(text_of(dir / "f") == "new");
}

TEST_CASE("atomic_file: a temporary left under the same name is stepped over") {
    const TempDir dir;
    // What an earlier run with this pid, killed at this count, would have left.
    const auto probe = [&dir] {
        auto file = AtomicFile::create(dir / "f");
        return fs::directory_iterator(dir.path())->path().filename().string();
    };
    const std::string name = probe();
    const std::size_t dash = name.rfind('-');
    const std::size_t end = name.rfind(".tmp");
    REQUIRE(dash != std::string::npos);
    const int used = std::stoi(name.substr(dash + 1, end - dash - 1));
    for (int next = used + 1; next < used + 20; ++next) {
        const int fd =
            ::open((dir / (name.substr(0, dash + 1) + std::to_string(next) + ".tmp")).c_str(),
                   O_CREAT | O_WRONLY | O_CLOEXEC,
                   0600);
        REQUIRE(fd >= 0);
        ::close(fd);
    }
    REQUIRE(chm::write_file_atomically(dir / "f", "text"));
    CHECK(text_of(dir / "f") == "text");
    CHECK(count_entries(dir.path()) == 20);
}

TEST_CASE("atomic_file: a failed write removes the temporary and names the target") {
    const TempDir dir;
    const pid_t child = ::fork();
    if (child == 0) {
        // A file size limit fails like a full disk, after a short write.
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit small{.rlim_cur = 1000, .rlim_max = 1000};
        ::setrlimit(RLIMIT_FSIZE, &small);
        const auto result = chm::write_file_atomically(dir / "f", std::string(5000, 'x'));
        const std::string expected = "writing " + (dir / "f").string() + ": File too large";
        ::_exit(!result && result.error().message == expected ? 0 : 1);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(count_entries(dir.path()) == 0);
}

TEST_CASE("atomic_file: a target that cannot be is an error") {
    const TempDir dir;
    const auto missing = chm::write_file_atomically(dir / "gone/f", "text");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().message ==
          "writing " + (dir / "gone/f").string() + ": No such file or directory");
    CHECK_FALSE(chm::write_file_atomically(dir / "slash/", "text"));
    REQUIRE(chm::make_directories(dir / "folder"));
    const auto folder = chm::write_file_atomically(dir / "folder", "text");
    REQUIRE_FALSE(folder);
    CHECK(folder.error().message == "writing " + (dir / "folder").string() + ": Is a directory");
    CHECK(count_entries(dir.path()) == 1);
}

TEST_CASE("atomic_file: the longest names work") {
    const TempDir dir;
    const std::string name(255, 'n');
    REQUIRE(chm::write_file_atomically(dir / name, "text"));
    CHECK(text_of(dir / name) == "text");
}

TEST_CASE("atomic_file: mode 0644 less the umask") {
    const TempDir dir;
    const mode_t before = ::umask(027);
    const bool written = chm::write_file_atomically(dir / "f", "text").has_value();
    ::umask(before);
    REQUIRE(written);
    CHECK(fs::status(dir / "f").permissions() == static_cast<fs::perms>(0640));
}

TEST_CASE("write_output: a full device is told as such") {
    const auto result = chm::write_output("/dev/full", "text");
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == chm::ErrorKind::io);
    CHECK(result.error().message ==
          "writing /dev/full: No space left on device; free some space or choose another place");
    CHECK(fs::is_character_file("/dev/full"));
}

TEST_CASE("write_output: makes and replaces files") {
    const TempDir dir;
    REQUIRE(chm::write_output(dir / "f", "one"));
    const int reader = ::open((dir / "f").c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(reader >= 0);
    REQUIRE(chm::write_output(dir / "f", "two"));
    std::array<char, 8> old{};
    CHECK(::read(reader, old.data(), old.size()) == 3);
    CHECK(std::string(old.data()) == "one");  // a reader keeps the whole old file
    ::close(reader);
    CHECK(text_of(dir / "f") == "two");
    CHECK(count_entries(dir.path()) == 1);
}

TEST_CASE("write_output: follows symlinks, also one to a file not yet there") {
    const TempDir dir;
    REQUIRE(chm::make_directories(dir / "real"));
    fs::create_symlink("real/f", dir / "link");
    fs::create_symlink("link", dir / "outer");
    for (const char* text : {"one", "two"}) {
        REQUIRE(chm::write_output(dir / "outer", text));
        CHECK(text_of(dir / "real/f") == text);
    }
    CHECK(fs::is_symlink(dir / "outer"));
    CHECK(fs::is_symlink(dir / "link"));
    CHECK(count_entries(dir / "real") == 1);
    fs::create_symlink("loop", dir / "loop");
    const auto loop = chm::write_output(dir / "loop", "text");
    REQUIRE_FALSE(loop);
    CHECK(loop.error().message ==
          "writing " + (dir / "loop").string() + ": Too many levels of symbolic links");
    fs::create_symlink("gone/f", dir / "dangling");
    CHECK(chm::write_output(dir / "dangling", "text")
              .error()
              .message.starts_with((dir / "dangling").string() + ": writing "));
}

TEST_CASE("write_output: a folder is an error") {
    const TempDir dir;
    const auto result = chm::write_output(dir.path(), "text");
    REQUIRE_FALSE(result);
    CHECK(result.error().message ==
          "writing " + dir.path().string() + ": it is a folder; name a file in it");
}

TEST_CASE("write_output: writes into a named pipe") {
    const TempDir dir;
    REQUIRE(::mkfifo((dir / "pipe").c_str(), 0600) == 0);
    const std::string sent(200'000, 'p');  // more than a pipe holds
    std::string received;
    std::thread reader([&] { received = chm::read_file(dir / "pipe", 1'000'000).value_or(""); });
    const bool written = chm::write_output(dir / "pipe", sent).has_value();
    reader.join();
    CHECK(written);
    CHECK(received == sent);
    CHECK(fs::is_fifo(dir / "pipe"));
}

TEST_CASE("write_output: standard output keeps its place in a redirected file") {
    const TempDir dir;
    fs::create_symlink("/dev/stdout", dir / "link");
    const pid_t child = ::fork();
    if (child == 0) {
        const int fd = ::open((dir / "f").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        ::dup2(fd, STDOUT_FILENO);
        bool fine = ::write(STDOUT_FILENO, "a", 1) == 1;
        fine = fine && chm::write_output("/dev/stdout", "b").has_value();
        fine = fine && chm::write_output(dir / "link", "c").has_value();
        fine = fine && chm::write_output("/proc/self/fd/" + std::to_string(fd), "d").has_value();
        fine = fine && ::write(STDOUT_FILENO, "e", 1) == 1;
        ::close(STDOUT_FILENO);
        const auto closed = chm::write_output("/dev/stdout", "f");
        fine =
            fine && !closed && closed.error().message == "writing /dev/stdout: Bad file descriptor";
        ::_exit(fine ? 0 : 1);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(text_of(dir / "f") == "abcde");
}

TEST_CASE("replace_symlink: makes and flips in one step") {
    const TempDir dir;
    REQUIRE(chm::replace_symlink(dir / "current", "one"));
    CHECK(fs::read_symlink(dir / "current") == "one");
    REQUIRE(chm::replace_symlink(dir / "current", "snapshots/two"));
    CHECK(fs::read_symlink(dir / "current") == "snapshots/two");
    CHECK(count_entries(dir.path()) == 1);
    REQUIRE(chm::make_directories(dir / "folder"));
    const auto refused = chm::replace_symlink(dir / "folder", "one");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message ==
          "making the symlink " + (dir / "folder").string() + ": Is a directory");
    CHECK(count_entries(dir.path()) == 2);
}

TEST_CASE("sync_directory: a folder can be synced and nothing else") {
    const TempDir dir;
    CHECK(chm::sync_directory(dir.path()));
    const auto missing = chm::sync_directory(dir / "gone");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().message ==
          "syncing folder " + (dir / "gone").string() + ": No such file or directory");
}

TEST_CASE("atomic_file: write_output keeps the mode of the file it replaces") {
    const TempDir folder;
    const fs::path file = folder / "secret";
    REQUIRE(chm::write_output(file, "one"));
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    REQUIRE(chm::write_output(file, "two"));
    CHECK(text_of(file) == "two");
    CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}
