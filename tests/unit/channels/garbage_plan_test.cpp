// What garbage collection keeps; how it is removed: garbage_test.cpp.
#include "channels/garbage_plan.hpp"

#include "support/recording_reporter.hpp"
#include "support/stored_mirror.hpp"

#include <doctest/doctest.h>

namespace chm::channels {
namespace {

TEST_CASE("garbage plan: the current snapshot, the newest and the young are chosen") {
    const test::TempDir directory;
    test::StoredMirror mirror(directory / "mirror");
    const std::string a = mirror.publish({{"a-1-0", "1"}}).id;
    mirror.clock.advance(std::chrono::hours(10));
    const std::string b = mirror.publish({{"b-1-0", "2"}}).id;
    mirror.clock.advance(std::chrono::hours(10));
    const std::string c = mirror.publish({{"c-1-0", "3"}}).id;
    const auto choose = [&](unsigned keep, int grace_hours) {
        const auto choice = choose_snapshots(
            mirror.paths, {keep, std::chrono::hours(grace_hours), false}, mirror.clock.wall());
        REQUIRE_MESSAGE(choice, choice.error().message);
        CHECK(choice->in_use.contains(c));
        return choice->others;
    };
    CHECK(choose(0, 0) == std::vector<std::string>{b, a});
    CHECK(choose(2, 0) == std::vector<std::string>{a});
    CHECK(choose(0, 1) == std::vector<std::string>{a});  // b ended with c, a second ago
    CHECK(choose(0, 11).empty());
    CHECK(choose(9, 0).empty());
}

TEST_CASE("garbage plan: what is needed is what the kept lists and the locks name") {
    const test::TempDir directory;
    test::StoredMirror mirror(directory / "mirror");
    test::RecordingReporter reporter;
    mirror.publish({{"a-1-0", "1"}});
    mirror.publish({{"b-1-0", "2"}});
    REQUIRE(make_directories(mirror.paths.root() / "locks"));
    REQUIRE(write_file_atomically(mirror.paths.root() / "locks/x",
                                  "@EXPLICIT\nhttps://h/c/noarch/x#" + sha256("x").hex() + "\n"));
    const auto choice =
        choose_snapshots(mirror.paths, {2, std::chrono::seconds(0), false}, mirror.clock.wall());
    REQUIRE(choice);
    const auto needed = find_needed(mirror.paths, *choice, reporter);
    REQUIRE_MESSAGE(needed, needed.error().message);
    CHECK(needed->by_snapshots == std::set<Sha256>{sha256("1"), sha256("2")});
    CHECK(needed->names.at("c/linux-64") == std::set<std::string>{"b-1-0.conda"});
    CHECK(needed->kept_names.at("c/linux-64") ==
          std::set<std::string>{"a-1-0.conda", "b-1-0.conda"});
    CHECK(needed->by_locks == std::set<Sha256>{sha256("x")});
    CHECK_FALSE(needed->unreadable_lock);
}

TEST_CASE("garbage plan: temporary names are told from others") {
    CHECK(is_leftover_name(".repodata.json.4711-0.tmp"));
    CHECK(is_leftover_name(".4711.link.tmp"));
    for (const char* name : {"",
                             ".",
                             ".tmp",
                             ".x.tmp",
                             "x.1-2.tmp",
                             ".x.1-.tmp",
                             ".x.-2.tmp",
                             ".x.1-2",
                             ".x.link.tmp"}) {
        CAPTURE(name);
        CHECK_FALSE(is_leftover_name(name));
    }
}

}  // namespace
}  // namespace chm::channels
