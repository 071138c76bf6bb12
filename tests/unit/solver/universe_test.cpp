// universe.cpp: which records a request can reach, and what is left out.
#include "solver/universe.hpp"

#include "channel_builder.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace chm::solver {
namespace {

using test::ask;
using test::ChannelBuilder;
using test::open_all;

Universe loaded(const SolveRequest& request, const test::Indexes& indexes) {
    auto universe = Universe::load(request, indexes);
    REQUIRE_MESSAGE(universe.has_value(), (universe ? "" : universe.error().message));
    return std::move(*universe);
}

std::string refused(const std::string& spec) {
    const auto universe = Universe::load(ask({spec}), {});
    REQUIRE(!universe.has_value());
    CHECK(universe.error().kind == ErrorKind::usage);
    return universe.error().message;
}

std::vector<std::string> versions(const Universe& universe,
                                  std::span<const PackageIndex> packages) {
    std::vector<std::string> texts;
    for (const PackageIndex package : packages) {
        texts.push_back(universe.packages()[package].candidate.record->version.text());
    }
    return texts;
}

}  // namespace

TEST_CASE("universe: only what the request reaches is loaded") {
    const auto indexes = open_all(ChannelBuilder("a")
                                      .add({"x", "1", {"y >=1"}})
                                      .add({"y", "1", {"z"}, {"unrelated >5"}})
                                      .add({"z", "1", {"x"}})
                                      .add({"unrelated", "1"}));
    const Universe universe = loaded(ask({"x"}), indexes);
    CHECK(universe.packages().size() == 3);
    CHECK(universe.of_name("unrelated").empty());
    CHECK(universe.of_name("z").size() == 1);
}

TEST_CASE("universe: candidates are in order of preference, and so are matches") {
    const auto indexes =
        open_all(ChannelBuilder("a").add({"x", "1.9"}).add({"x", "1.10"}).add({"x", "1.2"}));
    const Universe universe = loaded(ask({"x<1.10"}), indexes);
    CHECK(versions(universe, universe.of_name("x")) ==
          std::vector<std::string>{"1.10", "1.9", "1.2"});
    REQUIRE(universe.requested().size() == 1);
    CHECK(versions(universe, universe.matching(universe.requested().front())) ==
          std::vector<std::string>{"1.9", "1.2"});
}

TEST_CASE("universe: requested specs are sorted and each counts once") {
    const auto indexes = open_all(ChannelBuilder("a").add({"x", "1"}).add({"y", "1"}));
    const Universe universe = loaded(ask({"y", "x", "y", "Y"}), indexes);
    REQUIRE(universe.requested().size() == 2);
    CHECK(universe.specs()[universe.requested()[0]].text == "x");
    CHECK(universe.specs()[universe.requested()[1]].text == "y");
}

TEST_CASE("universe: virtual packages are candidates, and no channel can provide one") {
    const auto indexes =
        open_all(ChannelBuilder("a").add({"x", "1", {"__cuda"}}).add({"__cuda", "99"}));
    const Universe with = loaded(ask({"x"}, {{"__cuda", "12.4", "0"}}), indexes);
    REQUIRE(with.of_name("__cuda").size() == 1);
    CHECK(with.packages()[with.of_name("__cuda").front()].is_virtual);
    CHECK(versions(with, with.of_name("__cuda")) == std::vector<std::string>{"12.4"});
    CHECK(loaded(ask({"x"}), indexes).of_name("__cuda").empty());
}

TEST_CASE("universe: records that cannot be read are left out and counted") {
    const auto indexes =
        open_all(ChannelBuilder("a")
                     .add({"x", "1"})
                     .add({"x", "2", {"y >="}})
                     .add({"x", "3", {}, {"y[frobnicate=1]"}})
                     .add_raw("x-4-0.conda",
                              R"({"name": "x", "version": "4!!", "build": "0", "build_number": 0})")
                     .add_raw("x-5-0.conda",
                              R"({"name": "x", "version": "5", "build": "0", "depends": "y"})"));
    const Universe universe = loaded(ask({"x"}), indexes);
    CHECK(versions(universe, universe.of_name("x")) == std::vector<std::string>{"1"});
    REQUIRE(universe.skipped().size() == 4);
    for (const channels::SkippedRecord& skipped : universe.skipped()) {
        CHECK(skipped.fn.starts_with("x-"));
        CHECK(!skipped.reason.empty());
    }
}

TEST_CASE(
    "universe: a record that uses when or extras is left out, a request that does is refused") {
    const auto indexes = open_all(ChannelBuilder("a")
                                      .add({"x", "1"})
                                      .add({"x", "2", {"y[when='python>=3.10']"}})
                                      .add({"x", "3", {"y[extras=[gpu]]"}}));
    const Universe universe = loaded(ask({"x"}), indexes);
    CHECK(versions(universe, universe.of_name("x")) == std::vector<std::string>{"1"});
    CHECK(universe.skipped().size() == 2);
    CHECK(refused("y[when='python>=3.10']")
              .find("conditional dependencies (when=) are not supported yet") != std::string::npos);
    CHECK(refused("y[extras=[gpu]]").find("extras are not supported yet") != std::string::npos);
}

TEST_CASE("universe: a solve's dependencies may have so many regular expressions, not more") {
    ChannelBuilder builder("a");
    builder.add({"plain", "1"});
    for (int i = 0; i < 300; ++i) {
        builder.add({"x", std::to_string(i), {"plain ^" + std::to_string(i) + ".*$", "plain >=1"}});
    }
    const Universe universe = loaded(ask({"x"}), open_all(builder));
    CHECK(universe.of_name("x").size() == 256);
    REQUIRE(universe.skipped().size() == 44);
    CHECK(universe.skipped().front().reason.find("more than 256 regular expressions") !=
          std::string::npos);
}

TEST_CASE("universe: a requested spec must name one package") {
    CHECK(refused("py*").find("must name one package") != std::string::npos);
    CHECK(refused("*[build=0]").find("must name one package") != std::string::npos);
}

TEST_CASE("universe: a virtual package with a malformed version is refused by name") {
    const auto universe = Universe::load(ask({}, {{"__cuda", "1..2", "0"}}), {});
    REQUIRE(!universe.has_value());
    CHECK(universe.error().kind == ErrorKind::usage);
    CHECK(universe.error().message.find("__cuda=1..2=0") != std::string::npos);
}

TEST_CASE("universe: nothing asked, nothing loaded") {
    const Universe universe = loaded(ask({}), open_all(ChannelBuilder("a").add({"x", "1"})));
    CHECK(universe.packages().empty());
    CHECK(universe.requested().empty());
}

}  // namespace chm::solver
