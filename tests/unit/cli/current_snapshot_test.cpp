#include "cli/current_snapshot.hpp"

#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

TEST_CASE("current snapshot: an empty root says what to do") {
    const chm::test::TempDir root;
    const auto manifest = chm::cli::current_snapshot(chm::channels::MirrorPaths(root.path()));
    REQUIRE_FALSE(manifest.has_value());
    CHECK(manifest.error().kind == chm::ErrorKind::usage);
    CHECK(manifest.error().message.find(root.path().string()) != std::string::npos);
    CHECK(manifest.error().message.find("chanmirror sync") != std::string::npos);
}
