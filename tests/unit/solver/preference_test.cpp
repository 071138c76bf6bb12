// The preferences of rank.cpp and the channel priorities, seen from outside: what a solve takes.
#include "channel_builder.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace chm::solver {
namespace {

using test::answer;
using test::ask;
using test::ChannelBuilder;
using test::open_all;
using Texts = std::vector<std::string>;

SolveRequest with_priority(SolveRequest request, config::ChannelPriority priority) {
    request.channel_priority = priority;
    return request;
}

/// "a" has the older x; "b" the newer one, and y, which needs it.
test::Indexes two_channels() {
    return open_all(ChannelBuilder("a").add({"x", "1.0"}),
                    ChannelBuilder("b").add({"x", "2.0"}).add({"y", "1.0", {"x >=2"}}));
}

}  // namespace

TEST_CASE("preference: version, then build number, then timestamp") {
    const auto indexes = open_all(
        ChannelBuilder("a")
            .add({.name = "x", .version = "1.9", .build = "new", .build_number = 9})
            .add({.name = "x", .version = "1.10", .build = "b0", .timestamp = 9})
            .add({.name = "x", .version = "1.10", .build = "b1", .build_number = 1, .timestamp = 1})
            .add({.name = "x",
                  .version = "1.10",
                  .build = "b2",
                  .build_number = 1,
                  .timestamp = 2}));
    CHECK(answer(ask({"x"}), indexes) == Texts{"a::x-1.10-b2"});
    CHECK(answer(ask({"x=1.10=b1"}), indexes) == Texts{"a::x-1.10-b1"});
    CHECK(answer(ask({"x<1.10"}), indexes) == Texts{"a::x-1.9-new"});
}

TEST_CASE("preference: a record with track_features is the last choice") {
    const auto indexes =
        open_all(ChannelBuilder("a")
                     .add({.name = "x", .version = "2.0", .track_features = "debug"})
                     .add({.name = "x", .version = "1.0"}));
    CHECK(answer(ask({"x"}), indexes) == Texts{"a::x-1.0-0"});
    CHECK(answer(ask({"x=2"}), indexes) == Texts{"a::x-2.0-0"});
}

TEST_CASE("preference: backtracking takes the next best, not the worst") {
    const auto indexes = open_all(
        ChannelBuilder("a").add({"x", "3.0", {"nowhere"}}).add({"x", "2.0"}).add({"x", "1.0"}));
    CHECK(answer(ask({"x"}), indexes) == Texts{"a::x-2.0-0"});
}

TEST_CASE("preference: strict takes a name from the first channel that has it") {
    CHECK(answer(ask({"x"}), two_channels()) == Texts{"a::x-1.0-0"});
    CHECK(answer(ask({"y"}), two_channels()).front().starts_with("unsolvable: "));
}

TEST_CASE("preference: flexible takes a lower channel's only where it must") {
    using config::ChannelPriority;
    CHECK(answer(with_priority(ask({"x"}), ChannelPriority::flexible), two_channels()) ==
          Texts{"a::x-1.0-0"});
    CHECK(answer(with_priority(ask({"y"}), ChannelPriority::flexible), two_channels()) ==
          Texts{"b::x-2.0-0", "b::y-1.0-0"});
}

TEST_CASE("preference: disabled takes the newest from anywhere, and the higher channel of equals") {
    using config::ChannelPriority;
    CHECK(answer(with_priority(ask({"x"}), ChannelPriority::disabled), two_channels()) ==
          Texts{"b::x-2.0-0"});
    const auto equals =
        open_all(ChannelBuilder("b").add({"x", "1.0"}), ChannelBuilder("a").add({"x", "1.0"}));
    CHECK(answer(with_priority(ask({"x"}), ChannelPriority::disabled), equals) ==
          Texts{"b::x-1.0-0"});
}

TEST_CASE("preference: a channel in the spec overrules strict priority") {
    CHECK(answer(ask({"b::x"}), two_channels()) == Texts{"b::x-2.0-0"});
    CHECK(answer(ask({"b::x", "y"}), two_channels()) == Texts{"b::x-2.0-0", "b::y-1.0-0"});
    CHECK(answer(ask({"https://conda.anaconda.org/b::x"}), two_channels()) == Texts{"b::x-2.0-0"});
}

TEST_CASE("preference: a channel elsewhere can be named by its URL") {
    const auto indexes =
        open_all(ChannelBuilder("a").add({"x", "2.0"}),
                 ChannelBuilder("https://repo.example.org/team").add({"x", "1.0"}));
    CHECK(answer(ask({"x[channel='https://repo.example.org/team']"}), indexes) ==
          Texts{"repo.example.org/team::x-1.0-0"});
}

TEST_CASE("preference: two channels for one name are refused the same way in either order") {
    const auto first = answer(ask({"a::x", "b::x"}), two_channels());
    CHECK(first.front().starts_with("unsolvable: "));
    CHECK(first == answer(ask({"b::x", "a::x"}), two_channels()));
}

TEST_CASE(
    "preference: platform and noarch of one channel are one channel and of equals the platform "
    "wins") {
    const auto indexes =
        open_all(ChannelBuilder("a").add({"x", "1.0"}).add({"z", "1.0"}),
                 ChannelBuilder("a", "noarch").add({"x", "2.0"}).add({"z", "1.0", {"x"}}));
    CHECK(answer(ask({"x"}), indexes) == Texts{"a::x-2.0-0"});
    CHECK(answer(ask({"z"}), indexes) == Texts{"a::z-1.0-0"});
}

TEST_CASE("preference: of one build the .conda file is taken") {
    const auto indexes = open_all(ChannelBuilder("a")
                                      .add({.name = "x", .version = "1.0", .extension = ".tar.bz2"})
                                      .add({.name = "x", .version = "1.0"}));
    CHECK(answer(ask({"x"}), indexes) == Texts{"a::x-1.0-0"});
    CHECK(answer(ask({"x[fn=x-1.0-0.tar.bz2]"}), indexes) == Texts{"a::x-1.0-0"});
}

}  // namespace chm::solver
