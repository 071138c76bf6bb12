// Versions: the answers of pypa/packaging (tests/data/pypi), PEP 440's own examples, and what a
// hostile text may cost.
#include "pypi/version.hpp"

#include "unit/pypi/vectors.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

using chm::pypi::Version;

namespace {

Version version(std::string_view text) {
    auto parsed = Version::parse(text);
    REQUIRE_MESSAGE(parsed.has_value(), text);
    return std::move(*parsed);
}

std::string error_of(std::string_view text) {
    const auto parsed = Version::parse(text);
    REQUIRE_FALSE_MESSAGE(parsed.has_value(), text);
    CHECK(parsed.error().kind == chm::ErrorKind::parse);
    return parsed.error().message;
}

}  // namespace

TEST_CASE("pypi version: parts are those that packaging finds") {
    const std::string table = chm::test::read_data("pypi/version.tsv");
    std::size_t good = 0;
    for (const auto& row : chm::test::rows_of(table, 8)) {
        CAPTURE(row[0]);
        const auto parsed = Version::parse(row[0]);
        REQUIRE(parsed.has_value() == (row[1] != "ERR"));
        if (!parsed) {
            continue;
        }
        ++good;
        CHECK(parsed->to_text() == row[1]);
        CHECK(parsed->public_text() == row[2]);
        CHECK(parsed->base_text() == row[3]);
        CHECK(parsed->local() == row[4]);
        CHECK(parsed->is_prerelease() == (row[5] == "1"));
        CHECK(parsed->has_post() == (row[6] == "1"));
        CHECK(version(parsed->to_text()) == *parsed);
        CHECK(version(parsed->to_text()).to_text() == row[1]);
    }
    CHECK(good > 2000);
}

TEST_CASE("pypi version: the order is packaging's") {
    const std::string table = chm::test::read_data("pypi/version_order.tsv");
    const auto rows = chm::test::rows_of(table, 4);
    CHECK(rows.size() == 4000);
    for (const auto& row : rows) {
        CAPTURE(row[0]);
        CAPTURE(row[1]);
        const Version one = version(row[0]);
        const Version two = version(row[1]);
        CHECK((one < two) == (row[2] == "-1"));
        CHECK((one == two) == (row[2] == "0"));
        CHECK((one > two) == (row[2] == "1"));
        CHECK((two < one) == (row[2] == "1"));
    }
}

TEST_CASE("pypi version: PEP 440's order, from the least to the greatest") {
    const std::array<std::string_view, 22> ascending{"0.9",           "1.dev0",
                                                     "1.0.dev456",    "1.0a1",
                                                     "1.0a2.dev456",  "1.0a12.dev456",
                                                     "1.0a12",        "1.0b1.dev456",
                                                     "1.0b2",         "1.0b2.post345.dev456",
                                                     "1.0b2.post345", "1.0rc1.dev456",
                                                     "1.0rc1",        "1.0",
                                                     "1.0+abc.5",     "1.0+abc.7",
                                                     "1.0+5",         "1.0.post456.dev34",
                                                     "1.0.post456",   "1.1.dev1",
                                                     "1.1",           "1!0.1"};
    for (std::size_t i = 1; i < ascending.size(); ++i) {
        CAPTURE(ascending[i - 1]);
        CAPTURE(ascending[i]);
        CHECK(version(ascending[i - 1]) < version(ascending[i]));
    }
}

TEST_CASE("pypi version: a local version is above its public version, below the next one") {
    CHECK(version("2.5.1") < version("2.5.1+cu121"));
    CHECK(version("2.5.1+cpu") < version("2.5.1+cu118"));
    CHECK(version("2.5.1+cu118") < version("2.5.1+cu121"));
    CHECK(version("2.5.1+cu121") < version("2.5.1.post1"));
    CHECK(version("2.5.1+cu121") < version("2.5.1+1"));
    CHECK(version("1.0+a") < version("1.0+a.0"));
    CHECK(version("1.0+a_b") == version("1.0+A.b"));
    CHECK(version("1.0+1a") < version("1.0+2"));
}

TEST_CASE("pypi version: the text is kept beside the normal form") {
    const Version odd = version("  V1.0-Alpha.2_POST+Cu.012 \n");
    CHECK(odd.text() == "V1.0-Alpha.2_POST+Cu.012");
    CHECK(odd.to_text() == "1.0a2.post0+cu.12");
    CHECK(odd.public_text() == "1.0a2.post0");
    CHECK(odd.base_text() == "1.0");
    CHECK(odd.local() == "cu.12");
    CHECK(version("2.7.1").text() == "2.7.1");
    CHECK(version("1.0.0").to_text() == "1.0.0");
    CHECK(version("1.0.0") == version("1"));
}

TEST_CASE("pypi version: numbers of any length are compared as numbers") {
    // Around each change of how a number is laid out in the key.
    std::vector<std::string> ascending{"0", "1", "9", "10", "99", "100", "999", "1000"};
    for (const std::size_t digits : {125U, 126U, 127U, 128U, 255U, 256U, 257U, 60000U}) {
        ascending.push_back("1" + std::string(digits - 1, '0'));
        ascending.push_back(std::string(digits, '9'));
    }
    for (std::size_t i = 1; i < ascending.size(); ++i) {
        CAPTURE(i);
        CHECK(version("1." + ascending[i - 1]) < version("1." + ascending[i]));
        CHECK(version("1a" + ascending[i - 1]) < version("1a" + ascending[i]));
        CHECK(version(ascending[i - 1] + "!1") < version(ascending[i] + "!1"));
        CHECK(version("1+" + ascending[i - 1]) < version("1+" + ascending[i]));
        CHECK(version("1." + ascending[i]) == version("1.000" + ascending[i]));
    }
}

TEST_CASE("pypi version: an error says where") {
    CHECK(error_of("").find("offset 0: a version begins with a number") != std::string::npos);
    CHECK(error_of("1.0x").find("offset 3") != std::string::npos);
    CHECK(error_of("1.0.*").find("offset 3: a version has no '*'") != std::string::npos);
    CHECK(error_of("1.0+").find("offset 4: a segment of the local part") != std::string::npos);
    CHECK(error_of("1.0+a..b").find("offset 6") != std::string::npos);
    CHECK(error_of("1!2!3").find("offset 3: '!' may only follow an epoch") != std::string::npos);
    CHECK(error_of("a1").find("offset 0") != std::string::npos);
}

TEST_CASE("pypi version: hostile texts are errors, in linear time") {
    const auto start = std::chrono::steady_clock::now();
    for (const std::string& text : {std::string("1.0\0", 4),
                                    std::string("\0", 1),
                                    std::string("1.0\xff"),
                                    std::string("1.\xd9\xa1"),  // an Arabic digit
                                    "1" + std::string(1 << 20, '0'),
                                    "1" + std::string(1 << 20, '.'),
                                    std::string(1 << 20, 'a'),
                                    "1+" + std::string(1 << 20, 'a'),
                                    "1.0" + std::string(1 << 20, ' ') + "x"}) {
        error_of(text);
    }
    std::string many = "1";
    while (many.size() + 2 < chm::pypi::k_max_text) {
        many += ".0";
    }
    CHECK(version(many) == version("1"));
    CHECK(std::chrono::steady_clock::now() - start < chm::test::k_patience);
}
