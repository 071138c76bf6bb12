// Version specifiers: the answers of pypa/packaging (tests/data/pypi) but for the differences that
// docs/pypi-semantics.md lists, and the rules of PEP 440 one by one.
#include "pypi/version_specifier.hpp"

#include "unit/pypi/vectors.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

using chm::pypi::PrereleasePolicy;
using chm::pypi::Version;
using chm::pypi::VersionSpecifierSet;

namespace {

VersionSpecifierSet set(std::string_view text) {
    auto parsed = VersionSpecifierSet::parse(text);
    REQUIRE_MESSAGE(parsed.has_value(), text);
    return std::move(*parsed);
}

bool takes(std::string_view specifier,
           std::string_view version,
           PrereleasePolicy policy = PrereleasePolicy::allow) {
    return set(specifier).contains(*Version::parse(version), policy);
}

std::string error_of(std::string_view text) {
    const auto parsed = VersionSpecifierSet::parse(text);
    REQUIRE_FALSE_MESSAGE(parsed.has_value(), text);
    CHECK(parsed.error().kind == chm::ErrorKind::parse);
    return parsed.error().message;
}

/// docs/pypi-semantics.md, "Differences from packaging".
bool differs_from_packaging(std::string_view specifier) {
    const bool is_star_bound = specifier.find(".*") != std::string_view::npos &&
                               (specifier.find(">=") != std::string_view::npos ||
                                specifier.find('<') != std::string_view::npos);
    const bool is_parenthesised = specifier.find('(') != std::string_view::npos;
    const bool is_empty_arbitrary = specifier.ends_with("===");
    return is_star_bound || is_parenthesised || is_empty_arbitrary;
}

}  // namespace

TEST_CASE("pypi specifier: the answers are packaging's") {
    const std::string table = chm::test::read_data("pypi/specifier.tsv");
    std::size_t compared = 0;
    for (const auto& row : chm::test::rows_of(table, 5)) {
        CAPTURE(row[0]);
        CAPTURE(row[1]);
        const auto parsed = VersionSpecifierSet::parse(row[0]);
        if (parsed.has_value() == (row[2] == "ERR") && differs_from_packaging(row[0])) {
            continue;
        }
        REQUIRE(parsed.has_value() == (row[2] != "ERR"));
        if (!parsed) {
            continue;
        }
        ++compared;
        const auto version = Version::parse(row[1]);
        REQUIRE(version.has_value());
        CHECK(parsed->names_prerelease() == (row[2] == "1"));
        CHECK(parsed->contains(*version, PrereleasePolicy::allow) == (row[3] == "1"));
        const auto again = VersionSpecifierSet::parse(parsed->to_text());
        REQUIRE(again.has_value());
        CHECK(*again == *parsed);
        CHECK(again->to_text() == parsed->to_text());
        CHECK(again->contains(*version, PrereleasePolicy::allow) == (row[3] == "1"));
    }
    CHECK(compared > 8000);
}

TEST_CASE("pypi specifier: < and > leave out what belongs to their version") {
    CHECK(takes(">1.7", "1.7.1"));
    CHECK_FALSE(takes(">1.7", "1.7"));
    CHECK_FALSE(takes(">1.7", "1.7.0.post1"));
    CHECK_FALSE(takes(">1.7", "1.7+cu121"));
    CHECK(takes(">1.7.post1", "1.7.post2"));
    CHECK_FALSE(takes(">1.7.post1", "1.7.post1+local"));
    CHECK_FALSE(takes(">1.7.post1", "1.7.post1.dev3"));
    CHECK_FALSE(takes(">1.7rc1", "1.7rc1.post1"));
    CHECK(takes(">1.7rc1", "1.7rc2.dev1"));
    CHECK(takes(">1.7.dev1", "1.7.dev2"));
    CHECK(takes("<1.7", "1.6.99"));
    CHECK_FALSE(takes("<1.7", "1.7rc1"));
    CHECK_FALSE(takes("<1.7", "1.7.0.dev1"));
    CHECK(takes("<1.7rc2", "1.7rc1"));
    CHECK(takes("<1.7.post1", "1.7+cu121"));
    CHECK_FALSE(takes("<1.7.post1", "1.7.post1.dev1"));
    CHECK_FALSE(takes("<0", "0.dev1"));
    CHECK(takes("<1!0", "9999"));
}

