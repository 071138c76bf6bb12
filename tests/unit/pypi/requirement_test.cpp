// Requirements: the answers of pypa/packaging (tests/data/pypi) but for the differences that
// docs/pypi-semantics.md lists, and that no message gives a URL away.
#include "pypi/requirement.hpp"

#include "unit/pypi/vectors.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

using chm::pypi::MarkerEnvironment;
using chm::pypi::Requirement;

namespace {

Requirement requirement(std::string_view text) {
    auto parsed = Requirement::parse(text);
    REQUIRE_MESSAGE(parsed.has_value(), text);
    return std::move(*parsed);
}

std::string error_of(std::string_view text) {
    const auto parsed = Requirement::parse(text);
    REQUIRE_FALSE_MESSAGE(parsed.has_value(), text);
    CHECK(parsed.error().kind == chm::ErrorKind::parse);
    return parsed.error().message;
}

bool says(std::string_view text, std::string_view what) {
    const std::string message = error_of(text);
    CAPTURE(message);
    return message.find(what) != std::string::npos;
}

/// docs/pypi-semantics.md, "Differences from packaging".
bool differs_from_packaging(std::string_view text) {
    const bool is_star_bound =
        text.find(".*") != std::string_view::npos && text.find_first_of("<>") < text.size();
    const std::size_t underscore = text.find('_');
    const bool ends_in_underscore =
        underscore < text.size() &&
        (underscore + 1 == text.size() || !chm::is_alphanumeric(text[underscore + 1]));
    const bool is_text_identity = text.find("name==='") < text.size() ||
                                  text.find("name === ") < text.size() ||
                                  text.find("platform==='") < text.size();
    return is_star_bound || ends_in_underscore || is_text_identity;
}

}  // namespace

TEST_CASE("pypi requirement: parts are those that packaging finds") {
    const std::string table = chm::test::read_data("pypi/requirement.tsv");
    std::size_t compared = 0;
    for (const auto& row : chm::test::rows_of(table, 7)) {
        CAPTURE(row[0]);
        const auto parsed = Requirement::parse(row[0]);
        if (parsed.has_value() == (row[1] == "ERR") && differs_from_packaging(row[0])) {
            continue;
        }
        CAPTURE((parsed ? "" : parsed.error().message));
        CHECK(parsed.has_value() == (row[1] != "ERR"));
        if (!parsed || row[1] == "ERR") {
            continue;
        }
        ++compared;
        CHECK(parsed->name == row[1]);
        CHECK(fmt::format("{}", fmt::join(parsed->extras, ",")) == row[2]);
        CHECK(parsed->versions.to_text() == row[3]);
        CHECK(parsed->url == row[4]);
        CHECK(parsed->marker.has_value() == (row[5] == "1"));
        const auto again = Requirement::parse(parsed->to_text());
        REQUIRE(again.has_value());
        CHECK(*again == *parsed);
        CHECK(again->to_text() == parsed->to_text());
    }
    CHECK(compared > 600);
}

TEST_CASE("pypi requirement: canonical text") {
    CHECK(requirement("Torch_Vision [B,a_1,b] ( >=1.0 , <2 ) ; os_name=='nt'").to_text() ==
          "torch-vision[a-1,b]<2,>=1.0; os_name == \"nt\"");
    CHECK(requirement("a @ https://h/x.whl").to_text() == "a @ https://h/x.whl");
    CHECK(requirement("a[x]@https://h/x.whl ;os_name=='nt'").to_text() ==
          "a[x] @ https://h/x.whl ; os_name == \"nt\"");
    CHECK(requirement(" a ").to_text() == "a");
    CHECK(requirement("a[]").to_text() == "a");
}

