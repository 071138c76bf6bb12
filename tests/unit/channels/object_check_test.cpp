// Stored objects against the digests they are named by.
#include "channels/object_check.hpp"

#include "support/recording_reporter.hpp"
#include "support/stored_mirror.hpp"

#include <doctest/doctest.h>

namespace chm::channels {
namespace {

TEST_CASE("object check: damaged objects are told, vanished ones are not, all bytes are counted") {
    const test::TempDir directory;
    const test::StoredMirror mirror(directory / "mirror");
    test::RecordingReporter reporter;
    test::StoredMirror writer(directory / "mirror");
    for (const char* bytes : {"", "one", "twelve", "gone"}) {
        writer.store(bytes);
    }
    const ObjectStore store(mirror.paths.root());
    auto objects = store.list();
    REQUIRE(objects);
    test::damage(mirror.object("one"), "onx");
    REQUIRE(remove_tree(mirror.object("gone")));
    VerifyRequest request;
    request.jobs = 3;
    const auto hashed =
        hash_objects(store, std::move(*objects), request, {mirror.clock, reporter, {}});
    REQUIRE_MESSAGE(hashed, hashed.error().message);
    CHECK(hashed->objects == 3);
    CHECK(hashed->bytes == 9);
    REQUIRE(hashed->corrupt.size() == 1);
    CHECK(hashed->corrupt.at(sha256("one")) == "sha256 " + sha256("onx").hex() + ", 3 bytes");
    const auto progress = reporter.all<PhaseAdvanced>();
    REQUIRE_FALSE(progress.empty());
    CHECK(reporter.all<PhaseBegan>().front().expected_items == 13);
}

}  // namespace
}  // namespace chm::channels
