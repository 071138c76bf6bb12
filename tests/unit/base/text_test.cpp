// Tests of base/text.
#include "base/text.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

using chm::printable;
using std::chrono::milliseconds;

TEST_CASE("text: the nearest name") {
    const std::vector<std::string> names{"numpy", "scipy", "pytorch", "python", "cuda-toolkit"};
    struct Row {
        std::string word;
        std::string expected;  // "": none
    };
    for (const Row& row : {
             Row{"numpi", "numpy"},
             Row{"nmupy", "numpy"},    // a swap is one
             Row{"pyhton", "python"},  // a swap is one
             Row{"pytorh", "pytorch"},
             Row{"pytho", "python"},
             Row{"numpyy", "numpy"},
             Row{"cudatoolkit", "cuda-toolkit"},
             Row{"cudatolkt", "cuda-toolkit"},  // three of nine
             Row{"np", ""},
             Row{"", ""},
             Row{"zzzzzz", ""},
             Row{"numpy", "numpy"},
             Row{std::string(1'000'000, 'n'), ""},
         }) {
        CAPTURE(row.word.substr(0, 20));
        CHECK(chm::nearest(row.word, names).value_or("") == row.expected);
    }
}

TEST_CASE("text: of equally near names the first") {
    const std::vector<std::string> names{"cat", "car", "cab"};
    CHECK(chm::nearest("caz", names) == "cat");
    const std::vector<std::string> closer{"scopy", "scipys", "scipy"};
    CHECK(chm::nearest("scipy", closer) == "scipy");
    CHECK_FALSE(chm::nearest("caz", {}));
}

TEST_CASE("text: a suggestion is safe to print") {
    const std::vector<std::string> names{"root", "ro\x1bot2"};
    CHECK(chm::did_you_mean("rooot", names) == "; did you mean 'root'?");
    CHECK(chm::did_you_mean("ro\x1bot", std::vector<std::string>{"ro\x1bot2"}) ==
          "; did you mean 'ro\\x1bot2'?");
    CHECK(chm::did_you_mean("other", names).empty());
}

TEST_CASE("text: split keeps empty pieces") {
    using Pieces = std::vector<std::string_view>;
    CHECK(chm::split("a,b", ',') == Pieces{"a", "b"});
    CHECK(chm::split("", ',') == Pieces{""});
    CHECK(chm::split(",a,,", ',') == Pieces{"", "a", "", ""});
}

TEST_CASE("text: trim") {
    CHECK(chm::trim(" \t\r\n a b \v\f") == "a b");
    CHECK(chm::trim("ab") == "ab");
    CHECK(chm::trim("  ").empty());
    CHECK(chm::trim("").empty());
}

