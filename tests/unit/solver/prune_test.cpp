#include "solver/prune.hpp"

#include "channel_builder.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace chm::solver {
namespace {

using test::ask;
using test::ChannelBuilder;
using test::open_all;

/// "name version build" of what is kept for the request.
std::set<std::string> kept(const SolveRequest& request, const test::Indexes& indexes) {
    const auto universe = Universe::load(request, indexes);
    REQUIRE(universe.has_value());
    const std::vector<PackageIndex> chosen = representatives(*universe);
    std::set<std::string> names;
    for (PackageIndex i = 0; i < chosen.size(); ++i) {
        const conda::Record& record = *universe->packages()[i].candidate.record;
        if (chosen[i] == i) {
            names.insert(std::string(record.name) + " " + record.version.text() + " " +
                         std::string(record.build));
        }
    }
    return names;
}

}  // namespace

TEST_CASE("prune: of candidates that nothing tells apart the best is kept") {
    const auto indexes =
        open_all(ChannelBuilder("a")
                     .add({.name = "x", .version = "1", .depends = {"y"}, .build = "a"})
                     .add({.name = "x", .version = "2", .depends = {"y"}, .build = "a"})
                     .add({.name = "y", .version = "1"}));
    CHECK(kept(ask({"x"}), indexes) == std::set<std::string>{"x 2 a", "y 1 0"});
}

TEST_CASE("prune: a spec, a dependency or a constraint that tells them apart keeps both") {
    const auto by_spec = open_all(ChannelBuilder("a")
                                      .add({.name = "x", .version = "1"})
                                      .add({.name = "x", .version = "2"})
                                      .add({.name = "z", .version = "1", .depends = {"x <2"}}));
    CHECK(kept(ask({"x", "z"}), by_spec).contains("x 1 0"));
    CHECK_FALSE(kept(ask({"x"}), by_spec).contains("x 1 0"));
    const auto by_depends = open_all(ChannelBuilder("a")
                                         .add({.name = "x", .version = "1"})
                                         .add({.name = "x", .version = "2", .depends = {"y"}})
                                         .add({.name = "y", .version = "1"}));
    CHECK(kept(ask({"x"}), by_depends).contains("x 1 0"));
    const auto by_constrains =
        open_all(ChannelBuilder("a")
                     .add({.name = "x", .version = "1"})
                     .add({.name = "x", .version = "2", .constrains = {"y <1"}}));
    CHECK(kept(ask({"x"}), by_constrains).contains("x 1 0"));
}

TEST_CASE("prune: the order in which dependencies are written tells nothing apart") {
    const auto indexes =
        open_all(ChannelBuilder("a")
                     .add({.name = "x", .version = "1", .depends = {"y", "z"}})
                     .add({.name = "x", .version = "2", .depends = {"z", "y", "y"}})
                     .add({.name = "y", .version = "1"})
                     .add({.name = "z", .version = "1"}));
    CHECK_FALSE(kept(ask({"x"}), indexes).contains("x 1 0"));
}

}  // namespace chm::solver
