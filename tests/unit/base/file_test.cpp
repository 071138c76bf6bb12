// Tests of base/file.
#include "base/file.hpp"

#include "base/atomic_file.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <sys/stat.h>

using chm::ErrorKind;
using chm::test::TempDir;
namespace fs = std::filesystem;

TEST_CASE("file: reads a file up to its limit and not beyond") {
    const TempDir dir;
    const std::string text(300'000, 'y');
    REQUIRE(chm::write_file_atomically(dir / "f", text));
    CHECK(chm::read_file(dir / "f", 300'000).value() == text);
    const auto refused = chm::read_file(dir / "f", 299'999);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::io);
    CHECK(refused.error().message ==
          "reading " + (dir / "f").string() +
              ": the file is larger than 299999 bytes, the most that is read here");
    REQUIRE(chm::write_file_atomically(dir / "empty", ""));
    CHECK(chm::read_file(dir / "empty", 0).value().empty());
}

TEST_CASE("file: the limit also holds where the size is not known beforehand") {
    const auto endless = chm::read_file("/dev/zero", 100'000);
    REQUIRE_FALSE(endless);
    CHECK(endless.error().message.find("larger than 100000 bytes") != std::string::npos);
    CHECK(chm::read_file("/proc/self/status", 100'000).value().starts_with("Name:"));
}

TEST_CASE("file: a missing file and a folder are errors that name the path") {
    const TempDir dir;
    const auto missing = chm::read_file(dir / "gone", 10);
    REQUIRE_FALSE(missing);
    CHECK(missing.error().kind == ErrorKind::not_found);
    CHECK(missing.error().message ==
          "reading " + (dir / "gone").string() + ": No such file or directory");
    const auto folder = chm::read_file(dir.path(), 10'000'000);
    REQUIRE_FALSE(folder);
    CHECK(folder.error().kind == ErrorKind::io);
    CHECK(folder.error().message == "reading " + dir.path().string() + ": Is a directory");
}

TEST_CASE("file: folders are made with their parents and again") {
    const TempDir dir;
    REQUIRE(chm::make_directories(dir / "a/b/c"));
    CHECK(chm::make_directories(dir / "a/b/c"));
    CHECK(fs::is_directory(dir / "a/b/c"));
    REQUIRE(chm::write_file_atomically(dir / "f", ""));
    const auto refused = chm::make_directories(dir / "f/g");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find((dir / "f/g").string()) != std::string::npos);
}

TEST_CASE("file: a link is the same file") {
    const TempDir dir;
    REQUIRE(chm::write_file_atomically(dir / "f", "text"));
    REQUIRE(chm::link_or_copy(dir / "f", dir / "g"));
    CHECK(fs::equivalent(dir / "f", dir / "g"));
    const auto taken = chm::link_or_copy(dir / "f", dir / "g");
    REQUIRE_FALSE(taken);
    CHECK(taken.error().message ==
          "linking " + (dir / "f").string() + " as " + (dir / "g").string() + ": File exists");
    CHECK_FALSE(chm::link_or_copy(dir / "gone", dir / "h"));
}

TEST_CASE("file: another device gets a copy") {
    struct stat here {};
    struct stat there {};
    const TempDir dir;
    if (::stat(dir.path().c_str(), &here) != 0 || ::stat("/proc/self", &there) != 0 ||
        here.st_dev == there.st_dev) {
        MESSAGE("skipped: needs /proc");
        return;
    }
    REQUIRE(chm::link_or_copy("/proc/self/limits", dir / "copy"));
    CHECK(chm::read_file(dir / "copy", 100'000).value().starts_with("Limit"));
    const auto taken = chm::link_or_copy("/proc/self/limits", dir / "copy");
    REQUIRE_FALSE(taken);
    CHECK(taken.error().message.ends_with("File exists"));
}

TEST_CASE("file: removing a tree does not follow symlinks and needs nothing there") {
    const TempDir dir;
    REQUIRE(chm::make_directories(dir / "tree/a"));
    REQUIRE(chm::make_directories(dir / "kept"));
    REQUIRE(chm::write_file_atomically(dir / "kept/f", "text"));
    fs::create_directory_symlink(dir / "kept", dir / "tree/a/link");
    CHECK(chm::remove_tree(dir / "tree"));
    CHECK_FALSE(fs::exists(dir / "tree"));
    CHECK(fs::exists(dir / "kept/f"));
    CHECK(chm::remove_tree(dir / "tree"));
}
