// Snapshots on disk: the manifest's text, and what is read back when files are damaged.
#include "channels/snapshot.hpp"

#include "base/atomic_file.hpp"
#include "channels/publish.hpp"
#include "support/fake_clock.hpp"
#include "support/mirror_check.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <filesystem>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;

Manifest example() {
    Manifest manifest{"20261130T120000Z-12345678", "2026-11-30T12:00:00Z", {}};
    SnapshotSubdir subdir{"linux-64",
                          View::upstream,
                          3,
                          sha256("i"),
                          sha256("p"),
                          "https://u/c/linux-64/repodata.json.zst",
                          "https://u/c/linux-64"};
    manifest.channels.push_back({"nvidia/label/cuda-12.4.1", "https://example.org/n", {subdir}});
    return manifest;
}

std::string replaced(std::string text, std::string_view old_text, std::string_view new_text) {
    const auto at = text.find(old_text);
    REQUIRE(at != std::string::npos);
    return text.replace(at, old_text.size(), new_text);
}

TEST_CASE("manifest: what is written is read back") {
    const auto manifest = parse_manifest(to_text(example()));
    REQUIRE_MESSAGE(manifest, manifest.error().message);
    CHECK(to_text(*manifest) == to_text(example()));
    CHECK(manifest->id == example().id);
    const SnapshotChannel* channel = manifest->find("nvidia/label/cuda-12.4.1");
    REQUIRE(channel != nullptr);
    REQUIRE(channel->find("linux-64") != nullptr);
    CHECK(channel->find("linux-64")->records == 3);
    CHECK(channel->find("linux-64")->index_sha256 == sha256("i"));
    CHECK(channel->find("noarch") == nullptr);
    CHECK(manifest->find("nvidia") == nullptr);
}

TEST_CASE("manifest: channel relations are there only when declared") {
    Manifest manifest = example();
    CHECK(to_text(manifest).find("channel_relations") == std::string::npos);
    manifest.channels.front().subdirs.front().relations = {"../conda-forge", ""};
    const auto again = parse_manifest(to_text(manifest));
    REQUIRE(again);
    CHECK(again->channels.front().subdirs.front().relations ==
          conda::ChannelRelations{"../conda-forge", ""});
}

TEST_CASE("manifest: every kind of damage is an integrity error") {
    const std::string whole = to_text(example());
    std::vector<std::string> damaged = {
        "",
        "[]",
        "{}",
        replaced(whole, "\"format\": 1", "\"format\": 2"),
        replaced(whole, "\"format\": 1", "\"format\": \"1\""),
        replaced(whole, "20261130T120000Z-12345678", ".."),
        replaced(whole, "20261130T120000Z-12345678", ""),
        replaced(whole, "nvidia/label/cuda-12.4.1", "nvidia/../../etc"),
        replaced(whole, "nvidia/label/cuda-12.4.1", "/etc"),
        replaced(whole, "nvidia/label/cuda-12.4.1", ""),
        replaced(whole, "\"linux-64\"", "\"../linux-64\""),
        replaced(whole, "\"upstream\"", "\"closed\""),
        replaced(whole, "\"records\": 3", "\"records\": -3"),
        replaced(whole, "\"records\": 3", "\"records\": \"3\""),
        replaced(whole, sha256("i").hex(), "12"),
        replaced(whole, sha256("p").hex(), ""),
        replaced(whole, "\"subdirs\"", "\"subdir\""),
        replaced(whole, "\"channels\"", "\"channel\""),
    };
    for (std::size_t length = 0; length + 2 < whole.size(); ++length) {
        damaged.push_back(whole.substr(0, length));
    }
    for (const std::string& text : damaged) {
        CAPTURE(text);
        const auto manifest = parse_manifest(text);
        REQUIRE_FALSE(manifest);
        CHECK(manifest.error().kind == ErrorKind::integrity);
        CHECK(manifest.error().message.starts_with("not a snapshot manifest: "));
    }
}

/// A mirror with one index.
class Fixture {
public:
    Fixture() : paths(directory / "mirror") {
        NewIndex index{{"c", "https://example.org/c"},
                       "noarch",
                       test::small_index("noarch", {"a-1-0"}),
                       1,
                       {},
                       "https://u/c/noarch/repodata.json",
                       "https://u/c/noarch"};
        index.index_sha256 = sha256(index.json);
        auto published = publish(paths, {}, {index}, clock, {});
        REQUIRE(published);
        manifest = std::move(*published);
    }

