// Literals, globs and regular expressions (CEP 29).
#include "conda/string_match.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

using chm::conda::StringMatch;

namespace {

StringMatch pattern(std::string_view text) {
    auto parsed = StringMatch::parse(text);
    REQUIRE_MESSAGE(parsed.has_value(), text);
    return std::move(*parsed);
}

bool matches(std::string_view text, std::string_view subject) {
    return pattern(text).matches(subject);
}

/// Whether a glob matches, by a table over both: row p tells which beginnings of the text p
/// characters match.
bool slow_glob(std::string_view glob, std::string_view text) {
    std::vector<bool> row(text.size() + 1, false);
    row[0] = true;
    for (const char c : glob) {
        std::vector<bool> next(text.size() + 1, false);
        for (std::size_t i = 0; i <= text.size(); ++i) {
            if (c == '*') {
                next[i] = row[i] || (i > 0 && next[i - 1]);
            } else {
                next[i] = i > 0 && row[i - 1] && text[i - 1] == c;
            }
        }
        row = next;
    }
    return row[text.size()];
}

}  // namespace

TEST_CASE("string match: the default matches everything") {
    CHECK(StringMatch().matches(""));
    CHECK(StringMatch().matches("anything"));
    CHECK(StringMatch().is_any());
    CHECK(StringMatch() == pattern("*"));
}

TEST_CASE("string match: literals are whole and ignore case") {
    CHECK(matches("mkl", "mkl"));
    CHECK(matches("MKL", "mkl"));
    CHECK(matches("mkl", "MKL"));
    CHECK_FALSE(matches("mkl", "mkl2"));
    CHECK_FALSE(matches("mkl", "amkl"));
    CHECK(matches("a.c", "a.c"));
    CHECK_FALSE(matches("a.c", "abc"));
    CHECK(matches("", ""));
    CHECK_FALSE(matches("", "a"));
}

TEST_CASE("string match: globs") {
    CHECK(matches("*cuda*", "py310_cuda12_0"));
    CHECK(matches("*cuda*", "CUDA"));
    CHECK_FALSE(matches("*cuda*", "cud_a"));
    CHECK(matches("py3*_0", "py310_0"));
    CHECK_FALSE(matches("py3*_0", "py310_01"));
    CHECK_FALSE(matches("a*a", "a"));
    CHECK(matches("a*a", "aa"));
    CHECK(matches("*_0", "h123_0"));
    CHECK(matches("1.*.0", "1.5.0"));
    CHECK_FALSE(matches("1.*.0", "1.0"));
    CHECK(matches("a**b", "ab"));
    CHECK(matches("*a*b*", "xaxbx"));
    CHECK_FALSE(matches("*a*b*", "ba"));
    CHECK(matches("*aab*", "aaab"));
    CHECK(matches("**", ""));
    CHECK(pattern("**").is_any());
}

TEST_CASE("string match: globs match as the definition says") {
    std::mt19937 random(4);
    const auto make = [&](std::string_view letters, std::size_t most) {
        std::string text;
        for (auto length = random() % (most + 1); length > 0; --length) {
            text += letters[random() % letters.size()];
        }
        return text;
    };
    std::size_t matched = 0;
    for (int i = 0; i < 100'000; ++i) {
        const std::string glob = make("aab**", 8);
        const std::string text = make("aab", 10);
        const bool expected = slow_glob(glob, text);
        matched += expected ? 1 : 0;
        REQUIRE_MESSAGE(matches(glob, text) == expected, glob << " on " << text);
    }
    CHECK(matched > 10'000);
}

TEST_CASE("string match: regular expressions") {
    CHECK(matches("^py3(9|10)_.*$", "py310_0"));
    CHECK_FALSE(matches("^py3(9|10)_.*$", "py311_0"));
    CHECK(matches("^PY$", "py"));
    CHECK(matches(R"(^1\.[5-8]\.1$)", "1.7.1"));
    CHECK(matches("^$", ""));
    CHECK_FALSE(matches("^$", "a"));
    // It is searched for, so each alternative has the one anchor it has.
    CHECK(matches("^a|b$", "xb"));
}

TEST_CASE("string match: '^' or '$' alone makes no regular expression") {
    CHECK(matches("^a", "^a"));
    CHECK(matches("a$", "a$"));
    CHECK(matches("^", "^"));
    CHECK(pattern("^a").is_literal());
    CHECK(matches("^a*", "^abc"));
}

TEST_CASE("string match: regular expressions that are refused") {
    for (const std::string_view text : {R"(^(?=a)b$)", R"(^(a)\1$)", "^(a$", "^[a$", "^a{2000}$"}) {
        const auto parsed = StringMatch::parse(text);
        REQUIRE_MESSAGE(!parsed.has_value(), text);
        CHECK(parsed.error().kind == chm::ErrorKind::parse);
        CHECK(parsed.error().message.find("regular expression '^") == 0);
    }
    CHECK_FALSE(StringMatch::parse("^" + std::string(1000, 'a') + "$").has_value());
    CHECK_FALSE(StringMatch::parse("^((((.{99}){99}){99}){99})$").has_value());
}

TEST_CASE("string match: kinds and equality") {
    CHECK(pattern("mkl").is_literal());
    CHECK_FALSE(pattern("mkl*").is_literal());
    CHECK_FALSE(pattern("^mkl$").is_literal());
    CHECK_FALSE(pattern("mkl*").is_any());
    CHECK(pattern("MKL*") == pattern("mkl*"));
    CHECK(pattern("mkl") != pattern("mkl*"));
    CHECK(pattern(R"(^\d$)") != pattern(R"(^\D$)"));
    CHECK(pattern("Mkl*").text() == "Mkl*");
}

TEST_CASE("string match: a hostile glob or expression stays linear") {
    const std::string text(std::size_t{1} << 20, 'a');
    CHECK_FALSE(matches("*" + std::string(1000, 'a') + "b*c", text));
    CHECK_FALSE(matches("*" + text.substr(1) + "b*", text));
    std::string stars;
    for (int i = 0; i < 100'000; ++i) {
        stars += "a*";
    }
    CHECK(matches(stars, text));
    CHECK_FALSE(matches(stars + "b", text));
    CHECK_FALSE(matches(stars + "b*", text));
    CHECK_FALSE(matches("^(a+)+b$", text));
    CHECK_FALSE(matches("^(a|aa)*(a|aa)*(a|aa)*b$", text));
}

TEST_CASE("string match: hostile bytes give a pattern or an error") {
    std::mt19937 random(5);
    for (int i = 0; i < 20'000; ++i) {
        std::string text = random() % 2 == 0 ? "^" : "";
        const bool is_regex = !text.empty();
        for (auto length = random() % 16; length > 0; --length) {
            constexpr std::string_view k_likely = "ab*^$()[]{}|\\.+?19-";
            text += random() % 8 == 0 ? static_cast<char>(random() % 256)
                                      : k_likely[random() % k_likely.size()];
        }
        text += is_regex ? "$" : "";
        const auto parsed = StringMatch::parse(text);
        if (parsed && parsed->is_literal()) {
            REQUIRE(parsed->matches(text));
        }
    }
}