TEST_CASE("pypi requirement: real ones of torch") {
    const Requirement nccl = requirement(
        "nvidia-nccl-cu12==2.21.5; platform_system == \"Linux\" and platform_machine == "
        "\"x86_64\"");
    CHECK(nccl.name == "nvidia-nccl-cu12");
    CHECK(nccl.marker->evaluate(*MarkerEnvironment::for_target("linux-64", "3.11")));
    CHECK_FALSE(nccl.marker->evaluate(*MarkerEnvironment::for_target("linux-aarch64", "3.11")));
    CHECK_FALSE(nccl.marker->evaluate(*MarkerEnvironment::for_target("win-64", "3.11")));
    const Requirement optree = requirement("optree>=0.13.0; extra == \"optree\"");
    const std::vector<std::string> extras{"optree"};
    CHECK(optree.marker->evaluate(*MarkerEnvironment::for_target("linux-64", "3.11"), extras));
    CHECK_FALSE(optree.marker->evaluate(*MarkerEnvironment::for_target("linux-64", "3.11")));
    CHECK(requirement("torch (==2.7.1+cu128)")
              .versions.contains(*chm::pypi::Version::parse("2.7.1+cu128")));
}

TEST_CASE("pypi requirement: only white space ends a URL") {
    CHECK(requirement("a @ https://h/x;os_name=='nt'").url == "https://h/x;os_name=='nt'");
    CHECK(requirement("a @ https://h/x ;os_name=='nt'").url == "https://h/x");
    CHECK(says("a @", "offset 3: a URL is expected"));
    CHECK(says("a @ https://h/x y", "offset 16: ';' and a marker"));
}

TEST_CASE("pypi requirement: an error says where") {
    CHECK(says("", "offset 0: a name begins with"));
    CHECK(says("-a", "offset 0: a name begins with"));
    CHECK(says("a-", "offset 1: a name ends in"));
    CHECK(says("a b", "offset 2: an operator is expected"));
    CHECK(says("a >=1 <2", "offset 5"));
    CHECK(says("a >=1,,<2", "offset 6: a clause such as"));
    CHECK(says("a (>=1", "offset 6: ')' is missing"));
    CHECK(says("a [b", "offset 4: ',' or ']' is expected"));
    CHECK(says("a [b,]", "offset 5: the name of an extra"));
    CHECK(says("a [b c]", "offset 5: ',' or ']' is expected"));
    CHECK(says("a; os_nam == 'nt'", "offset 3: no variable"));
    CHECK(says("a;", "offset 2: a comparison is expected"));
    CHECK(says("a\n>=1", "offset 1: a line break"));
}

TEST_CASE("pypi requirement: no message gives a URL away") {
    for (const std::string text : {"a @ https://user:secret@h/x y",
                                   "a @ https://user:secret@h/x ; os_nam == 'nt'",
                                   "https://user:secret@h/x",
                                   "git+https://secret@h/x",
                                   "a[x @ https://user:secret@h/x",
                                   "a >= https://user:secret@h/x",
                                   "a; os_name == 'https://user:secret@h/x",
                                   "a; sys_platform ~= 'https://user:secret@h/x'"}) {
        CAPTURE(text);
        CHECK(error_of(text).find("secret") == std::string::npos);
    }
}

TEST_CASE("pypi requirement: hostile texts are errors, in linear time") {
    const auto start = std::chrono::steady_clock::now();
    for (const std::string& text : {std::string("a\0b", 3),
                                    std::string("a; os_name == '\xff'"),
                                    "a" + std::string(1 << 20, 'b'),
                                    "a>=1" + std::string(1 << 20, '0'),
                                    "a " + std::string(10000, '('),
                                    "a; " + std::string(10000, '(') + "os_name == 'nt'",
                                    "a[" + std::string(60000, ','),
                                    "a @ " + std::string(1 << 20, 'x')}) {
        error_of(text);
    }
    std::string many = "a[b";
    while (many.size() + 3 < chm::pypi::k_max_text) {
        many += ",b";
    }
    CHECK(requirement(many + "]").extras.size() == 1);
    CHECK(std::chrono::steady_clock::now() - start < chm::test::k_patience);
}
