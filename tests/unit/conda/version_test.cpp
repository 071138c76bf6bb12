// Versions: conda's order on the vectors of tests/data/vectors, the decisions of
// docs/conda-semantics.md, and the packed key against a slow comparison that follows CEP 33 word by
// word.
#include "conda/version.hpp"

#include "unit/conda/slow_version.hpp"
#include "unit/conda/vectors.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <compare>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using chm::conda::Version;
using chm::conda::VersionPrefix;
using chm::test::slow_compare;
using chm::test::slow_segments;

namespace {

Version version(std::string_view text) {
    auto parsed = Version::parse(text);
    REQUIRE_MESSAGE(parsed.has_value(), text);
    return std::move(*parsed);
}

/// "-1", "0", "1", or "ERR" when one of the two is no version.
std::string order(std::string_view a, std::string_view b) {
    const auto left = Version::parse(a);
    const auto right = Version::parse(b);
    if (!left || !right) {
        return "ERR";
    }
    CHECK((*left == *right) == (*left <=> *right == 0));
    return *left < *right ? "-1" : *left > *right ? "1" : "0";
}

template <std::size_t N>
std::string_view pick(std::mt19937& random, const std::array<std::string_view, N>& choices) {
    return choices[random() % N];
}

/// Segments as slow_segments takes them; now and then one far away, or a number of hundreds of
/// digits.
std::string random_segments(std::mt19937& random) {
    constexpr std::array<std::string_view, 14> k_words{
        "0", "1", "2", "10", "00", "01", "a", "b", "rc", "dev", "post", "devx", "postx", "0"};
    std::string text;
    const auto segments = 1 + random() % 4;
    for (std::size_t i = 0; i < segments; ++i) {
        text += i == 0 ? "" : ".";
        if (i > 0 && random() % 20 == 0) {
            for (std::size_t zeros = 245 + random() % 12; zeros > 0; --zeros) {
                text += "0.";
            }
        }
        for (auto words = 1 + random() % 4; words > 0; --words) {
            text += pick(random, k_words);
        }
        if (random() % 20 == 0) {
            text += std::string(1 + random() % 18, '7') + std::string(random() % 3 * 120, '8');
        }
    }
    return text;
}

bool takes(std::string_view prefix, std::string_view text) {
    const auto parsed = VersionPrefix::parse(prefix, {"version spec", prefix});
    REQUIRE_MESSAGE(parsed.has_value(), prefix);
    return parsed->matches(version(text));
}

bool takes_compatible(std::string_view prefix, std::string_view text) {
    const auto parsed = VersionPrefix::parse_compatible(prefix, {"version spec", prefix});
    REQUIRE_MESSAGE(parsed.has_value(), prefix);
    return parsed->matches(version(text));
}

}  // namespace

TEST_CASE("version: corner cases on which all solvers agree") {
    const std::string text = chm::test::read_vectors("version_order_corner.tsv");
    std::size_t agreed = 0;
    for (const auto& row : chm::test::rows_of(text, 7)) {
        if (row[6] == "yes") {
            ++agreed;
            CHECK_MESSAGE(order(row[0], row[1]) == row[2], row[0] << " and " << row[1]);
        }
    }
    CHECK(agreed == 51);
}