    [[nodiscard]] Error current_error() const {
        const auto current = read_current(paths);
        REQUIRE_FALSE(current);
        return current.error();
    }
    [[nodiscard]] Result<std::string> index() const {
        const SnapshotChannel& channel = manifest.channels[0];
        return read_index(paths, manifest, channel, channel.subdirs[0]);
    }

    test::TempDir directory;
    test::FakeClock clock;
    MirrorPaths paths;
    Manifest manifest;
};

bool has(const Error& error, const std::string& part) {
    CAPTURE(error.message);
    return error.message.find(part) != std::string::npos;
}

TEST_CASE("read_current: nothing was synced yet") {
    const test::TempDir directory;
    for (const fs::path& root : {directory.path(), directory / "not/there"}) {
        const auto current = read_current(MirrorPaths(root));
        REQUIRE(current);
        CHECK_FALSE(*current);
    }
}

TEST_CASE_FIXTURE(Fixture, "read_current: the manifest of the snapshot that is current") {
    const auto current = read_current(paths);
    REQUIRE(current);
    REQUIRE(*current);
    CHECK(to_text(**current) == to_text(manifest));
}

TEST_CASE_FIXTURE(
    Fixture,
    "read_current: a damaged or missing manifest is an integrity error that names the file") {
    const fs::path file = paths.snapshot(manifest.id) / "manifest.json";
    REQUIRE(write_file_atomically(file, "{"));
    CHECK(current_error().kind == ErrorKind::integrity);
    CHECK(has(current_error(), file.string()));
    CHECK(has(current_error(), "chanmirror sync"));
    REQUIRE(write_file_atomically(file, to_text(example())));
    CHECK(current_error().kind == ErrorKind::integrity);
    CHECK(has(current_error(), "not its own"));
    fs::remove_all(paths.snapshot(manifest.id));
    CHECK(current_error().kind == ErrorKind::integrity);
    CHECK(has(current_error(), file.string()));
}

TEST_CASE_FIXTURE(Fixture, "read_current: a `current` that is no link is an error that names it") {
    fs::remove(paths.current());
    REQUIRE(write_file_atomically(paths.current(), "x"));
    CHECK(has(current_error(), paths.current().string()));
}

TEST_CASE_FIXTURE(Fixture, "read_index: the upstream's bytes") {
    REQUIRE(index());
    CHECK(*index() == test::small_index("noarch", {"a-1-0"}));
}

TEST_CASE_FIXTURE(Fixture,
                  "read_index: a damaged or missing file is an integrity error that names it") {
    const fs::path file = upstream_index(paths.snapshot(manifest.id), "c", "noarch");
    const std::string whole = *read_file(file, 1 << 20);
    std::string flipped = whole;
    flipped[whole.size() / 2] = static_cast<char>(flipped[whole.size() / 2] ^ 1);
    const auto other = zstd_compress("{}", 3);
    REQUIRE(other);
    for (const std::string& bytes :
         {std::string(), std::string("x"), whole.substr(0, 20), flipped, *other}) {
        REQUIRE(write_file_atomically(file, bytes));
        const auto read = index();
        REQUIRE_FALSE(read);
        CHECK(read.error().kind == ErrorKind::integrity);
        CHECK(has(read.error(), file.string()));
        CHECK(has(read.error(), "chanmirror sync c"));
    }
    fs::remove(file);
    CHECK(index().error().kind == ErrorKind::integrity);
    CHECK(has(index().error(), file.string()));
}

TEST_CASE_FIXTURE(Fixture, "has_index_files: says when one is gone") {
    CHECK(has_index_files(paths, manifest, "c", "noarch"));
    CHECK_FALSE(has_index_files(paths, manifest, "c", "linux-64"));
    fs::remove(published_subdir(paths.snapshot(manifest.id), "c", "noarch") / "repodata.json");
    CHECK_FALSE(has_index_files(paths, manifest, "c", "noarch"));
}

}  // namespace
}  // namespace chm::channels
