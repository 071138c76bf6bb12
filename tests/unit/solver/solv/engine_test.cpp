// engine.cpp: the encoding alone, without order of packages or words.
#include "solver/solv/engine.hpp"

#include "../channel_builder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

namespace chm::solver::solv {
namespace {

using test::ask;
using test::ChannelBuilder;
using test::open_all;

struct Ran {
    Universe universe;
    std::variant<Chosen, Conflicts> result;
};

Ran run(const SolveRequest& request, const test::Indexes& indexes) {
    auto universe = Universe::load(request, indexes);
    REQUIRE(universe.has_value());
    auto result = run_engine(*universe, std::vector<bool>(universe->packages().size(), true));
    REQUIRE(result.has_value());
    return {std::move(*universe), std::move(*result)};
}

std::vector<std::string> names(const Ran& ran) {
    const auto* chosen = std::get_if<Chosen>(&ran.result);
    REQUIRE(chosen != nullptr);
    std::vector<std::string> names;
    for (const PackageIndex package : *chosen) {
        const conda::Record& record = *ran.universe.packages()[package].candidate.record;
        names.push_back(std::string(record.name) + " " + record.version.text());
    }
    std::sort(names.begin(), names.end());
    return names;
}

/// The reasons of one kind in all conflicts.
std::vector<Reason> reasons(const Ran& ran, ReasonKind kind) {
    const auto* conflicts = std::get_if<Conflicts>(&ran.result);
    REQUIRE(conflicts != nullptr);
    std::vector<Reason> found;
    for (const Conflict& conflict : *conflicts) {
        std::copy_if(
            conflict.begin(), conflict.end(), std::back_inserter(found), [&](const Reason& reason) {
                return reason.kind == kind;
            });
    }
    return found;
}

}  // namespace

TEST_CASE("engine: virtual packages are among the chosen") {
    const Ran ran =
        run(ask({"x"}, {{"__unix", "0", "0"}}), open_all(ChannelBuilder("a").add({"x", "1"})));
    CHECK(names(ran) == std::vector<std::string>{"__unix 0", "x 1"});
}

TEST_CASE("engine: ranks of two digits are numbers, not texts") {
    ChannelBuilder builder("a");
    for (int i = 1; i <= 120; ++i) {
        builder.add({"x", std::to_string(i)});
    }
    CHECK(names(run(ask({"x"}), open_all(builder))) == std::vector<std::string>{"x 120"});
    CHECK(names(run(ask({"x<100"}), open_all(builder))) == std::vector<std::string>{"x 99"});
}

TEST_CASE("engine: a dependency matches by spec, not by libsolv's idea of versions") {
    const auto indexes =
        open_all(ChannelBuilder("a")
                     .add({"x", "1", {"y 1.0|2.0.*", "z[build='*cuda*']"}})
                     .add({"y", "2.0rc1"})
                     .add({"y", "3"})
                     .add({.name = "z", .version = "1", .build = "cpu", .build_number = 9})
                     .add({.name = "z", .version = "1", .build = "py_cuda12"}));
    const Ran ran = run(ask({"x"}), indexes);
    CHECK(names(ran) == std::vector<std::string>{"x 1", "y 2.0rc1", "z 1"});
}

TEST_CASE("engine: a dependency that nothing provides makes its package impossible, not the run") {
    const auto indexes =
        open_all(ChannelBuilder("a").add({"x", "2", {"y >5"}}).add({"x", "1"}).add({"y", "1"}));
    CHECK(names(run(ask({"x"}), indexes)) == std::vector<std::string>{"x 1"});
}

TEST_CASE(
    "engine: constrains on nothing that exists exclude nothing and on all of a name, all of it") {
    const auto indexes =
        open_all(ChannelBuilder("a").add({"x", "1", {}, {"y <0", "absent"}}).add({"y", "1"}));
    CHECK(names(run(ask({"x"}), indexes)) == std::vector<std::string>{"x 1"});
    const Ran both = run(ask({"x", "y"}), indexes);
    const auto excludes = reasons(both, ReasonKind::excludes);
    REQUIRE(excludes.size() == 1);
    REQUIRE(excludes[0].spec.has_value());
    CHECK(both.universe.specs()[*excludes[0].spec].text == "y <0");
    CHECK(excludes[0].source.has_value());
    CHECK(excludes[0].target.has_value());
}

TEST_CASE("engine: reasons name the request, the needs and the machine") {
    const auto indexes =
        open_all(ChannelBuilder("a").add({"x", "1", {"y"}}).add({"y", "1", {}, {"__cuda >=13"}}));
    const Ran ran = run(ask({"x"}, {{"__cuda", "12", "0"}}), indexes);
    CHECK(reasons(ran, ReasonKind::requested).size() == 1);
    CHECK(reasons(ran, ReasonKind::needs).size() == 1);
    CHECK(reasons(ran, ReasonKind::excludes).size() == 1);
    const auto fixed = reasons(ran, ReasonKind::fixed);
    REQUIRE(fixed.size() == 1);
    REQUIRE(fixed[0].target.has_value());
    CHECK(ran.universe.packages()[*fixed[0].target].is_virtual);
}

TEST_CASE("engine: two versions of one name are a conflict of that name") {
    const auto indexes = open_all(ChannelBuilder("a")
                                      .add({"x", "1", {"z =1"}})
                                      .add({"y", "1", {"z =2"}})
                                      .add({"z", "1"})
                                      .add({"z", "2"}));
    CHECK(reasons(run(ask({"x", "y"}), indexes), ReasonKind::same_name).size() == 1);
}

}  // namespace chm::solver::solv
