// publish(): a new snapshot beside the old one, and the flip of `current`.
#include "channels/publish.hpp"

#include "base/atomic_file.hpp"
#include "channels/shards.hpp"
#include "channels/snapshot_history.hpp"
#include "support/fake_clock.hpp"
#include "support/mirror_check.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>
#include <sys/stat.h>
#include <thread>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;
using test::mirror_faults;
using test::small_index;

ino_t inode(const fs::path& path) {
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    return status.st_ino;
}

NewIndex new_index(const std::string& channel,
                   const std::string& subdir,
                   const std::vector<std::string>& packages) {
    NewIndex index{{channel, "https://example.org/" + channel},
                   subdir,
                   small_index(subdir, packages),
                   packages.size(),
                   {},
                   "https://u/" + channel + "/" + subdir + "/repodata.json",
                   "https://u/" + channel + "/" + subdir};
    index.index_sha256 = sha256(index.json);
    return index;
}

/// Every path below `root` with its kind and target or content, for comparisons.
std::string listing(const fs::path& root) {
    std::vector<std::string> lines;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
        std::string line = entry.path().string();
        if (entry.is_symlink()) {
            line += " -> " + fs::read_symlink(entry.path()).string();
        } else if (entry.is_regular_file()) {
            line += " " + sha256_of_file(entry.path())->hex();
        }
        lines.push_back(line);
    }
    std::sort(lines.begin(), lines.end());
    return fmt::format("{}", fmt::join(lines, "\n"));
}

class Fixture {
public:
    Manifest must_publish(std::vector<NewIndex> indexes) {
        auto manifest = publish(paths, previous, std::move(indexes), clock, {});
        REQUIRE_MESSAGE(manifest, manifest.error().message);
        previous = *manifest;
        clock.advance(std::chrono::seconds(1));
        CHECK(mirror_faults(paths.root()) == std::vector<std::string>());
        return *manifest;
    }

    test::TempDir directory;
    test::FakeClock clock;
    MirrorPaths paths{directory.path()};
    std::optional<Manifest> previous;
};

TEST_CASE_FIXTURE(Fixture, "publish: the first snapshot") {
    const Manifest manifest = must_publish({new_index("pytorch", "noarch", {}),
                                            new_index("pytorch", "linux-64", {"a-1-0", "b-1-0"}),
                                            new_index("conda-forge", "noarch", {"c-1-0"})});
    CHECK(manifest.id.starts_with("20261130T"));
    CHECK(manifest.created.starts_with("2026-11-30T"));
    REQUIRE(manifest.channels.size() == 2);
    CHECK(manifest.channels[0].name == "conda-forge");
    CHECK(manifest.channels[1].subdirs[0].subdir == "linux-64");
    CHECK(manifest.channels[1].subdirs[0].records == 2);
    CHECK(manifest.channels[1].subdirs[1].subdir == "noarch");
    CHECK(fs::read_symlink(paths.current()) == fs::path("snapshots") / manifest.id);
    const auto current = read_current(paths);
    REQUIRE(current);
    CHECK(to_text(**current) == to_text(manifest));
    CHECK_FALSE(fs::exists(paths.snapshots() / "new.unfinished"));
}

TEST_CASE_FIXTURE(Fixture, "publish: the manifest does not depend on the order of the indexes") {
    const Manifest one =
        must_publish({new_index("a", "noarch", {}), new_index("b", "noarch", {"x-1-0"})});
    const test::TempDir other;
    const test::FakeClock same_time;
    const auto two = publish(MirrorPaths(other.path()),
                             {},
                             {new_index("b", "noarch", {"x-1-0"}), new_index("a", "noarch", {})},
                             same_time,
                             {});
    REQUIRE(two);
    CHECK(to_text(*two) == to_text(one));
}

