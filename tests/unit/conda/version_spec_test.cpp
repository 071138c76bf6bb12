// Version specs: the answers on which all solvers agree, and the decisions of
// docs/conda-semantics.md where they do not.
#include "conda/version_spec.hpp"

#include "unit/conda/vectors.hpp"

#include <doctest/doctest.h>

#include <array>
#include <random>
#include <string>
#include <string_view>

using chm::conda::Version;
using chm::conda::VersionSpec;

namespace {

VersionSpec spec(std::string_view text) {
    auto parsed = VersionSpec::parse(text);
    REQUIRE_MESSAGE(parsed.has_value(), text.substr(0, 200));
    return std::move(*parsed);
}

/// "1", "0", or "ERR" when the spec is malformed.
std::string answer(std::string_view text, std::string_view version) {
    const auto parsed = VersionSpec::parse(text);
    if (!parsed) {
        return "ERR";
    }
    const auto candidate = Version::parse(version);
    REQUIRE_MESSAGE(candidate.has_value(), version);
    const bool matches = parsed->matches(*candidate);
    // What is printed means the same.
    CHECK_MESSAGE(spec(parsed->to_text()) == *parsed, parsed->to_text());
    CHECK_MESSAGE(spec(parsed->to_text()).matches(*candidate) == matches, parsed->to_text());
    return matches ? "1" : "0";
}

bool takes(std::string_view text, std::string_view version) {
    const std::string result = answer(text, version);
    REQUIRE_MESSAGE(result != "ERR", text);
    return result == "1";
}

std::string canonical(std::string_view text) {
    std::string printed = spec(text).to_text();
    CHECK(spec(printed).to_text() == printed);
    CHECK(spec(printed) == spec(text));
    return printed;
}

}  // namespace

