// The names that clients read.
#include "channels/public_names.hpp"

#include "support/stored_mirror.hpp"

#include <doctest/doctest.h>

namespace chm::channels {
namespace {

TEST_CASE("public names: lead through current from any depth") {
    CHECK(public_destination("c", "noarch", "repodata.json") ==
          "../../../current/public/c/noarch/repodata.json");
    CHECK(public_destination("nvidia/label/x", "noarch", "shards") ==
          "../../../../../current/public/nvidia/label/x/noarch/shards");
}

TEST_CASE("public names: are those that publish makes") {
    const test::TempDir directory;
    test::StoredMirror mirror(directory / "mirror");
    const Manifest manifest = mirror.publish({{"a-1-0", "1"}});
    const auto folder = mirror.paths.published() / "c/linux-64";
    for (const std::string_view name : k_index_names) {
        CAPTURE(name);
        CHECK(std::filesystem::read_symlink(folder / name) ==
              public_destination("c", "linux-64", name));
    }
    REQUIRE(remove_tree(folder));
    REQUIRE(link_public_indexes(mirror.paths, manifest));
    CHECK(std::filesystem::exists(folder / "repodata.json"));
    CHECK(std::filesystem::is_directory(folder / "shards"));
}

}  // namespace
}  // namespace chm::channels