TEST_CASE_FIXTURE(Fixture, "publish: what did not change is hardlinked from the snapshot before") {
    const Manifest first = must_publish({new_index("a", "noarch", {"x-1-0"}),
                                         new_index("a", "linux-64", {"y-1-0"}),
                                         new_index("b", "noarch", {})});
    const Manifest second = must_publish({new_index("a", "linux-64", {"y-1-0", "y-2-0"})});
    CHECK(second.id > first.id);
    REQUIRE(second.channels.size() == 2);
    CHECK(second.find("a")->subdirs.size() == 2);
    CHECK(second.find("a")->find("linux-64")->records == 2);
    for (const char* place : {"a/noarch", "b/noarch"}) {
        for (const fs::path& file : {fs::path("upstream") / place / "repodata.json.zst",
                                     fs::path("public") / place / "repodata.json",
                                     fs::path("public") / place / "repodata.json.zst"}) {
            CAPTURE(file);
            CHECK(inode(paths.snapshot(first.id) / file) ==
                  inode(paths.snapshot(second.id) / file));
        }
    }
    CHECK(inode(paths.snapshot(first.id) / "public/a/linux-64/repodata.json") !=
          inode(paths.snapshot(second.id) / "public/a/linux-64/repodata.json"));
    // The old snapshot is still whole: readers may be in it.
    for (const SnapshotChannel& channel : first.channels) {
        for (const SnapshotSubdir& subdir : channel.subdirs) {
            CHECK(read_index(paths, first, channel, subdir));
        }
    }
}

TEST_CASE_FIXTURE(Fixture,
                  "publish: public names are relative links of the right depth, made once") {
    must_publish({new_index("nvidia/label/cuda-12.4.1", "linux-64", {"x-1-0"}),
                  new_index("nvidia", "noarch", {})});
    const fs::path label = paths.published() / "nvidia/label/cuda-12.4.1/linux-64/repodata.json";
    CHECK(fs::read_symlink(label) ==
          "../../../../../current/public/nvidia/label/cuda-12.4.1/linux-64/repodata.json");
    CHECK(fs::read_symlink(paths.published() / "nvidia/noarch/repodata.json.zst") ==
          "../../../current/public/nvidia/noarch/repodata.json.zst");
    const auto link_inode = [&] {
        struct stat status {};
        REQUIRE(::lstat(label.c_str(), &status) == 0);
        return status.st_ino;
    };
    const auto before = link_inode();
    const std::string old_text = *read_file(label, test::k_test_limit);
    must_publish({new_index("nvidia/label/cuda-12.4.1", "linux-64", {"x-1-0", "x-2-0"})});
    CHECK(link_inode() == before);
    CHECK(*read_file(label, test::k_test_limit) != old_text);
}

TEST_CASE_FIXTURE(Fixture, "publish: the mirror can be moved as a whole") {
    must_publish({new_index("a/label/b", "noarch", {"x-1-0"})});
    const test::TempDir elsewhere;
    fs::rename(paths.root(), elsewhere / "moved");
    CHECK(mirror_faults(elsewhere / "moved") == std::vector<std::string>());
    CHECK(fs::exists(elsewhere / "moved/public/a/label/b/noarch/repodata.json"));
}

TEST_CASE_FIXTURE(Fixture,
                  "publish: the same content again in the same second finds another name") {
    const auto a = publish(paths, {}, {new_index("a", "noarch", {"x-1-0"})}, clock, {});
    REQUIRE(a);
    const auto b = publish(paths, *a, {new_index("a", "noarch", {"x-2-0"})}, clock, {});
    REQUIRE(b);
    const auto again = publish(paths, *b, {new_index("a", "noarch", {"x-1-0"})}, clock, {});
    REQUIRE_MESSAGE(again, again.error().message);
    CHECK(again->id != a->id);
    CHECK(again->id != b->id);
    CHECK(mirror_faults(paths.root()) == std::vector<std::string>());
}

