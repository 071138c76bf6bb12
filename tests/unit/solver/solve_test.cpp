// solve.cpp: whole solves on small channels; preferences are in preference_test.cpp, words in
// explain_test.cpp.
#include "solver/solve.hpp"

#include "channel_builder.hpp"
#include "support/recording_reporter.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

namespace chm::solver {
namespace {

using test::answer;
using test::ask;
using test::ChannelBuilder;
using test::open_all;
using Texts = std::vector<std::string>;

bool is_unsolvable(const Texts& lines) {
    return !lines.empty() && lines.front().starts_with("unsolvable: ");
}

test::Indexes cuda_channel() {
    return open_all(ChannelBuilder("a")
                        .add({.name = "torch",
                              .version = "2",
                              .depends = {"__cuda"},
                              .build = "cuda",
                              .build_number = 200})
                        .add({.name = "torch", .version = "2", .build = "cpu"})
                        .add({"cuda-version", "13.0", {}, {"__cuda >=13"}}));
}

}  // namespace

TEST_CASE("solve: nothing asked gives nothing") {
    CHECK(answer(ask({}), cuda_channel()).empty());
    CHECK(answer(ask({}, {{"__cuda", "12.4", "0"}}), {}).empty());
}

TEST_CASE("solve: virtual packages decide between builds and are not in the solution") {
    CHECK(answer(ask({"torch"}), cuda_channel()) == Texts{"a::torch-2-cpu"});
    CHECK(answer(ask({"torch"}, {{"__cuda", "12.4", "0"}}), cuda_channel()) ==
          Texts{"a::torch-2-cuda"});
}

TEST_CASE("solve: a constrains on a virtual package holds only where there is one") {
    CHECK(answer(ask({"cuda-version=13"}), cuda_channel()) == Texts{"a::cuda-version-13.0-0"});
    CHECK(answer(ask({"cuda-version"}, {{"__cuda", "13.1", "0"}}), cuda_channel()) ==
          Texts{"a::cuda-version-13.0-0"});
    CHECK(is_unsolvable(answer(ask({"cuda-version"}, {{"__cuda", "12.4", "0"}}), cuda_channel())));
}

TEST_CASE("solve: a request may name virtual packages") {
    CHECK(answer(ask({"__cuda", "torch"}, {{"__cuda", "12.4", "0"}}), cuda_channel()) ==
          Texts{"a::torch-2-cuda"});
    CHECK(answer(ask({"__cuda>=12"}, {{"__cuda", "12.4", "0"}}), cuda_channel()).empty());
    CHECK(is_unsolvable(answer(ask({"__cuda", "torch"}), cuda_channel())));
    CHECK(is_unsolvable(answer(ask({"__cuda>=13"}, {{"__cuda", "12.4", "0"}}), cuda_channel())));
}

TEST_CASE("solve: a constrains binds only who is there") {
    const auto indexes = open_all(ChannelBuilder("a")
                                      .add({"x", "1", {}, {"y <2"}})
                                      .add({"y", "1"})
                                      .add({"y", "2"})
                                      .add({"self", "1", {}, {"self >=2"}}));
    CHECK(answer(ask({"x"}), indexes) == Texts{"a::x-1-0"});
    CHECK(answer(ask({"x", "y"}), indexes) == Texts{"a::x-1-0", "a::y-1-0"});
    CHECK(is_unsolvable(answer(ask({"x", "y=2"}), indexes)));
    CHECK(answer(ask({"self"}), indexes) == Texts{"a::self-1-0"});
}

TEST_CASE("solve: pip follows python, after it") {
    const auto indexes = open_all(ChannelBuilder("a").add({"python", "3.11"}),
                                  ChannelBuilder("a", "noarch").add({"pip", "23", {"python"}}));
    SolveRequest request = ask({"python"});
    CHECK(answer(request, indexes) == Texts{"a::python-3.11-0"});
    request.add_pip_as_python_dependency = true;
    CHECK(answer(request, indexes) == Texts{"a::python-3.11-0", "a::pip-23-0"});
    CHECK(answer(request, open_all(ChannelBuilder("a").add({"python", "3.11"}))) ==
          Texts{"a::python-3.11-0"});
}

TEST_CASE("solve: the added pip is no dependency of the record") {
    const auto indexes =
        open_all(ChannelBuilder("a").add({"python", "3.11"}).add({"pip", "23", {"python"}}));
    SolveRequest request = ask({"python"});
    request.add_pip_as_python_dependency = true;
    chm::test::RecordingReporter reporter;
    const auto outcome = solve(request, indexes, reporter);
    REQUIRE(outcome.has_value());
    const auto* solution = std::get_if<Solution>(&*outcome);
    REQUIRE(solution != nullptr);
    CHECK(solution->packages.front().depends.empty());
}

TEST_CASE("solve: dependencies come first, else by name") {
    const auto indexes = open_all(ChannelBuilder("a")
                                      .add({"a", "1", {"z"}})
                                      .add({"z", "1", {"m", "b"}})
                                      .add({"m", "1"})
                                      .add({"b", "1"}));
    CHECK(answer(ask({"a", "m"}), indexes) ==
          Texts{"a::b-1-0", "a::m-1-0", "a::z-1-0", "a::a-1-0"});
}

TEST_CASE("solve: a cycle is cut where it closes, and a record that needs itself is fine") {
    const auto indexes = open_all(ChannelBuilder("a")
                                      .add({"a", "1", {"b"}})
                                      .add({"b", "1", {"c"}})
                                      .add({"c", "1", {"a", "d"}})
                                      .add({"d", "1", {"d"}}));
    const Texts expected = {"a::d-1-0", "a::c-1-0", "a::b-1-0", "a::a-1-0"};
    CHECK(answer(ask({"a"}), indexes) == expected);
    CHECK(answer(ask({"d", "c"}), indexes) == expected);
}

TEST_CASE("solve: long chains need no stack") {
    ChannelBuilder builder("a");
    constexpr int k_length = 3000;
    for (int i = 0; i < k_length; ++i) {
        builder.add({"n" + std::to_string(i), "1", {"n" + std::to_string(i + 1)}});
    }
    builder.add({"n" + std::to_string(k_length), "1"});
    const Texts lines = answer(ask({"n0"}), open_all(builder));
    REQUIRE(lines.size() == k_length + 1);
    CHECK(lines.front() == "a::n3000-1-0");
    CHECK(lines.back() == "a::n0-1-0");
}

TEST_CASE("solve: the order of specs never matters") {
    ChannelBuilder builder("a");
    for (const std::string version : {"1", "2", "3"}) {
        builder.add({"x", version, {"base <=" + version}});
        builder.add({"y", version, {"base >=" + version}});
        builder.add({"z", version, {"x", "y <=2"}});
        builder.add({"base", version});
    }
    const auto indexes = open_all(builder);
    for (Texts specs :
         {Texts{"x", "y", "z"}, Texts{"base=2", "x", "y"}, Texts{"base=1", "y=2", "z"}}) {
        std::sort(specs.begin(), specs.end());
        const Texts first = answer(ask(specs), indexes);
        while (std::next_permutation(specs.begin(), specs.end())) {
            CHECK(answer(ask(specs), indexes) == first);
        }
    }
}

TEST_CASE("solve: the order of records in a channel never matters for small conflicts") {
    const test::PackageText one = {"x", "1", {"y"}};
    const test::PackageText two = {"x", "2", {"y"}};
    const test::PackageText other = {"y", "1"};
    CHECK(answer(ask({"x"}), open_all(ChannelBuilder("a").add(one).add(two).add(other))) ==
          answer(ask({"x"}), open_all(ChannelBuilder("a").add(other).add(two).add(one))));
}

TEST_CASE("solve: a spec without providers is unsolvable, also beside a good one") {
    CHECK(is_unsolvable(answer(ask({"no-such-package"}), cuda_channel())));
    CHECK(is_unsolvable(answer(ask({"torch", "no-such-package"}), cuda_channel())));
    CHECK(is_unsolvable(answer(ask({"torch=99"}), cuda_channel())));
    CHECK(is_unsolvable(answer(ask({"torch"}), {})));
}

TEST_CASE("solve: when and extras are refused") {
    chm::test::RecordingReporter reporter;
    const auto outcome = solve(ask({"torch[when='python']"}), cuda_channel(), reporter);
    REQUIRE(!outcome.has_value());
    CHECK(outcome.error().kind == ErrorKind::usage);
    CHECK(outcome.error().message.find("not supported yet") != std::string::npos);
}

TEST_CASE("solve: unreadable records are warned of once, and each is a detail") {
    const auto indexes = open_all(
        ChannelBuilder("a").add({"x", "1"}).add({"x", "2", {"y >="}}).add({"x", "3", {"y ===="}}));
    chm::test::RecordingReporter reporter;
    const auto outcome = solve(ask({"x"}), indexes, reporter);
    REQUIRE(outcome.has_value());
    CHECK(std::holds_alternative<Solution>(*outcome));
    REQUIRE(reporter.warnings().size() == 1);
    CHECK(reporter.warnings().front().starts_with(
        "2 records cannot be read and were left out, such as x-2-0.conda: "));
    const auto details = reporter.details();
    CHECK(std::count_if(details.begin(), details.end(), [](const std::string& line) {
              return line.starts_with("left out x-");
          }) == 2);
}

TEST_CASE("solve: a solution outlives the indexes and holds the record") {
    chm::test::RecordingReporter reporter;
    auto outcome =
        solve(ask({"x"}),
              open_all(ChannelBuilder("a").add({"x", "1", {}, {"y"}}), ChannelBuilder("b")),
              reporter);
    REQUIRE(outcome.has_value());
    const auto* solution = std::get_if<Solution>(&*outcome);
    REQUIRE(solution != nullptr);
    const SolvedPackage& package = solution->packages.front();
    CHECK(package.fn == "x-1-0.conda");
    CHECK(package.url == "https://conda.anaconda.org/a/linux-64/x-1-0.conda");
    CHECK(package.subdir == "linux-64");
    CHECK(package.sha256 == sha256("x10"));
    CHECK(package.size == 1000);
    CHECK(package.constrains == Texts{"y"});
    CHECK(!package.md5.has_value());
}

}  // namespace chm::solver