TEST_CASE("pypi specifier: local versions count only where the clause has one") {
    CHECK(takes("==2.7.1", "2.7.1+cu128"));
    CHECK_FALSE(takes("!=2.7.1", "2.7.1+cu128"));
    CHECK(takes("<=2.7.1", "2.7.1+cu128"));
    CHECK(takes(">=2.7.1", "2.7.1+cu128"));
    CHECK(takes("~=2.7.1", "2.7.1+cu128"));
    CHECK(takes("==2.7.*", "2.7.1+cu128"));
    CHECK(takes("==2.7.1+cu128", "2.7.1+CU128"));
    CHECK_FALSE(takes("==2.7.1+cu128", "2.7.1"));
    CHECK_FALSE(takes("==2.7.1+cu128", "2.7.1+cu128.1"));
    CHECK(takes("!=2.7.1+cu128", "2.7.1"));
    for (const std::string_view op : {"<=", ">=", "<", ">", "~="}) {
        CHECK(error_of(std::string(op) + "2.7.1+cu128").find("goes only with == and !=") !=
              std::string::npos);
    }
}

TEST_CASE("pypi specifier: prefixes") {
    CHECK(takes("==1.1.*", "1.1"));
    CHECK(takes("==1.1.*", "1.1.dev1"));
    CHECK(takes("==1.1.*", "1.1a1"));
    CHECK(takes("==1.1.*", "1.1.post1"));
    CHECK_FALSE(takes("==1.1.*", "1.10"));
    CHECK_FALSE(takes("==1.9.*", "1.10.dev0"));
    CHECK(takes("==1.99.*", "1.99.5"));
    CHECK_FALSE(takes("==1.99.*", "1.100"));
    CHECK(takes("==1.0.*", "1"));
    CHECK(takes("==1.0.0.*", "1.0"));
    CHECK_FALSE(takes("==1.0.*", "1.1"));
    CHECK(takes("==0.*", "0.9"));
    CHECK_FALSE(takes("==1.*", "1!1.5"));
    CHECK(takes("==1!9.*", "1!9.1"));
    CHECK_FALSE(takes("==1!9.*", "1!10"));
    CHECK_FALSE(takes("!=1.1.*", "1.1.5"));
    CHECK(takes("!=1.1.*", "1.2"));
    CHECK(takes("~=1.4.5", "1.4.9"));
    CHECK_FALSE(takes("~=1.4.5", "1.5"));
    CHECK_FALSE(takes("~=1.4.5", "1.5.dev0"));
    CHECK(takes("~=1.4", "1.99"));
    CHECK_FALSE(takes("~=1.4.0", "1.5"));
    CHECK(takes("~=1.4.5a4", "1.4.5"));
    CHECK(takes("~=2.2.post3", "2.3"));
    CHECK(takes("~=1!1.4", "1!1.5"));
}

TEST_CASE("pypi specifier: === compares text, letter case aside") {
    CHECK(takes("===1.0", "1.0"));
    CHECK_FALSE(takes("===1.0", "1.0.0"));
    CHECK_FALSE(takes("===1.0", "1.0+cpu"));
    CHECK(takes("===1.0RC1", "1.0rc1"));
    CHECK_FALSE(takes("===1.0-rc1", "1.0rc1"));
    CHECK_FALSE(takes("===any", "1.0"));
    CHECK(set("=== Foo").to_text() == "===Foo");
}

