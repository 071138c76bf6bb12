// solution_json.cpp: the document that programs read.
#include "emit/solution_json.hpp"

#include "base/json.hpp"
#include "sample_solution.hpp"
#include "support/golden.hpp"

#include <doctest/doctest.h>

#include <string>

namespace chm::emit {

TEST_CASE("solution_json: a solved request") {
    chm::test::golden::check(outcome_json(test::sample_solution(), test::sample_header()),
                             "emit/solved.json");
}

TEST_CASE("solution_json: an unsolvable request") {
    const solver::Unsolvable unsolvable{
        {"you asked for pytorch=99", "  pytorch has pytorch only as 2.1.0"}};
    chm::test::golden::check(outcome_json(unsolvable, test::sample_header()),
                             "emit/unsolvable.json");
}

TEST_CASE("solution_json: both outcomes have the same members") {
    const auto solved = parse_json(outcome_json(test::sample_solution(), test::sample_header()));
    const auto unsolvable = parse_json(outcome_json(solver::Unsolvable{}, test::sample_header()));
    REQUIRE(solved.has_value());
    REQUIRE(unsolvable.has_value());
    REQUIRE(solved->as_object() != nullptr);
    REQUIRE(solved->as_object()->size() == unsolvable->as_object()->size());
    for (const auto& [key, value] : *solved->as_object()) {
        CHECK_MESSAGE(unsolvable->find(key) != nullptr, key);
    }
    CHECK(solved->text("status") == "solved");
    CHECK(unsolvable->text("status") == "unsolvable");
}

TEST_CASE("solution_json: foreign text stays within its string") {
    solver::Solution solution;
    solution.packages = {test::sample_solution().packages.front()};
    solution.packages.front().build = "\"},\n{\"\xff";
    const std::string text = outcome_json(solution, {});
    const auto document = parse_json(text);
    REQUIRE(document.has_value());
    REQUIRE(document->find("packages")->as_array()->size() == 1);
    CHECK(document->find("packages")->as_array()->front().text("build") == "\"},\n{\"\xef\xbf\xbd");
    CHECK(text.ends_with("}\n"));
}

}  // namespace chm::emit
