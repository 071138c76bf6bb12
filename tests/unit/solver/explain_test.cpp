// explain.cpp: the words for what cannot be, as golden texts.
#include "solver/explain.hpp"

#include "base/text.hpp"
#include "channel_builder.hpp"
#include "support/golden.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

namespace chm::solver {
namespace {

using chm::test::golden::check;
using test::ask;
using test::ChannelBuilder;
using test::explanation;
using test::open_all;

test::Indexes torch_channels() {
    ChannelBuilder pytorch("pytorch");
    for (const std::string python : {"3.9", "3.10", "3.11"}) {
        pytorch.add({.name = "pytorch",
                     .version = "2.1.0",
                     .depends = {"python >=" + python + "," + python + ".*", "cuda-version >=12"},
                     .build = "py" + python});
    }
    ChannelBuilder forge("conda-forge");
    forge.add({"python", "3.9"})
        .add({"python", "3.10"})
        .add({"python", "3.11"})
        .add({"python", "3.12"});
    forge.add({"cuda-version", "12.4", {}, {"__cuda >=12"}})
        .add({"cuda-version", "13.0", {}, {"__cuda >=13"}});
    forge.add({"pytorch", "2.5.1"});
    for (int minor = 0; minor < 9; ++minor) {
        forge.add({"numpy", fmt::format("1.{}", minor)});
    }
    return open_all(pytorch, forge);
}

}  // namespace

TEST_CASE("explain: two requested specs that exclude each other") {
    check(explanation(ask({"pytorch", "python=3.12"}), torch_channels()),
          "solver/python-too-new.txt");
}

TEST_CASE("explain: the target machine's driver is too old") {
    check(explanation(ask({"cuda-version=13"}, {{"__cuda", "12.4", "0"}}), torch_channels()),
          "solver/driver-too-old.txt");
}

TEST_CASE("explain: a dependency that no channel has") {
    const auto indexes =
        open_all(ChannelBuilder("a").add({"x", "1", {"y"}}).add({"y", "1", {"nowhere >=2"}}));
    check(explanation(ask({"x"}), indexes), "solver/nothing-provides.txt");
}

TEST_CASE("explain: a machine without a GPU") {
    const auto indexes = open_all(ChannelBuilder("a").add({"x", "1", {"__cuda >=12"}}));
    check(explanation(ask({"x"}), indexes), "solver/no-gpu.txt");
}

TEST_CASE("explain: a name that no channel has") {
    check(explanation(ask({"numpi", "pytorhc"}), torch_channels()), "solver/no-such-name.txt");
}

TEST_CASE("explain: a version that there is not") {
    check(explanation(ask({"numpy>=2", "python=3.8=h*"}), torch_channels()),
          "solver/no-such-version.txt");
}

TEST_CASE("explain: a version that strict priority leaves out") {
    check(explanation(ask({"pytorch=2.5.1"}), torch_channels()), "solver/strict-priority.txt");
}

TEST_CASE("explain: a channel that has not the name") {
    check(explanation(ask({"pytorch::numpy", "nvidia::python"}), torch_channels()),
          "solver/wrong-channel.txt");
}

TEST_CASE("explain: a requested virtual package that is absent or older") {
    check(
        explanation(ask({"__cuda", "__glibc>=2.28"}, {{"__glibc", "2.17", "0"}}), torch_channels()),
        "solver/virtual-requested.txt");
}

TEST_CASE("explain: a name whose records are all unreadable") {
    const auto indexes = open_all(ChannelBuilder("a").add({"x", "1", {"y >="}}));
    check(explanation(ask({"x"}), indexes), "solver/unreadable.txt");
}

TEST_CASE("explain: at most 25 lines, and candidates that say the same share one") {
    ChannelBuilder builder("a");
    std::vector<std::string> depends;
    for (int i = 0; i < 60; ++i) {
        depends.push_back(fmt::format("d{:02}", i));
        builder.add({depends.back(), "1", {fmt::format("c{:02} =1", i)}});
        builder.add({fmt::format("c{:02}", i), "1", {"python =3.9"}})
            .add({fmt::format("c{:02}", i), "2"});
    }
    for (int build = 0; build < 50; ++build) {
        builder.add(
            {.name = "x", .version = "1", .depends = depends, .build = fmt::format("b{}", build)});
    }
    builder.add({"python", "3.9"}).add({"python", "3.10"});
    const std::string text = explanation(ask({"x", "python=3.10"}), open_all(builder));
    const auto lines = split(text, '\n');
    CHECK(lines.size() <= 26);  // and the empty one after the last line end
    CHECK(text.find("(50 builds)") != std::string::npos);
    CHECK(text.starts_with("you asked for python=3.10\nyou asked for x\n"));
}

}  // namespace chm::solver