TEST_CASE("version: corner cases on which solvers disagree") {
    struct Row {
        std::string_view a;
        std::string_view b;
        std::string_view order;
    };
    constexpr std::array<Row, 41> k_rows{{
        // The local part counts, and its absence is a 0, so letters come before it.
        {"0.4.1+local", "0.4.1", "-1"},
        {"0.4.1+0", "0.4.1", "0"},
        {"0.4.1+0.local", "0.4.1", "-1"},
        {"2.5.1+cu121", "2.5.1", "-1"},
        {"3.0+sirius6.1.0", "3.0", "-1"},
        // openssl's underscore.
        {"1.0.1_", "1.0.1a", "-1"},
        {"1.0.1_", "1.0.1", "-1"},
        {"1.1_", "1.1a1", "-1"},
        {"1.0-", "1.0_", "0"},
        {"1__", "1_", "1"},
        // Only the whole words "dev" and "post" are special.
        {"1.0devx", "1.0a", "1"},
        {"1.0deva", "1.0alpha", "1"},
        {"1.0postx", "1.0", "-1"},
        {"1.1rc1", "1.1.0rc1", "-1"},
        // Digit runs of any length.
        {"99999999999999999999", "1", "1"},
        {"1.99999999999999999999", "1.2", "1"},
        {"99999999999999999999", "99999999999999999998", "1"},
        {"20240101123456789", "20240101123456788", "1"},
        // Malformed.
        {"1..0", "1", "ERR"},
        {".1", "1", "ERR"},
        {"1.", "1", "ERR"},
        {"_1", "1", "ERR"},
        {"1-2_3", "1", "ERR"},
        {"1.0+", "1", "ERR"},
        {"+1", "1", "ERR"},
        {"1.0+a+b", "1", "ERR"},
        {"1!2!3", "1", "ERR"},
        {"a!1", "1", "ERR"},
        {"!1", "1", "ERR"},
        {"1!", "1", "ERR"},
        {"1.0@1", "1", "ERR"},
        {"1.0~1", "1", "ERR"},
        {"1.0 1", "1", "ERR"},
        {"1.0*", "1", "ERR"},
        {"1.0.*", "1", "ERR"},
        {"", "1", "ERR"},
        {"  ", "1", "ERR"},
        {"1.0+a_", "1", "ERR"},
        {"1.\xC3\xA9", "1", "ERR"},
        // Surrounding spaces.
        {"1.0 ", "1.0", "0"},
        {" \t1.0", "1.0", "0"},
    }};
    for (const Row& row : k_rows) {
        CHECK_MESSAGE(order(row.a, row.b) == row.order, row.a << " and " << row.b);
    }
}

TEST_CASE("version: the order of CEP 33's examples") {
    constexpr std::array<std::string_view, 35> k_chain{
        "0.4",           "=0.4.0",    "0.4.1.rc",     "=0.4.1.RC",     "0.4.1+local",
        "0.4.1+0.local", "0.4.1",     "=0.4.1+0",     "0.4.1+1.local", "0.5a1",
        "0.5b3",         "0.5C1",     "0.5",          "0.9.6",         "0.960923",
        "1.0",           "1.1dev1",   "1.1_",         "1.1a1",         "1.1.0dev1",
        "=1.1.dev1",     "1.1.a1",    "1.1.0rc1",     "1.1.0.0",       "=1.1.0",
        "=1.1",          "1.1.post1", "=1.1.0post1",  "1.1post1",      "1996.07.12",
        "1!0.4.1",       "1!3.1.1.6", "=1!3.1.1.6.0", "2!0.4.1",       "99999999999999999999999!0"};
    for (std::size_t i = 1; i < k_chain.size(); ++i) {
        const bool is_equal = k_chain[i].front() == '=';
        const auto plain = [](std::string_view text) {
            return text.front() == '=' ? text.substr(1) : text;
        };
        CHECK_MESSAGE(order(plain(k_chain[i - 1]), plain(k_chain[i])) == (is_equal ? "0" : "-1"),
                      k_chain[i]);
    }
}

