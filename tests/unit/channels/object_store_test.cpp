// Files by content.
#include "channels/object_store.hpp"

#include "base/atomic_file.hpp"
#include "base/file.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <sys/stat.h>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;

class Fixture {
public:
    ObjectStore::Incoming incoming(const std::string& name, const std::string& bytes) {
        REQUIRE(write_file_atomically(directory / name, bytes));
        return {directory / name, sha256(bytes)};
    }
    [[nodiscard]] std::string read(const Sha256& digest) const {
        const auto text = read_file(store.path_of(digest), 1 << 20);
        return text ? *text : text.error().message;
    }

    test::TempDir directory;
    ObjectStore store{directory / "root"};
};

// Of "one", by sha256sum.
constexpr const char* k_one = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed";

TEST_CASE_FIXTURE(Fixture, "object_store: a file gets the place that its digest names") {
    CHECK_FALSE(store.size_of(sha256("one")));
    const std::vector files = {incoming("a", "one"), incoming("b", "three")};
    REQUIRE(store.adopt(files));
    CHECK(store.path_of(sha256("one")) == directory / "root/objects/sha256/76" / k_one);
    CHECK(read(sha256("one")) == "one");
    CHECK(store.size_of(sha256("one")) == 3);
    CHECK(store.size_of(sha256("three")) == 5);
    CHECK_FALSE(fs::exists(directory / "a"));
    CHECK(store.adopt({}));
}

TEST_CASE_FIXTURE(Fixture, "object_store: objects are read-only and no more readable than before") {
    const auto file = incoming("a", "one");
    fs::permissions(file.file, fs::perms(0640));
    REQUIRE(store.adopt({&file, 1}));
    CHECK(fs::status(store.path_of(file.sha256)).permissions() == fs::perms(0440));
}

TEST_CASE_FIXTURE(Fixture,
                  "object_store: one that is here stays, unless the disk has cut it short") {
    const auto first = incoming("a", "one");
    REQUIRE(store.adopt({&first, 1}));
    fs::create_hard_link(store.path_of(first.sha256), directory / "published");
    const auto second = incoming("b", "one");
    REQUIRE(store.adopt({&second, 1}));
    CHECK_FALSE(fs::exists(second.file));
    CHECK(fs::equivalent(store.path_of(first.sha256), directory / "published"));

    fs::remove(store.path_of(first.sha256));
    REQUIRE(write_file_atomically(store.path_of(first.sha256), "o"));
    const auto third = incoming("c", "one");
    REQUIRE(store.adopt({&third, 1}));
    CHECK(read(first.sha256) == "one");
}

TEST_CASE_FIXTURE(Fixture,
                  "object_store: the list is sorted and takes nothing for an object that is none") {
    CHECK(store.list()->empty());
    const std::vector files = {incoming("a", "one"), incoming("b", "two"), incoming("c", "three")};
    REQUIRE(store.adopt(files));
    const fs::path folder = directory / "root/objects/sha256";
    std::string capitals = k_one;
    std::transform(capitals.begin(), capitals.end(), capitals.begin(), ::toupper);
    const std::string other = "76" + std::string(62, '0');
    fs::create_directories(folder / "77");
    fs::create_directories(folder / "76" / (std::string("76") + std::string(62, '1')));
    for (const fs::path& name : {fs::path("76") / capitals,
                                 fs::path("77") / k_one,
                                 fs::path("76") / "x\n\x1b[31m",
                                 fs::path("76") / (std::string(k_one) + "0"),
                                 fs::path(other),
                                 fs::path("readme")}) {
        CAPTURE(name.string());
        REQUIRE(write_file_atomically(folder / name, "?"));
    }
    fs::create_symlink("/etc/passwd", folder / "76" / other);
    const auto list = store.list();
    REQUIRE_MESSAGE(list, list.error().message);
    REQUIRE(list->size() == 3);
    CHECK((*list)[0].sha256 < (*list)[1].sha256);
    CHECK((*list)[1].sha256 < (*list)[2].sha256);
    const auto one = std::find_if(
        list->begin(), list->end(), [](const auto& o) { return o.sha256.hex() == k_one; });
    REQUIRE(one != list->end());
    CHECK(one->size == 3);
}

TEST_CASE_FIXTURE(Fixture, "object_store: removing, also what is not here") {
    const auto file = incoming("a", "one");
    CHECK(store.remove(file.sha256));
    REQUIRE(store.adopt({&file, 1}));
    CHECK(store.remove(file.sha256));
    CHECK_FALSE(store.size_of(file.sha256));
}

TEST_CASE_FIXTURE(Fixture, "object_store: what cannot be moved is an error that names it") {
    const ObjectStore::Incoming gone{directory / "gone", sha256("gone")};
    const auto adopted = store.adopt({&gone, 1});
    REQUIRE_FALSE(adopted);
    CHECK(adopted.error().kind == ErrorKind::io);
    CHECK(adopted.error().message.find("gone") != std::string::npos);
    REQUIRE(make_directories(directory / "root2"));
    REQUIRE(write_file_atomically(directory / "root2/objects", "a file"));
    const auto file = incoming("a", "one");
    CHECK_FALSE(ObjectStore(directory / "root2").adopt({&file, 1}));
    CHECK(fs::exists(file.file));
}

}  // namespace
}  // namespace chm::channels
