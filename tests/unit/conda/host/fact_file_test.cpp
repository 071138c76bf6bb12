// Files of the kernel and of installers: read up to a limit, never waited for.
#include "conda/host/fact_file.hpp"

#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>

using namespace chm::conda;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("fact file: the first bytes of a file") {
    const chm::test::TempDir folder;
    write(folder / "a", "hello");
    CHECK(read_fact(folder / "a", 100) == "hello");
    CHECK(read_fact(folder / "a", 5) == "hello");
    CHECK(read_fact(folder / "a", 4) == "hell");
    write(folder / "empty", "");
    CHECK(read_fact(folder / "empty", 4) == "");
    CHECK(read_fact("/proc/self/status", 5) == "Name:");  // a file that says it has 0 bytes
}

TEST_CASE("fact file: what is no file is nothing") {
    const chm::test::TempDir folder;
    CHECK_FALSE(read_fact(folder / "missing", 100));
    CHECK_FALSE(read_fact(folder.path(), 100));
    CHECK_FALSE(read_fact("/dev/zero", 100));
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    CHECK_FALSE(read_fact(folder / "pipe", 100));  // and does not wait for a writer
}

TEST_CASE("fact file: symlinks are followed, loops end") {
    const chm::test::TempDir folder;
    write(folder / "a", "hello");
    fs::create_symlink("a", folder / "link");
    fs::create_symlink("loop", folder / "loop");
    fs::create_symlink("/dev/zero", folder / "zero");
    CHECK(read_fact(folder / "link", 100) == "hello");
    CHECK_FALSE(read_fact(folder / "loop", 100));
    CHECK_FALSE(read_fact(folder / "zero", 100));
}

TEST_CASE("fact file: versions are one harmless word") {
    const chm::test::TempDir folder;
    const auto version = [&](const std::string& text) {
        write(folder / "version", text);
        return read_version(folder / "version");
    };
    CHECK(version("6.2.4-120\n") == "6.2.4-120");
    CHECK(version("  6.8.5 (dkms)\n") == "6.8.5");
    CHECK(version("6.8.5\nmore") == "6.8.5");
    CHECK(version("7.0.0~rc1") == std::nullopt);
    CHECK(version("") == std::nullopt);
    CHECK(version("\n\n") == std::nullopt);
    CHECK(version("\x1b[2J6.2") == std::nullopt);
    CHECK(version(std::string(64, '1')) == std::string(64, '1'));
    CHECK(version(std::string(65, '1')) == std::nullopt);
    CHECK(version(std::string(1 << 20, '1')) == std::nullopt);
    CHECK(version(std::string("6\0.2", 4)) == std::nullopt);
}
