// Names of package files: right before a flip and right after it.
#include "channels/package_links.hpp"

#include "base/atomic_file.hpp"
#include "base/file.hpp"
#include "channels/object_store.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <iterator>
#include <string>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;

struct Fixture {
    /// An object of these bytes, as a stored file of name `fn`.
    StoredFile object(const std::string& fn, const std::string& bytes) {
        const StoredFile file{fn, sha256(bytes), bytes.size()};
        const fs::path path = ObjectStore(paths.root()).path_of(file.sha256);
        REQUIRE(make_directories(path.parent_path()));
        REQUIRE(write_file_atomically(path, bytes));
        return file;
    }
    void link(const StoredFiles& before, const StoredFiles& now) {
        const fs::path from = paths.snapshot(std::to_string(snapshot));
        const fs::path to = paths.snapshot(std::to_string(snapshot + 1));
        REQUIRE(make_directories(to));
        const auto linked = link_packages(paths, {"c/label/x", "linux-64", from, to, before, now});
        REQUIRE_MESSAGE(linked, linked.error().message);
    }
    void flip() {
        ++snapshot;
        REQUIRE(replace_symlink(paths.current(), "snapshots/" + std::to_string(snapshot)));
    }
    [[nodiscard]] fs::path folder() const {
        return paths.published() / "c" / "label" / "x" / "linux-64";
    }
    [[nodiscard]] std::string published(const std::string& fn) const {
        const auto text = read_file(folder() / fn, 1000);
        return text ? *text : "(none)";
    }
    [[nodiscard]] std::ptrdiff_t names() const {
        return std::distance(fs::directory_iterator(folder()), {});
    }

    test::TempDir directory;
    MirrorPaths paths{directory / "mirror"};
    int snapshot = 0;
};

TEST_CASE_FIXTURE(Fixture, "package links: new names are hardlinks to their objects") {
    const StoredFiles now = {object("a-1-0.conda", "one"), object("b-1-0.conda", "two")};
    link({}, now);
    CHECK(published("a-1-0.conda") == "one");
    CHECK(fs::hard_link_count(folder() / "b-1-0.conda") == 2);
    link({}, now);  // again, as after a kill: the same names, nothing left beside them
    CHECK(names() == 2);
    CHECK(published("b-1-0.conda") == "two");
}

TEST_CASE_FIXTURE(Fixture, "package links: what the snapshot before holds is not touched") {
    const StoredFile kept = object("a-1-0.conda", "one");
    link({kept}, {kept});
    CHECK(published("a-1-0.conda") == "(none)");
}

TEST_CASE_FIXTURE(Fixture, "package links: a re-upload changes in the same instant as the index") {
    const StoredFile old_file = object("a-1-0.conda", "old");
    const StoredFile new_file = object("a-1-0.conda", "new");
    const StoredFile other = object("b-1-0.conda", "other");
    link({}, {old_file, other});
    flip();
    link({old_file, other}, {new_file, other});
    CHECK(published("a-1-0.conda") == "old");
    flip();
    CHECK(published("a-1-0.conda") == "new");
    CHECK(published("b-1-0.conda") == "other");
    CHECK(names() == 2);

    SUBCASE("it stays right when nothing changes, and when it changes back") {
        link({new_file, other}, {new_file, other});
        flip();
        CHECK(published("a-1-0.conda") == "new");
        link({new_file, other}, {old_file, other});
        CHECK(published("a-1-0.conda") == "new");
        flip();
        CHECK(published("a-1-0.conda") == "old");
    }
    SUBCASE("it may go and come again") {
        link({new_file, other}, {other});
        flip();
        CHECK(published("a-1-0.conda") == "(none)");
        link({other}, {old_file, other});
        flip();
        CHECK(published("a-1-0.conda") == "old");
    }
    SUBCASE("a run killed before its flip, and the next one") {
        link({new_file, other}, {old_file, other});
        link({new_file, other}, {old_file, other});
        CHECK(published("a-1-0.conda") == "new");
        flip();
        CHECK(published("a-1-0.conda") == "old");
    }
}

TEST_CASE_FIXTURE(Fixture,
                  "package links: a stale link in the snapshot does not hide a re-upload") {
    const StoredFile old_file = object("a-1-0.conda", "old");
    const StoredFile new_file = object("a-1-0.conda", "new");
    link({}, {old_file});
    flip();
    const fs::path own = paths.snapshot("1") / "public" / "c" / "label" / "x" / "linux-64";
    REQUIRE(make_directories(own));
    REQUIRE(write_file_atomically(own / "a-1-0.conda", "stale"));
    link({old_file}, {new_file});
    CHECK(published("a-1-0.conda") == "old");
    flip();
    CHECK(published("a-1-0.conda") == "new");
}

TEST_CASE_FIXTURE(Fixture, "package links: a file that no snapshot knows gives way") {
    const StoredFile file = object("a-1-0.conda", "right");
    REQUIRE(make_directories(folder()));
    REQUIRE(write_file_atomically(folder() / "a-1-0.conda", "left by an older version"));
    link({}, {file});
    CHECK(published("a-1-0.conda") == "right");
}

}  // namespace
}  // namespace chm::channels