TEST_CASE("version: real pairs are ordered as by conda, libmamba and rattler") {
    const std::string text = chm::test::read_vectors("version_pairs_real.tsv");
    std::size_t wrong = 0;
    const auto rows = chm::test::rows_of(text, 3);
    CHECK(rows.size() == 58'529);
    for (const auto& row : rows) {
        if (order(row[0], row[1]) != row[2]) {
            ++wrong;
            MESSAGE(row[0] << " and " << row[1]);
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("version: real versions have a total order") {
    const std::string text = chm::test::read_vectors("versions.txt");
    std::vector<Version> versions;
    for (const std::string_view line : chm::test::lines_of(text)) {
        versions.push_back(version(line));
        REQUIRE(versions.back().text() == line);
    }
    REQUIRE(versions.size() == 28'530);
    std::mt19937 random(1);
    const auto any = [&]() -> const Version& { return versions[random() % versions.size()]; };
    for (int i = 0; i < 100'000; ++i) {
        const Version& a = any();
        const Version& b = any();
        const Version& c = any();
        REQUIRE((a <=> b) == (0 <=> (b <=> a)));
        REQUIRE((a == b) == (b == a));
        if (a <= b && b <= c) {
            REQUIRE(a <= c);
        }
    }
    auto shuffled = versions;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    std::sort(versions.begin(), versions.end());
    std::sort(shuffled.begin(), shuffled.end());
    CHECK(std::is_sorted(versions.begin(), versions.end()));
    CHECK(versions == shuffled);
}

TEST_CASE("version: the packed key orders as the slow comparison does") {
    std::mt19937 random(2);
    for (int i = 0; i < 15'000; ++i) {
        const std::string a = random_segments(random);
        // Half of them differ from the first only near the end.
        const std::string b = random() % 2 == 0
                                  ? random_segments(random)
                                  : a + (random() % 2 == 0 ? "." : "") + random_segments(random);
        const std::string local = random() % 4 == 0 ? random_segments(random) : "";
        auto expected = slow_compare(slow_segments(a), slow_segments(b));
        if (expected == 0 && !local.empty()) {
            expected = slow_compare(slow_segments(local), {});
        }
        const Version left = version(local.empty() ? a : fmt::format("{}+{}", a, local));
        REQUIRE_MESSAGE((left <=> version(b)) == expected, left.text() << " and " << b);
    }
}

TEST_CASE("version: an error tells the offset of what is wrong") {
    struct Row {
        std::string_view text;
        std::size_t offset;
    };
    constexpr std::array<Row, 18> k_rows{{{"1..0", 2},
                                          {".1", 0},
                                          {"1.", 2},
                                          {"_1", 0},
                                          {"1-2_3", 3},
                                          {"1_2-3", 3},
                                          {"1.0+", 4},
                                          {"+1", 0},
                                          {"1.0+a+b", 5},
                                          {"1!2!3", 3},
                                          {"a!1", 1},
                                          {"1.0@1", 3},
                                          {"1.0 1", 3},
                                          {"1.0*", 3},
                                          {"", 0},
                                          {"  1..0", 4},
                                          {"1!", 2},
                                          {"1.0__1", 4}}};
    for (const Row& row : k_rows) {
        const auto parsed = Version::parse(row.text);
        REQUIRE_MESSAGE(!parsed.has_value(), row.text);
        CHECK(parsed.error().kind == chm::ErrorKind::parse);
        const std::string expected = "offset " + std::to_string(row.offset) + ":";
        CHECK_MESSAGE(parsed.error().message.find(expected) != std::string::npos,
                      parsed.error().message);
    }
    CHECK(Version::parse("1..0").error().message ==
          "version '1..0', offset 2: a segment without number or letters");
}

TEST_CASE("version: text is kept as written, without surrounding spaces") {
    CHECK(version(" 1.0-RC1 ").text() == "1.0-RC1");
    CHECK(version("1.0-RC1") == version("1.0_rc1"));
}

TEST_CASE("version: a version begins as a prefix does") {
    CHECK(takes("0", "0.4.1"));
    CHECK(takes("0.4", "0.4.1"));
    CHECK(takes("0.4", "0.4.1p1"));
    CHECK(takes("0.4.1p", "0.4.1p1"));
    CHECK_FALSE(takes("0.4.1q1", "0.4.1p1"));
    CHECK_FALSE(takes("0.4.1", "0.4"));
    // openssl: letters after the last number are free.
    CHECK(takes("1.1.1", "1.1.1w"));
    CHECK(takes("1.0", "1.0rc1"));
    CHECK(takes("1.0", "1.0post1"));
    CHECK_FALSE(takes("1.1", "1.10"));
    // Zeros count although keys leave them out.
    CHECK(takes("1.0", "1"));
    CHECK(takes("1.0.0", "1.0.0.7"));
    CHECK(takes("1.0", "1.a"));
    CHECK_FALSE(takes("1.0", "1.1"));
    CHECK_FALSE(takes("1.0", "1a"));
    CHECK_FALSE(takes("1.0.0", "1.0.1"));
    CHECK_FALSE(takes("1.0.0.0", "1.0.1"));
    CHECK(takes("1.0a0", "1.0a"));
    CHECK(takes("1.0a0", "1.0a0b"));
    CHECK_FALSE(takes("1.0a0", "1.0a5"));
    // Letters need only begin alike; "dev" and "post" are words of their own.
    CHECK(takes("2013a", "2013ab"));
    CHECK_FALSE(takes("1.0d", "1.0dev"));
    CHECK_FALSE(takes("1.0dev", "1.0devx"));
    CHECK_FALSE(takes("1.0post", "1.0postx"));
    CHECK(takes("1.0post", "1.0post3"));
    // Epoch and local part.
    CHECK(takes("1!1", "1!1.0"));
    CHECK_FALSE(takes("1", "1!1.0"));
    CHECK(takes("1.2.3", "1.2.3+4.5.6"));
    CHECK(takes("1.2.3+4", "1.2.3+4.5.6"));
    CHECK_FALSE(takes("1.2.3+5", "1.2.3+4.5.6"));
    CHECK_FALSE(takes("1.2+4", "1.2.3+4"));
    CHECK(takes("1.0+0", "1.0"));
    // Far zeros.
    std::string zeros;
    for (int i = 0; i < 300; ++i) {
        zeros += ".0";
    }
    CHECK(takes("1" + zeros, "1"));
    CHECK(takes("1" + zeros, "1" + zeros + ".5"));
    CHECK(takes("1" + zeros, "1" + zeros + "a"));
    CHECK_FALSE(takes("1" + zeros + ".0", "1" + zeros + ".5"));
    CHECK(takes("1" + zeros + ".0", "1" + zeros + ".post5"));
}

TEST_CASE("version: a compatible version equals in all segments but the last") {
    CHECK(takes_compatible("1.4.2", "1.4.9"));
    CHECK_FALSE(takes_compatible("1.4.2", "1.5"));
    CHECK_FALSE(takes_compatible("1.0.0", "1.0post1"));
    CHECK(takes_compatible("1.0.0", "1.0.post1"));
    CHECK_FALSE(takes_compatible("1.0rc.1", "1.0rcx.1"));
    CHECK(takes_compatible("1.0_1", "1.0.7"));
    CHECK(takes_compatible("1", "7"));
    CHECK_FALSE(takes_compatible("1", "1!1"));
    CHECK(takes_compatible("2!1", "2!7"));
    CHECK_FALSE(takes_compatible("2!1", "7"));
}

TEST_CASE("version: hostile bytes give a version or an error") {
    std::mt19937 random(3);
    constexpr std::string_view k_likely = "0019azAZ..__--++!!*devpost \x01\xFF";
    for (int i = 0; i < 50'000; ++i) {
        std::string text;
        for (auto length = random() % 24; length > 0; --length) {
            text += random() % 8 == 0 ? static_cast<char>(random() % 256)
                                      : k_likely[random() % k_likely.size()];
        }
        const auto parsed = Version::parse(text);
        if (parsed) {
            REQUIRE(version(parsed->text()) == *parsed);
            REQUIRE(takes(text, text));
        }
    }
}

TEST_CASE("version: a megabyte is read in no time") {
    constexpr std::size_t k_size = std::size_t{1} << 20;
    CHECK(version(std::string(k_size, '0')) == version("0"));
    CHECK(version(std::string(k_size, '9')) > version(std::string(k_size - 1, '9')));
    CHECK(version(std::string(k_size, 'a')) < version("0"));
    std::string zeros;
    std::string alternating;
    while (zeros.size() < k_size) {
        zeros += "0.";
        alternating += "1a";
    }
    CHECK(version(zeros + "1") > version("0"));
    CHECK(version(zeros + "a") < version("0"));
    CHECK(version(alternating) > version("1a0"));
    CHECK_FALSE(Version::parse(std::string(k_size, '.')).has_value());
}