TEST_CASE("text: sizes for people") {
    struct Row {
        std::uint64_t bytes;
        std::string text;
    };
    for (const Row& row : {
             Row{0, "0 B"},
             Row{999, "999 B"},
             Row{1'000, "1.0 kB"},
             Row{1'249, "1.2 kB"},
             Row{340'000, "340 kB"},
             Row{99'949, "99.9 kB"},
             Row{99'950, "100 kB"},
             Row{999'499, "999 kB"},
             Row{999'500, "1.0 MB"},
             Row{1'234'567'890, "1.2 GB"},
             Row{45'600'000'000'000, "45.6 TB"},
             Row{~std::uint64_t{0}, "18.4 EB"},
         }) {
        CHECK(chm::human_bytes(row.bytes) == row.text);
    }
}

TEST_CASE("text: durations for people") {
    struct Row {
        std::int64_t count;
        std::string text;
    };
    for (const Row& row : {
             Row{-5, "0 ms"},
             Row{850, "850 ms"},
             Row{999, "999 ms"},
             Row{1'000, "1.0 s"},
             Row{12'345, "12.3 s"},
             Row{59'949, "59.9 s"},
             Row{59'950, "1 min 00 s"},
             Row{245'000, "4 min 05 s"},
             Row{3'599'499, "59 min 59 s"},
             Row{3'599'500, "1 h 00 min"},
             Row{7'800'000, "2 h 10 min"},
             Row{milliseconds::max().count(), "2562047788015 h 13 min"},
         }) {
        CHECK(chm::human_duration(milliseconds(row.count)) == row.text);
    }
}

TEST_CASE("text: well-formed UTF-8") {
    struct Row {
        std::string text;
        std::size_t length;
    };
    for (const Row& row : {
             Row{"", 0},
             Row{"a", 1},
             Row{"\xC3\xA9x", 2},
             Row{"\xE2\x82\xAC", 3},
             Row{"\xF0\x9F\x90\x8D", 4},
             Row{"\xF4\x8F\xBF\xBF", 4},
             Row{"\x80", 0},
             Row{"\xC3", 0},
             Row{"\xC3(", 0},
             Row{"\xC1\xBF", 0},          // overlong
             Row{"\xE0\x9F\xBF", 0},      // overlong
             Row{"\xF0\x8F\xBF\xBF", 0},  // overlong
             Row{"\xED\xA0\x80", 0},      // surrogate
             Row{"\xF4\x90\x80\x80", 0},  // above U+10FFFF
             Row{"\xE2\x82", 0},
             Row{"\xFF", 0},
         }) {
        CHECK(chm::utf8_character(row.text) == row.length);
    }
}

TEST_CASE("text: printable leaves text alone and disarms the rest") {
    struct Row {
        std::string text;
        std::string shown;
    };
    for (const Row& row : {
             Row{"", ""},
             Row{"numpy h\xC3\xA9 \xF0\x9F\x90\x8D", "numpy h\xC3\xA9 \xF0\x9F\x90\x8D"},
             Row{"a\nb\tc\r", "a\\x0ab\\x09c\\x0d"},
             Row{"\x1b[31mred", "\\x1b[31mred"},
             Row{std::string("a\0b\x7f", 4), "a\\x00b\\x7f"},
             Row{"\xC2\x9B"
                 "31m",
                 "\\xc2\\x9b31m"},  // C1: CSI
             Row{"a\xE2\x80\xAE"
                 "b",
                 "a\\xe2\\x80\\xaeb"},  // right-to-left override
             Row{"a\xE2\x80\xA8"
                 "b",
                 "a\\xe2\\x80\\xa8b"},  // line separator
             Row{"\xff\xc3", "\\xff\\xc3"},
             Row{"\xED\xA0\x80", "\\xed\\xa0\\x80"},
         }) {
        CHECK(printable(row.text) == row.shown);
        CHECK(printable(row.shown) == row.shown);
    }
}

TEST_CASE("text: what may hold credentials is not quoted") {
    for (const std::string_view secret : {"https://u:p@h/x",
                                          "u:p@h",
                                          "h/t/tk-1/x",
                                          "t/tk-1/x",
                                          "https://u%3Ap%40h/x",
                                          "1@https://u:p@h"}) {
        CAPTURE(secret);
        CHECK(chm::quote_safely(secret) == "(not shown: it may hold credentials)");
    }
    CHECK(chm::quote_safely("pkg@") == "'pkg@'");
    CHECK(chm::quote_safely("@mkl") == "'@mkl'");
    CHECK(chm::quote_safely("@") == "'@'");
    CHECK(chm::quote_safely("") == "''");
    CHECK(chm::quote_safely("a\x1b[2J") == "'a\\x1b[2J'");
    CHECK(chm::quote_safely("abcdef", 3).size() < 10);
}

TEST_CASE("text: printable cuts between characters") {
    CHECK(printable("abcdef", 6) == "abcdef");
    CHECK(printable("abcdefg", 6) == "abcdef…");
    CHECK(printable("ab\xC3\xA9", 3) == "ab…");
    CHECK(printable("ab\n", 5) == "ab…");
    CHECK(printable("a", 0) == "…");
    CHECK(printable(std::string(1'000'000, '\n')).size() <= 200 + 3);
}