TEST_CASE("version spec: answers on which all solvers agree") {
    const std::string text = chm::test::read_vectors("version_spec.tsv");
    std::size_t agreed = 0;
    for (const auto& row : chm::test::rows_of(text, 7)) {
        // For "!=1.0*" they agree on some versions for different wrong reasons; see the next test.
        if (row[6] == "yes" && row[0] != "!=1.0*") {
            ++agreed;
            CHECK_MESSAGE(answer(row[0], row[1]) == row[2], row[0] << " on " << row[1]);
        }
    }
    CHECK(agreed > 1'400);
}

TEST_CASE("version spec: answers on which solvers disagree") {
    struct Row {
        std::string_view spec;
        std::string_view version;
        std::string_view answer;
    };
    constexpr std::array<Row, 98> k_rows{{
        // A fuzzy version takes letters after its last number, as openssl's 1.1.1w needs.
        {"=1.0", "1.0a", "1"},
        {"=1.0", "1.0rc1", "1"},
        {"=1.0", "1.0post1", "1"},
        {"=1.0", "1.0dev", "1"},
        {"1.0.*", "1.0a", "1"},
        {"1.0.*", "1.0rc1", "1"},
        {"1.0.*", "1.0post1", "1"},
        {"1.0*", "1.0a", "1"},
        {"1.0*", "1.0dev", "1"},
        {"1.1.1*", "1.1.1w", "1"},
        {"1.1*", "1.1_", "1"},
        {"1.1_*", "1.1", "0"},
        {"1.0rc*", "1.0rc1", "1"},
        {"=1.0rc", "1.0rc1", "1"},
        {"!=1.0.*", "1.0rc1", "0"},
        {"1.0.*|2.*", "1.0rc1", "1"},
        // "==" with a glob is fuzzy.
        {"==1.0.*", "1.0.1", "1"},
        {"==1.0.*", "1.0a", "1"},
        {"==1.0.*", "1.1", "0"},
        // "!=" is exact without a glob, fuzzy with one.
        {"!=1.0", "1.0.1", "1"},
        {"!=1.0", "1.0.0", "0"},
        {"!=1.0*", "1.0", "0"},
        {"!=1.0*", "1.0.1", "0"},
        {"!=1.0*", "1.0a", "0"},
        {"!=1.0*", "1.1", "1"},
        // Spaces.
        {"> 1.0", "1.0.1", "1"},
        {"> 1.0", "1.0", "0"},
        {"> 1.0", "1.0+local", "0"},
        {">= 1.0 , < 2 | == 3", "3.0", "1"},
        {">=\t1.0", "1.0", "1"},
        // '*' after an ordering operator is dropped.
        {">=1.0.*", "1.0", "1"},
        {">=1.0.*", "1.0rc1", "0"},
        {">=1.0.*", "1.0.0rc1", "0"},
        {">1.0.*", "1.0", "0"},
        {">1.0.*", "1.0.1", "1"},
        {">1.0.*", "1.1", "1"},
        {"<1.0.*", "1.0", "0"},
        {"<1.0.*", "1.0a", "1"},
        {"<=1.0.*", "1.0", "1"},
        {"<=1.0.*", "1.0.1", "0"},
        {">1.0*", "1.0", "0"},
        // "~="
        {"~=1", "1.0", "1"},
        {"~=1", "2.5.1", "1"},
        {"~=1", "0.9", "0"},
        {"~=1", "1!1.0", "0"},
        {"~=1.0.0", "1.0post1", "0"},
        {"~=1.0.0", "1.0.5", "1"},
        {"~=1.0.0", "1.1", "0"},
        {"~=1.0rc1", "1.0+local", "1"},
        {"~=1.0.*", "1.0", "ERR"},
        // A '*' before the end makes a glob on the text.
        {"1.*.0", "1.0.0", "1"},
        {"1.*.0", "1.5.0", "1"},
        {"1.*.0", "1.0", "0"},
        {"*.0", "1.0", "1"},
        {"*.0", "1!1.0", "1"},
        {"*.0", "1.00", "0"},
        {"1.*.*", "1.0", "0"},
        {"1.*.*", "1.0.1", "1"},
        {"=1.*.0", "1.5.0", "1"},
        {"==1.*.0", "1.5.0", "1"},
        {"!=1.*.0", "1.5.0", "0"},
        {"!=1.*.0", "1.0", "1"},
        {">1.*.0", "1.0", "ERR"},
        {"1.*.A", "1.2.a", "1"},
        // Regular expressions.
        {R"(^1\.8.*$)", "1.8.3", "1"},
        {R"(^1\.8.*$)", "1.9", "0"},
        {R"(^1\.0$)", "1.0", "1"},
        {R"(^1\.0$)", "1.0.0", "0"},
        {R"(^1\.(8|9)$|2.0)", "1.9", "1"},
        {R"(^1\.(8|9)$|2.0)", "2.0", "1"},
        {R"(^(1,)?1\.8$,>1)", "1.8", "1"},
        // Junk.
        {"", "1.0", "ERR"},
        {"1.0,", "1.0", "ERR"},
        {"1.0|", "1.0", "ERR"},
        {",1.0", "1.0", "ERR"},
        {"=", "1.0", "ERR"},
        {"==", "1.0", "ERR"},
        {"=>1.0", "1.0", "ERR"},
        {"===1.0", "1.0", "ERR"},
        {"<>1.0", "1.0", "ERR"},
        {"!1.0", "1.0", "ERR"},
        {"=1.0=", "1.0", "ERR"},
        {"1.0@x", "1.0", "ERR"},
        {"1**", "1.0", "ERR"},
        {"1.0.**", "1.0", "ERR"},
        {">*", "1.0", "ERR"},
        {"!=*", "1.0", "ERR"},
        // The local part: none is like "+0", letters come before it.
        {">=2.5.1", "2.5.1+cu121", "0"},
        {"<2.5.1", "2.5.1+cu121", "1"},
        {"<=2.5.1", "2.5.1+cu121", "1"},
        {">2.5.1", "2.5.1+cu121", "0"},
        {"==2.5.1", "2.5.1+cu121", "0"},
        {"=2.5.1", "2.5.1+cu121", "1"},
        {">=1.0", "1.0+local", "0"},
        {"=1.0+local", "1.0", "0"},
        {"=*", "1.0", "1"},
        {"==*", "1.0", "1"},
        {">=2.5,<3", "2.5.1+cu121", "1"},
    }};
    for (const Row& row : k_rows) {
        CHECK_MESSAGE(answer(row.spec, row.version) == row.answer,
                      row.spec << " on " << row.version);
    }
}

TEST_CASE("version spec: ',' binds tighter than '|', parentheses tighter still") {
    CHECK(takes("1|2,3", "1"));
    CHECK(takes(">=1,<2|3.0", "3.0"));
    CHECK(takes("3.0|>=1,<2", "3.0"));
    CHECK_FALSE(takes(">=1,(<2|3.0)", "2.5"));
    CHECK(takes(">=1,(<2|3.0)", "3.0"));
    CHECK_FALSE(takes("(3.0|1),>=2", "1"));
    CHECK(takes("((1.5|((1.6|1.7), 1.8), 1.9 |2.0))|2.1", "2.1"));
    CHECK(takes("((1.5|((1.6|1.7), 1.8), 1.9 |2.0))|2.1", "1.5"));
    CHECK_FALSE(takes("((1.5|((1.6|1.7), 1.8), 1.9 |2.0))|2.1", "1.6"));
    CHECK(takes("1|2|3|4", "4"));
    CHECK(takes("!=1,!=2|==1", "1"));
}

TEST_CASE("version spec: any") {
    CHECK(VersionSpec().is_any());
    CHECK(VersionSpec() == spec(" * "));
    CHECK(VersionSpec().to_text() == "*");
    CHECK(takes("*", "1!0dev"));
    CHECK(takes("*|1.0", "7"));
    CHECK_FALSE(takes("*,1.0", "7"));
    CHECK_FALSE(spec("1.0").is_any());
}

TEST_CASE("version spec: canonical text") {
    CHECK(canonical("1.0") == "==1.0");
    CHECK(canonical(" == 1.0-RC1 ") == "==1.0_rc1");
    CHECK(canonical("1.0.*") == "=1.0");
    CHECK(canonical("1.0*") == "=1.0");
    CHECK(canonical("==1.0.*") == "=1.0");
    CHECK(canonical("!=1.0*") == "!=1.0.*");
    CHECK(canonical("> 1.0 , <2") == ">1.0,<2");
    CHECK(canonical(">=1.0.*") == ">=1.0");
    CHECK(canonical("~=1.4.2") == "~=1.4.2");
    CHECK(canonical("~=1.4|~=2,<3") == "~=1.4|~=2,<3");
    CHECK(canonical("(~=1.4)") == "~=1.4");
    CHECK(canonical("=1.*.0") == "1.*.0");
    CHECK(canonical("!=1.*.0") == "!=1.*.0");
    CHECK(canonical(R"(^1\.\D$)") == R"(^1\.\D$)");
    CHECK(canonical("((*))") == "*");
    CHECK(canonical("=*") == "*");
    CHECK(canonical("(>=1,<2)|3") == ">=1,<2|==3");
    CHECK(canonical("(1|2)|3") == "==1|==2|==3");
    CHECK(canonical("((1|2)),3") == "(==1|==2),==3");
    CHECK(canonical("3,((1|2))") == "==3,(==1|==2)");
    CHECK(canonical("(1,(2|3)),4") == "==1,(==2|==3),==4");
    CHECK(canonical("((1.5|((1.6|1.7), 1.8), 1.9 |2.0))|2.1") ==
          "==1.5|(==1.6|==1.7),==1.8,==1.9|==2.0|==2.1");
    CHECK(spec("1.0.*") == spec("=1.0"));
    CHECK(spec("1.0") != spec("=1.0"));
}

TEST_CASE("version spec: one exact or one fuzzy version") {
    CHECK(spec("1.0").is_exact());
    CHECK(spec("==1.0").is_exact());
    CHECK(spec("(1.0)").is_exact() == false);
    CHECK_FALSE(spec("1.0.*").is_exact());
    CHECK_FALSE(spec("1.0|2").is_exact());
    CHECK_FALSE(VersionSpec().is_exact());
    CHECK(spec("=1.0").is_fuzzy());
    CHECK(spec("==1.0.*").is_fuzzy());
    CHECK_FALSE(spec("1.*.0").is_fuzzy());
    CHECK_FALSE(spec("~=1.0").is_fuzzy());
    CHECK_FALSE(VersionSpec().is_fuzzy());
}

TEST_CASE("version spec: an error tells the offset of what is wrong") {
    struct Row {
        std::string_view text;
        std::size_t offset;
    };
    constexpr std::array<Row, 26> k_rows{
        {{"", 0},         {"  ", 2},     {"1.0,", 4},        {",1.0", 0},    {"1.0,,2", 4},
         {"1.0||2", 4},   {">=", 2},     {">= |2", 2},       {"1,=>1.0", 2}, {"===1.0", 0},
         {"!1.0", 0},     {">1.0@x", 4}, {">=1, > 2..0", 9}, {"=1.0=", 4},   {"1.0 1", 3},
         {"1.0 *", 3},    {"(1.0", 0},   {"1,(2,(3)", 2},    {"1.0)", 3},    {"()", 1},
         {"1(2)", 1},     {"(1)2", 3},   {"1,^2", 2},        {"^1$2", 3},    {">1.*.2", 3},
         {"1,^(?=a)$", 2}}};
    for (const Row& row : k_rows) {
        const auto parsed = VersionSpec::parse(row.text);
        REQUIRE_MESSAGE(!parsed.has_value(), row.text);
        CHECK(parsed.error().kind == chm::ErrorKind::parse);
        const std::string expected = "offset " + std::to_string(row.offset) + ":";
        CHECK_MESSAGE(parsed.error().message.find(expected) != std::string::npos,
                      parsed.error().message);
    }
    CHECK(VersionSpec::parse(">=1.0,<2..0").error().message ==
          "version spec '>=1.0,<2..0', offset 9: a segment without number or letters");
}

TEST_CASE("version spec: what is odd is told") {
    CHECK(spec(">=1.8.*").warnings().empty());
    CHECK(spec("1.8.*").warnings().empty());
    CHECK(VersionSpec().warnings().empty());
    REQUIRE(spec("<2|> 1.8.*").warnings().size() == 1);
    CHECK(spec("<2|> 1.8.*").warnings()[0] == "'> 1.8.*': '*' after '>' is ignored; write '>1.8'");
}

TEST_CASE("version spec: parentheses are bounded") {
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '(') + "1" + std::string(depth, ')');
    };
    CHECK(spec(nested(64)).to_text() == "==1");
    const auto parsed = VersionSpec::parse(nested(10'000));
    REQUIRE_FALSE(parsed.has_value());
    CHECK(parsed.error().message.find("more than 64 parentheses") != std::string::npos);
    CHECK_FALSE(VersionSpec::parse(std::string(1'000'000, '(')).has_value());
}

TEST_CASE("version spec: a megabyte is read in no time") {
    constexpr std::size_t k_size = std::size_t{1} << 20;
    const auto repeated = [](std::string text, std::string_view more) {
        while (text.size() < k_size) {
            text += more;
        }
        return text;
    };
    const std::string alternatives = repeated("1", "|1");
    const std::string groups = repeated("(1|2)", ",(2|1)");
    const VersionSpec parsed = spec(alternatives + "|7");
    CHECK(parsed.matches(*Version::parse("7")));
    CHECK(parsed.to_text().size() > k_size);
    CHECK(spec(groups).matches(*Version::parse("1")));
    CHECK_FALSE(VersionSpec::parse(std::string(k_size, '|')).has_value());
    CHECK_FALSE(VersionSpec::parse(std::string(k_size, '*')).has_value());
    CHECK_FALSE(VersionSpec::parse(std::string(k_size, '^')).has_value());
    CHECK_FALSE(VersionSpec::parse("1" + std::string(2 * k_size, ' ')).has_value());
    CHECK_FALSE(VersionSpec::parse(repeated("^1$", "|^(.{9}){9}$")).has_value());
}

TEST_CASE("version spec: printing and parsing again changes nothing") {
    std::mt19937 random(6);
    constexpr std::array<std::string_view, 17> k_clauses{"1.0",
                                                         "=1.0",
                                                         "1.*",
                                                         "!=1.0",
                                                         "!=1.0.*",
                                                         "<1.1",
                                                         "<=1.0",
                                                         ">1.0",
                                                         ">=1.0",
                                                         "~=1.0.0",
                                                         "1.*.0",
                                                         "*",
                                                         "^1.*$",
                                                         "> 1.1",
                                                         "1.0-RC",
                                                         "1!2",
                                                         "1.0+a"};
    constexpr std::array<std::string_view, 8> k_versions{
        "1.0", "1.0.0", "1.0.1", "1.1", "1.0rc", "1!2", "1.0+a", "2"};
    const auto make = [&](auto& self, int depth) -> std::string {
        std::string text;
        for (auto count = 1 + random() % 3; count > 0; --count) {
            text += text.empty() ? "" : random() % 2 == 0 ? "," : " | ";
            text += depth < 4 && random() % 3 == 0
                        ? "(" + self(self, depth + 1) + ")"
                        : std::string(k_clauses[random() % k_clauses.size()]);
        }
        return text;
    };
    for (int i = 0; i < 5'000; ++i) {
        const std::string text = make(make, 0);
        canonical(text);
        takes(text, k_versions[random() % k_versions.size()]);
    }
}

TEST_CASE("version spec: hostile bytes give a spec or an error") {
    std::mt19937 random(7);
    const Version candidate = *Version::parse("1.0.1");
    constexpr std::string_view k_likely = "0011..*a_=<>!~,|()^$ +-";
    std::size_t accepted = 0;
    for (int i = 0; i < 100'000; ++i) {
        std::string text;
        for (auto length = random() % 12; length > 0; --length) {
            text += random() % 32 == 0 ? static_cast<char>(random() % 256)
                                       : k_likely[random() % k_likely.size()];
        }
        const auto parsed = VersionSpec::parse(text);
        if (parsed) {
            ++accepted;
            const VersionSpec again = spec(parsed->to_text());
            REQUIRE_MESSAGE(again == *parsed, text);
            REQUIRE_MESSAGE(again.matches(candidate) == parsed->matches(candidate), text);
        }
    }
    CHECK(accepted > 1'000);
}