TEST_CASE_FIXTURE(Fixture, "publish: with a stop requested everything stays as it was") {
    must_publish({new_index("a", "noarch", {"x-1-0"})});
    const std::string before = listing(paths.root());
    const std::stop_source stop;
    stop.request_stop();
    const auto manifest =
        publish(paths, previous, {new_index("a", "noarch", {"x-2-0"})}, clock, stop.get_token());
    REQUIRE_FALSE(manifest);
    CHECK(manifest.error().kind == ErrorKind::interrupted);
    CHECK(listing(paths.root()) == before);
    const auto without_news = publish(paths, previous, {}, clock, stop.get_token());
    REQUIRE_FALSE(without_news);
    CHECK(without_news.error().kind == ErrorKind::interrupted);
    CHECK(listing(paths.root()) == before);
}

TEST_CASE_FIXTURE(Fixture,
                  "publish: a failure leaves everything as it was and nothing half-written") {
    must_publish({new_index("a", "noarch", {"x-1-0"})});
    const std::string before = listing(paths.root());
    NewIndex bad = new_index("b", "noarch", {"y-1-0"});
    bad.json.resize(bad.json.size() - 1);
    CHECK_FALSE(publish(paths, previous, {bad, new_index("a", "noarch", {"x-2-0"})}, clock, {}));
    CHECK(listing(paths.root()) == before);
}

TEST_CASE_FIXTURE(Fixture,
                  "publish: a snapshot of before there were shards is carried over with them") {
    const Manifest first = must_publish({new_index("a", "noarch", {"x-1-0", "y-1-0"})});
    const fs::path old_folder = published_subdir(paths.snapshot(first.id), "a", "noarch");
    const std::string index = *read_file(old_folder / k_shard_index, test::k_test_limit);
    fs::remove(old_folder / k_shard_index);
    fs::remove_all(old_folder / k_shard_folder);
    const Manifest second = must_publish({new_index("b", "noarch", {})});
    const fs::path folder = published_subdir(paths.snapshot(second.id), "a", "noarch");
    CHECK(*read_file(folder / k_shard_index, test::k_test_limit) == index);
    const auto digests = parse_shard_index(index);
    REQUIRE(digests);
    CHECK(digests->size() == 2);
    for (const auto& [name, digest] : *digests) {
        CHECK(fs::exists(folder / k_shard_folder / shard_file_name(digest)));
    }
}

TEST_CASE_FIXTURE(Fixture, "publish: shards of the snapshot before stay for one more") {
    const Manifest first = must_publish({new_index("a", "noarch", {"x-1-0"})});
    const auto shards_of = [&](const Manifest& manifest) {
        const fs::path folder = published_subdir(paths.snapshot(manifest.id), "a", "noarch");
        return std::distance(fs::directory_iterator(folder / k_shard_folder), {});
    };
    CHECK(shards_of(first) == 1);
    CHECK(shards_of(must_publish({new_index("a", "noarch", {"x-2-0"})})) == 2);
    CHECK(shards_of(must_publish({new_index("a", "noarch", {"x-3-0"})})) == 2);
}

TEST_CASE_FIXTURE(Fixture,
                  "publish: names sort by age, in one second and when the clock goes back") {
    const Manifest first = must_publish({new_index("a", "noarch", {"x-1-0"})});
    clock.advance(-std::chrono::seconds(1));  // which must_publish lets pass
    const Manifest second = must_publish({new_index("a", "noarch", {"x-2-0"})});
    clock.advance(-std::chrono::seconds(1));
    const Manifest again = must_publish({new_index("a", "noarch", {"x-1-0"})});
    CHECK(first.id < second.id);
    CHECK(second.id < again.id);
    CHECK(first.created == again.created);
    clock.advance(-std::chrono::hours(24));
    const Manifest earlier = must_publish({new_index("a", "noarch", {"x-3-0"})});
    CHECK(again.id < earlier.id);
    CHECK(earlier.created < again.created);
    clock.advance(std::chrono::hours(48));
    const Manifest later = must_publish({new_index("a", "noarch", {"x-4-0"})});
    CHECK(earlier.id < later.id);
    CHECK(utc_text(*time_of_id(later.id)) == later.created);
}

