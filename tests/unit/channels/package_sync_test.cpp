// What must be fetched for a policy, whether it fits, and what became of it.
#include "channels/package_sync.hpp"

#include "base/atomic_file.hpp"
#include "base/file.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace chm::channels {
namespace {

WantedFile wanted(const std::string& fn,
                  std::optional<Sha256> sha = {},
                  std::optional<Md5> md5 = {},
                  std::optional<std::uint64_t> size = {}) {
    return {fn, sha, md5, size};
}

struct Fixture {
    std::vector<std::size_t> absent(std::vector<WantedFile> files, StoredFiles before = {}) {
        task.selection.files = std::move(files);
        task.before = std::move(before);
        find_absent(task, ObjectStore(paths.root()));
        return task.to_fetch;
    }
    void store(const std::string& bytes) {
        const auto path = ObjectStore(paths.root()).path_of(sha256(bytes));
        REQUIRE(make_directories(path.parent_path()));
        REQUIRE(write_file_atomically(path, bytes));
    }

    test::TempDir directory;
    MirrorPaths paths{directory / "mirror"};
    PackageTask task{
        {"c", "https://example.org/c"}, "linux-64", {{"https://u/c/linux-64", {}}}, {}, {}, {}, {}};
};

using Indices = std::vector<std::size_t>;

TEST_CASE_FIXTURE(Fixture, "package sync: an object of the right digest and size is here") {
    store("abc");
    CHECK(absent({wanted("a", sha256("abc"), {}, 3), wanted("b", sha256("x"))}) == Indices{1});
    CHECK(absent({wanted("a", sha256("abc"), {}, 4)}) == Indices{0});
    CHECK(absent({wanted("a", sha256("abc"))}).empty());
}

TEST_CASE_FIXTURE(Fixture, "package sync: what the snapshot holds under the same digest is here") {
    const StoredFile held{"a", sha256("abc"), 3, md5("abc")};
    CHECK(absent({wanted("a", sha256("abc"), {}, 3)}, {held}).empty());
    CHECK(absent({wanted("a", {}, md5("abc"), 3)}, {held}).empty());
    CHECK(absent({wanted("a", {}, md5("new"), 3)}, {held}) == Indices{0});
    CHECK(absent({wanted("a", sha256("new"))}, {held}) == Indices{0});
    CHECK(absent({wanted("a", {}, {}, 3)}, {held}).empty());  // no digest: nothing to compare
    CHECK(absent({wanted("a", {}, {}, 4)}, {held}) == Indices{0});
    CHECK(absent({wanted("b", {}, md5("abc"))}, {held}) == Indices{0});
}

TEST_CASE_FIXTURE(Fixture, "package sync: a plan counts, and says when it does not fit") {
    REQUIRE(make_directories(paths.root()));
    task.licence = "ours";
    task.selection.bytes = 30;
    task.selection.left_out = 7;
    absent({wanted("a", sha256("1"), {}, 10),
            wanted("b", sha256("2")),
            wanted("c", sha256("3"), {}, 20)});
    const auto plan = plan_packages(std::vector{task}, paths);
    REQUIRE(plan);
    REQUIRE(plan->subdirs.size() == 1);
    CHECK(plan->subdirs[0].fetch_files == 3);
    CHECK(plan->subdirs[0].fetch_bytes == 30);
    CHECK(plan->subdirs[0].unsized_files == 1);
    CHECK(plan->subdirs[0].left_out == 7);
    CHECK(plan->subdirs[0].licence == "ours");
    CHECK(plan->fetch_files == 3);
    CHECK(plan->free_bytes > 0);
    PackagePlan large = *plan;
    large.fetch_bytes = large.free_bytes;
    const auto room = large.require_room();
    REQUIRE_FALSE(room);
    CHECK(room.error().kind == ErrorKind::io);
    CHECK(room.error().message.find("nothing was fetched") != std::string::npos);
    large.fetch_files = 0;
    CHECK(large.require_room());
}

TEST_CASE("package sync: file names in URLs") {
    CHECK(url_segment("torch-2.5.1+cu121-py3_0.conda") == "torch-2.5.1+cu121-py3_0.conda");
    CHECK(url_segment("x264-1!164.3095-0.conda") == "x264-1!164.3095-0.conda");
    CHECK(url_segment("a b#c?d%e/f\xc3\xa9") == "a%20b%23c%3Fd%25e%2Ff%C3%A9");
}

TEST_CASE("package sync: a policy's text tells policies apart") {
    config::PackageSettings settings;
    settings.policy = config::PackagePolicy::all;
    CHECK(policy_text(settings) == "all");
    settings.exclude = {*conda::MatchSpec::parse("cudnn >=8")};
    settings.prefer_conda = true;
    CHECK(policy_text(settings) == "all exclude:cudnn[version='>=8'] prefer_conda");
    settings.policy = config::PackagePolicy::matching;
    settings.match = {*conda::MatchSpec::parse("pytorch=2.5")};
    CHECK(policy_text(settings) ==
          "matching match:pytorch=2.5 exclude:cudnn[version='>=8'] prefer_conda");
}

}  // namespace
}  // namespace chm::channels