TEST_CASE("pypi specifier: pre-releases only where a clause names one, or the policy says so") {
    CHECK_FALSE(takes(">=1.0", "1.1rc1", PrereleasePolicy::as_specified));
    CHECK_FALSE(takes(">=1.0", "1.1.dev1", PrereleasePolicy::as_specified));
    CHECK(takes(">=1.0", "1.1.post1", PrereleasePolicy::as_specified));
    CHECK(takes(">=1.0rc1", "1.1rc1", PrereleasePolicy::as_specified));
    CHECK(takes(">=1.0rc1,<2", "1.1rc1", PrereleasePolicy::as_specified));
    CHECK_FALSE(takes("!=1.0rc1", "1.1rc1", PrereleasePolicy::as_specified));
    CHECK_FALSE(takes("", "1.1rc1", PrereleasePolicy::as_specified));
    CHECK(takes("", "1.1rc1", PrereleasePolicy::allow));
    CHECK_FALSE(takes(">=1.0rc1", "1.1rc1", PrereleasePolicy::exclude));
    CHECK(takes(">=1.0rc1", "1.1", PrereleasePolicy::exclude));
}

TEST_CASE("pypi specifier: sets have one text") {
    CHECK(set(" >= 1.0 , <2, >=1.0 ").to_text() == "<2,>=1.0");
    CHECK(set("(>=1.0)").to_text() == ">=1.0");
    CHECK(set("( ~= v1.0.Alpha-1, )").to_text() == "~=1.0a1");
    CHECK(set("").to_text().empty());
    CHECK(set(" , ,").empty());
    CHECK(set("==1.0-1").to_text() == "==1.0.post1");
    CHECK(set("!=3.0.*,!=3.1.*,>=2.7").clauses().size() == 3);
    CHECK(set(">=1,<2") == set("<2,>=1"));
    CHECK_FALSE(set(">=1") == set(">=1.0"));
    CHECK(set("~=1.4").clauses()[0].op() == chm::pypi::SpecifierOperator::compatible);
    CHECK(set("==1.4.*").clauses()[0].operand() == "1.4.*");
}

TEST_CASE("pypi specifier: >= and < with .* are read, and warned of") {
    CHECK(set(">=3.6.*").to_text() == ">=3.6");
    CHECK(set("<4.*").to_text() == "<4");
    CHECK(set(">=3.6.*").clauses()[0].warning() == "'>=3.6.*' is no valid clause; read as '>=3.6'");
    CHECK(set(">=3.6").clauses()[0].warning().empty());
    CHECK(error_of("<=3.6.*").find("'.*' goes only with") != std::string::npos);
    CHECK(error_of(">3.6.*").find("'.*' goes only with") != std::string::npos);
    CHECK(error_of("~=3.6.*").find("'.*' goes only with") != std::string::npos);
}

TEST_CASE("pypi specifier: an error says where") {
    CHECK(error_of("1.0").find("offset 0: an operator is expected") != std::string::npos);
    CHECK(error_of("=1.0").find("offset 0: an operator is expected") != std::string::npos);
    CHECK(error_of(">=1.0,<x").find("offset 7") != std::string::npos);
    CHECK(error_of(">=").find("offset 2: a version is missing") != std::string::npos);
    CHECK(error_of(">=1.0 <2").find("offset 5") != std::string::npos);
    CHECK(error_of("~=1").find("two numbers or more") != std::string::npos);
    CHECK(error_of("==1.0rc1.*").find("offset 8: '.*' follows a release alone") !=
          std::string::npos);
    CHECK(error_of("(>=1.0").find("offset 6: ')' is missing") != std::string::npos);
    CHECK(error_of("*").find("offset 0") != std::string::npos);
    CHECK(error_of("===a b").find("offset 4") != std::string::npos);
}

TEST_CASE("pypi specifier: hostile texts are errors, in linear time") {
    const auto start = std::chrono::steady_clock::now();
    for (const std::string& text : {std::string(">=1.0\0", 6),
                                    std::string("===\x01"),
                                    std::string("===\xff"),
                                    ">=1" + std::string(1 << 20, '0'),
                                    std::string(10000, '(') + ">=1" + std::string(10000, ')'),
                                    std::string(1 << 20, ','),
                                    "==1" + std::string(60000, '9') + ".*.*"}) {
        error_of(text);
    }
    CHECK(set("==1" + std::string(60000, '9') + ".*").clauses().size() == 1);
    std::string many = ">=1";
    while (many.size() + 5 < chm::pypi::k_max_text) {
        many += ",!=2";
    }
    CHECK(set(many).clauses().size() == 2);
    CHECK(std::chrono::steady_clock::now() - start < chm::test::k_patience);
}