TEST_CASE_FIXTURE(Fixture, "publish: a file that the previous snapshot lost is named") {
    const Manifest first = must_publish({new_index("a", "noarch", {"x-1-0"})});
    fs::remove(upstream_index(paths.snapshot(first.id), "a", "noarch"));
    const auto manifest = publish(paths, previous, {new_index("b", "noarch", {})}, clock, {});
    REQUIRE_FALSE(manifest);
    CHECK(manifest.error().message.find("a/noarch/repodata.json.zst") != std::string::npos);
    CHECK(fs::read_symlink(paths.current()) == fs::path("snapshots") / first.id);
}

TEST_CASE_FIXTURE(Fixture, "publish: a folder in the way of a name is an error and no flip") {
    const Manifest first = must_publish({new_index("a", "noarch", {"x-1-0"})});
    fs::create_directories(paths.published() / "b/noarch/repodata.json/x");
    const auto manifest = publish(paths, previous, {new_index("b", "noarch", {})}, clock, {});
    REQUIRE_FALSE(manifest);
    CHECK(manifest.error().kind == ErrorKind::io);
    CHECK(fs::read_symlink(paths.current()) == fs::path("snapshots") / first.id);
    CHECK(mirror_faults(paths.root()) == std::vector<std::string>());
}

TEST_CASE_FIXTURE(Fixture,
                  "publish: leftovers of killed runs are removed, finished snapshots are not") {
    CHECK(remove_unfinished_snapshots(paths));
    const Manifest first = must_publish({new_index("a", "noarch", {"x-1-0"})});
    for (const char* name : {"new.unfinished", "other.unfinished"}) {
        REQUIRE(make_directories(paths.snapshots() / name / "public/a"));
        REQUIRE(write_file_atomically(paths.snapshots() / name / "public/a/half", "x"));
    }
    CHECK(remove_unfinished_snapshots(paths));
    CHECK_FALSE(fs::exists(paths.snapshots() / "new.unfinished"));
    CHECK_FALSE(fs::exists(paths.snapshots() / "other.unfinished"));
    CHECK(fs::exists(paths.snapshot(first.id)));
    REQUIRE(make_directories(paths.snapshots() / "new.unfinished/upstream/old"));
    const Manifest second = must_publish({new_index("a", "noarch", {"x-2-0"})});
    CHECK_FALSE(fs::exists(paths.snapshot(second.id) / "upstream/old"));
}

/// What a reader met that it should not; empty when it found a snapshot and its first index.
std::string read_once(const MirrorPaths& paths) {
    const auto current = read_current(paths);
    if (!current) {
        return current.error().message;
    }
    if (!*current) {
        return "no current snapshot";
    }
    const SnapshotChannel& channel = (*current)->channels[0];
    const auto index = read_index(paths, **current, channel, channel.subdirs[0]);
    return index ? std::string() : index.error().message;
}

TEST_CASE_FIXTURE(Fixture,
                  "publish: a reader always sees a whole snapshot while others become current") {
    must_publish({new_index("a", "noarch", {"x-0-0"})});
    std::atomic<bool> done = false;
    std::atomic<int> reads = 0;
    std::vector<std::string> faults;
    {
        const std::jthread reader([&] {
            while (!done || reads < 10) {
                if (std::string fault = read_once(paths); !fault.empty()) {
                    faults.push_back(std::move(fault));
                }
                ++reads;
            }
        });
        for (int i = 1; i <= 25; ++i) {
            auto manifest = publish(
                paths, previous, {new_index("a", "noarch", {fmt::format("x-{}-0", i)})}, clock, {});
            CHECK(manifest);
            previous = manifest ? std::optional(*manifest) : previous;
        }
        done = true;
    }
    CHECK(faults == std::vector<std::string>());
}

}  // namespace
}  // namespace chm::channels
