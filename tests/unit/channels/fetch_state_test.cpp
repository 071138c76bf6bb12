// The cache of what servers said: it survives a round trip, and anything odd is a miss.
#include "channels/fetch_state.hpp"

#include "base/file.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>

namespace chm::channels {
namespace {

FetchState example() {
    return {"https://example.org/c/linux-64/repodata.json.zst",
            {"W/\"a\\\"b\"", "Mon, 30 Nov 2026 12:00:00 GMT"},
            sha256("x"),
            WallTime(std::chrono::seconds(1'796'040'000)),
            WallTime(std::chrono::seconds(1'796'000'000)),
            45'000'000};
}

/// Without the fsync of our own writer, which hundreds of files would wait for.
void put(const std::filesystem::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary) << text;
}

TEST_CASE("fetch_state: what is written is read back") {
    const test::TempDir directory;
    const auto path = directory / "state/fetch/nvidia/label/cuda/linux-64/repodata.json";
    REQUIRE(write_fetch_state(path, example()));
    const auto state = read_fetch_state(path);
    REQUIRE(state);
    CHECK(state->url == example().url);
    CHECK(state->validators == example().validators);
    CHECK(state->index_sha256 == example().index_sha256);
    CHECK(state->zstd_checked == example().zstd_checked);
    CHECK(state->shards_checked == example().shards_checked);
    CHECK(state->whole_bytes == example().whole_bytes);
}

TEST_CASE("fetch_state: a missing file is a miss") {
    const test::TempDir directory;
    CHECK_FALSE(read_fetch_state(directory / "none"));
    CHECK_FALSE(read_fetch_state(directory.path()));
}

TEST_CASE("fetch_state: every damage is a miss and never a crash") {
    const test::TempDir directory;
    const auto path = directory / "s.json";
    REQUIRE(write_fetch_state(path, example()));
    const std::string whole = *read_file(path, 1 << 16);
    for (std::size_t length = 0; length + 2 < whole.size(); ++length) {
        CAPTURE(length);
        put(path, whole.substr(0, length));
        CHECK_FALSE(read_fetch_state(path));
    }
    for (const char* text : {"[]",
                             "null",
                             R"({"format":2,"zstd_checked":1,"index_sha256":"00"})",
                             R"({"format":2,"zstd_checked":"1"})",
                             R"({"format":"1","zstd_checked":1})"}) {
        CAPTURE(text);
        put(path, text);
        CHECK_FALSE(read_fetch_state(path));
    }
    std::string other_format = whole;
    other_format.replace(other_format.find("\"format\": 2"), 11, "\"format\": 9");
    put(path, other_format);
    CHECK_FALSE(read_fetch_state(path));
    std::string negative = whole;
    negative.replace(negative.find("45000000"), 8, "-4500000");
    put(path, negative);
    CHECK_FALSE(read_fetch_state(path));
    put(path, whole + std::string(70'000, ' '));
    CHECK_FALSE(read_fetch_state(path));
}

TEST_CASE("fetch_state: the shards of the held index come back, and those of another do not") {
    const test::TempDir directory;
    const auto path = directory / "state/fetch/c/noarch/shards.json";
    const ShardDigests shards = {{"numpy", sha256("1")}, {"a \"b\"", sha256("2")}};
    CHECK(read_held_shards(path, sha256("x")).empty());
    REQUIRE(write_held_shards(path, sha256("x"), shards));
    CHECK(read_held_shards(path, sha256("x")) == shards);
    CHECK(read_held_shards(path, sha256("y")).empty());
    const std::string whole = *read_file(path, 1 << 16);
    for (std::size_t length = 0; length + 2 < whole.size(); ++length) {
        put(path, whole.substr(0, length));
        CHECK(read_held_shards(path, sha256("x")).empty());
    }
    std::string short_digest = whole;
    short_digest.erase(short_digest.find(sha256("2").hex()), 1);
    put(path, short_digest);
    CHECK(read_held_shards(path, sha256("x")).empty());
}

TEST_CASE("fetch_state: a place that cannot be written is an error that names it") {
    const test::TempDir directory;
    put(directory / "state", "a file");
    const auto written = write_fetch_state(directory / "state/fetch/c/x/repodata.json", example());
    REQUIRE_FALSE(written);
    CHECK(written.error().kind == ErrorKind::io);
    CHECK(written.error().message.find("state") != std::string::npos);
}

}  // namespace
}  // namespace chm::channels
