// The MatchSpec parser: quoting, the offset of every error, published dependencies, random and
// hostile text.
#include "conda/match_spec.hpp"
#include "unit/conda/match_spec_support.hpp"
#include "unit/conda/vectors.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace chm::conda;
using chm::ErrorKind;
using chm::test::full_record, chm::test::spec;

namespace {

std::string error_of(std::string_view text) {
    const auto parsed = MatchSpec::parse(text);
    if (parsed) {
        return "(accepted)";
    }
    CHECK(parsed.error().kind == ErrorKind::parse);
    CHECK(parsed.error().message.find('\n') == std::string::npos);
    return parsed.error().message;
}

}  // namespace

TEST_CASE("match spec: quotes, escapes and separators in brackets") {
    CHECK(spec("pkg[license='it\\'s']").license->text() == "it's");
    CHECK(spec("pkg[license=\"it's\"]").license->text() == "it's");
    CHECK(spec("pkg[license='^a\\.b$']").license->text() == "^a\\.b$");
    CHECK(spec("pkg[license='a\\\\']").license->text() == "a\\");
    for (const std::string_view value :
         {"a'b", "a\\\\'b", "\\", "\\\\", "a\\.b", "a\"b", "]", "a,b=[c]", "\\\\.\\"}) {
        MatchSpec built;
        built.license = *chm::conda::StringMatch::parse(value);
        CAPTURE(value);
        CHECK(spec(built.to_text()) == built);
    }
    CHECK(spec("pkg[ version = '>=1' , build = b ]") == spec("pkg[version='>=1',build=b]"));
    CHECK(spec("pkg[version='>=1' build=b]") == spec("pkg[version='>=1',build=b]"));
    CHECK(spec("pkg[version='>=1',]") == spec("pkg>=1"));
    CHECK(spec("pkg[]") == spec("pkg"));
    CHECK(spec("pkg # a comment [x") == spec("pkg"));
    CHECK(spec("pkg 1.8#c") == spec("pkg 1.8"));
    CHECK(spec("pkg[build=b] # c") == spec("pkg[build=b]"));
}

TEST_CASE("match spec: every error says where") {
    struct Row {
        std::string text;
        std::size_t offset;
        std::string_view what;
    };
    const std::vector<Row> rows = {
        {"", 0, "names no package"},
        {"   ", 3, "names no package"},
        {"# c", 0, "names no package"},
        {"=1.8", 0, "name is expected"},
        {".pkg", 0, "name is expected"},
        {"@mkl", 0, "name is expected"},
        {"conda-forge::", 13, "name is expected"},
        {"pkg@", 3, "'@' cannot follow"},
        {"pkg; python>3", 3, "';' cannot follow"},
        {"pkg if python", 4, "[when="},
        {"pkg 1.8 b_0 extra", 12, "at most a name"},
        {"pkg >=1.8 <2", 10, "joined with ','"},
        {"pkg=1.8 b_0", 8, "cannot both separate"},
        {"pkg=1.8=", 8, "a build is expected"},
        {"pkg==", 3, "operator"},
        {"pkg =", 4, "operator"},
        {"pkg=>1.8", 3, "operator"},
        {"pkg=>=1.8=b", 4, "a version is expected"},
        {"pkg 1..0", 4, "offset 2"},
        {"pkg 1.8 b,0", 8, "cannot be in a build"},
        {"pkg[version]", 11, "needs a value"},
        {"pkg[version=]", 12, "is empty"},
        {"pkg[version=1..0]", 12, "offset 2"},
        {"pkg[foo=bar]", 4, "no key 'foo'"},
        {"pkg[versoin=1]", 4, "did you mean 'version'"},
        {"pkg[=1]", 4, "a key is expected"},
        {"pkg[,build=b]", 4, "a key is expected"},
        {"pkg[build=b,,fn=c]", 12, "a key is expected"},
        {"pkg[build=b,build=c]", 12, "given twice"},
        {"pkg[build=[b]]", 10, "not a list"},
        {"pkg[build='b'c]", 13, "',' or ']'"},
        {"pkg[build=b'c]", 11, "quoted as a whole"},
        {"pkg[build='b]", 10, "quote is not closed"},
        {"pkg[build=b", 11, "bracket is not closed"},
        {"pkg[", 4, "bracket is not closed"},
        {"pkg[extras=[a", 13, "list is not closed"},
        {"pkg[extras=[a,,b]]", 14, "item of the list is empty"},
        {"pkg[extras=A]", 11, "no name of an extra"},
        {"pkg[extras='" + std::string(65, 'a') + "']", 11, "no name of an extra"},
        {"pkg[flags='a:b:c']", 10, "no flag"},
        {"pkg[build_number=x]", 17, "whole number"},
        {"pkg[build_number='>=']", 17, "whole number"},
        {"pkg[build_number=99999999999999999999]", 17, "whole number"},
        {"pkg[md5=x]", 8, "32 hex"},
        {"pkg[sha256=x]", 11, "64 hex"},
        {"pkg[license='^(a$']", 12, ""},
        {"pkg[license='^(a)\\\\1$']", 12, ""},
        {"pkg[when='a and']", 9, "offset 5"},
        {"pkg[when=\"a[when='b']\"]", 9, "condition of its own"},
        {"pkg[build=b][fn=c]", 12, "one bracket group"},
        {"pkg[build=b] x", 13, "nothing may follow"},
        {"Conda-Forge::pkg", 0, "lower-case"},
        {"a/../b::pkg", 0, "may not begin with"},
        {"defaults::pkg", 0, "pkgs/main"},
        {"https://h/x:pkg", 0, "'::'"},
        {"conda-forge::pkg-1.8-b_0.conda", 13, "stands alone"},
        {"[name='a b']", 6, "name is expected"},
        {"[name='^[ab]$']", 6, "regular expression"},
        {"pkg 1 b.conda", 6, "stands alone"},
        {"pkg 1.conda", 4, "stands alone"},
        {"pkg.conDa", 0, "stands alone"},
        {"pkg 1 b.CONDA", 6, "stands alone"},
        {"pkg 1 ^b=+", 6, "cannot be in a build"},
        {"pkg-1.8.conda", 0, "name-version-build"},
        {"pkg-1.8-.conda", 0, "name-version-build"},
        {"a/pkg-1.8-0.conda", 0, "file:///"},
        {"https://h/pkg-1.8-0.conda", 0, "/subdir/"},
        {"https://h/x/noarch/pkg-1%2-0.conda", 19, "percent-encoded"},
        {"https://h/x/noarch/pkg-1-0.conda#abc", 33, "hex digits"},
        {"pkg[url='ftp://h/x']", 8, "http, https or file"},
        {std::string("pk\0g", 4), 2, "ASCII"},
        {"caf\xc3\xa9", 3, "ASCII"},
        {"pkg\n1", 3, "ASCII"},
        {"pkg[license='\xff']", 13, "ASCII"},
        {std::string(k_max_spec_length + 1, 'a'), k_max_spec_length, "longer than"},
    };
    for (const Row& row : rows) {
        const std::string message = error_of(row.text);
        CAPTURE(message);
        CHECK(message.find(fmt::format(": offset {}: ", row.offset)) != std::string::npos);
        CHECK(message.find(row.what) != std::string::npos);
    }
}

TEST_CASE("match spec: no message repeats a secret") {
    for (const std::string_view text : {"https://user:hunter2@h/c::pkg",
                                        "https://h/t/hunter2/c::pkg",
                                        "pkg[channel='https://u:hunter2@h/c']",
                                        "pkg[url='https://u:hunter2@h/c']",
                                        "pkg[url='https://h/t/hunter2/c']",
                                        "https://u:hunter2@h/c/noarch/p-1-0.conda",
                                        "https://u:hunter2@h/c:pkg"}) {
        const std::string message = error_of(text);
        CAPTURE(message);
        CHECK(message != "(accepted)");
        CHECK(message.find("hunter2") == std::string::npos);
    }
}

TEST_CASE("match spec: every published dependency parses, prints, and has the name found fast") {
    const std::string text = chm::test::read_vectors("depends.txt");
    const auto lines = chm::test::lines_of(text);
    CHECK(lines.size() > 26000);
    for (const std::string_view line : lines) {
        const auto parsed = MatchSpec::parse(line);
        REQUIRE_MESSAGE(parsed.has_value(), line);
        REQUIRE_MESSAGE(spec(parsed->to_text()) == *parsed, line);
        REQUIRE_MESSAGE(parsed->name.is_literal(), line);
        REQUIRE_MESSAGE(dependency_name(line).value_or("") == parsed->name.text(), line);
    }
}

TEST_CASE("match spec: dependency_name leaves to the parser what is not plain") {
    CHECK(dependency_name("numpy") == "numpy");
    CHECK(dependency_name("numpy>=1") == "numpy");
    CHECK(dependency_name("__cuda[version='>=12']") == "__cuda");
    for (const std::string_view text : {"",
                                        " numpy",
                                        "Numpy",
                                        "conda-forge::numpy",
                                        "ns:numpy",
                                        "num*",
                                        "*",
                                        "^a$",
                                        "numpy-1-0.conda",
                                        "numpy-1-b!0.conda",
                                        "https://h/c::numpy",
                                        "a=b::numpy",
                                        ".x",
                                        "[name=numpy]"}) {
        CAPTURE(text);
        CHECK_FALSE(dependency_name(text).has_value());
    }
}

TEST_CASE("match spec: random text never breaks anything, and what parses round-trips") {
    static constexpr std::array<std::string_view, 58> k_pieces = {"pkg",
                                                                  "a",
                                                                  "b_0",
                                                                  "1.8",
                                                                  "2",
                                                                  ".",
                                                                  "*",
                                                                  "^",
                                                                  "$",
                                                                  "=",
                                                                  "==",
                                                                  "!=",
                                                                  ">=",
                                                                  "<",
                                                                  "~=",
                                                                  ",",
                                                                  "|",
                                                                  "(",
                                                                  ")",
                                                                  " ",
                                                                  "\t",
                                                                  "[",
                                                                  "]",
                                                                  "'",
                                                                  "\"",
                                                                  "\\",
                                                                  "#",
                                                                  ":",
                                                                  "::",
                                                                  "/",
                                                                  "linux-64",
                                                                  "noarch",
                                                                  "conda-forge",
                                                                  "https://",
                                                                  "file:///",
                                                                  "@",
                                                                  "version",
                                                                  "build",
                                                                  "build_number",
                                                                  "channel",
                                                                  "subdir",
                                                                  "when",
                                                                  "extras",
                                                                  "flags",
                                                                  "license",
                                                                  "md5",
                                                                  "track_features",
                                                                  "url",
                                                                  "fn",
                                                                  ".conda",
                                                                  ".tar.bz2",
                                                                  "-1-0",
                                                                  "and",
                                                                  "or",
                                                                  "!",
                                                                  "+",
                                                                  "\xff",
                                                                  "%21"};
    static constexpr std::array<std::string_view, 8> k_keys = {
        "name", "version", "build", "channel", "subdir", "license", "when", "fn"};
    std::mt19937 random(20240229);  // NOLINT: a fixed seed, so that a failure can be repeated
    std::uniform_int_distribution<std::size_t> piece(0, k_pieces.size() - 1);
    std::uniform_int_distribution<int> length(1, 14);
    int accepted = 0;
    for (int i = 0; i < 40000; ++i) {
        std::string text;
        for (int n = length(random); n > 0; --n) {
            text += k_pieces.at(piece(random));
        }
        if (i % 3 == 0) {
            text = fmt::format("{}[{}='{}']",
                               i % 2 == 0 ? "pkg" : "",
                               k_keys.at(piece(random) % k_keys.size()),
                               text);
        }
        const auto parsed = MatchSpec::parse(text);
        if (!parsed) {
            REQUIRE(parsed.error().kind == ErrorKind::parse);
            REQUIRE_MESSAGE(parsed.error().message.find("offset") != std::string::npos, text);
            continue;
        }
        ++accepted;
        const std::string printed = parsed->to_text();
        const auto again = MatchSpec::parse(printed);
        REQUIRE_MESSAGE(again.has_value(), text << " printed " << printed);
        REQUIRE_MESSAGE(*again == *parsed, text << " printed " << printed);
        const auto name = dependency_name(text);
        REQUIRE_MESSAGE((!name || *name == parsed->name.text()), text);
        CHECK((parsed->matches(full_record()) || true));
    }
    CHECK(accepted > 1000);
}

TEST_CASE("match spec: mutated published dependencies round-trip or are refused") {
    const std::string text = chm::test::read_vectors("depends.txt");
    const auto lines = chm::test::lines_of(text);
    std::mt19937 random(7);  // NOLINT: a fixed seed
    for (std::size_t i = 0; i < lines.size(); i += 3) {
        std::string mutated(lines[i]);
        mutated.at(random() % mutated.size()) = static_cast<char>(random() % 256);
        const auto parsed = MatchSpec::parse(mutated);
        if (parsed) {
            REQUIRE_MESSAGE(spec(parsed->to_text()) == *parsed, mutated);
            const auto name = dependency_name(mutated);
            REQUIRE_MESSAGE((!name || *name == parsed->name.text()), mutated);
        }
    }
}

TEST_CASE("match spec: hostile text costs no more than its length") {
    const auto repeat = [](std::string_view piece) {
        std::string text;
        while (text.size() + piece.size() < k_max_spec_length - 100) {
            text += piece;
        }
        return text;
    };
    std::vector<std::string> texts = {std::string(1 << 20, 'a'), std::string(1 << 20, '(')};
    for (const std::string_view piece :
         {"(", "[",  "]", "'",  "\\'", ":", "::", "a::", "=", "1,",   ">=1|", "*",  "^",
          "$", "^$", " ", "1 ", ", ",  "-", "/",  "a/",  "#", "a=1,", "!",    "1.", "((a)"}) {
        texts.push_back(repeat(piece));
        texts.push_back("pkg " + repeat(piece));
        texts.push_back("pkg[build='" + repeat(piece) + "']");
        texts.push_back("pkg[" + repeat(piece) + "]");
        texts.push_back("pkg[extras=[" + repeat(piece) + "]]");
        texts.push_back("pkg[when=\"" + repeat(piece) + "\"]");
        texts.push_back("pkg[version=\"" + repeat(piece) + "\"]");
        texts.push_back(repeat(piece) + "-1-0.conda");
    }
    texts.push_back("pkg[when='" + repeat("a or (") + "']");
    texts.push_back("pkg[when='" + repeat("a and ") + "a']");
    texts.push_back("pkg[extras=[" + repeat("a,") + "a]]");
    texts.push_back("pkg[license='^" + repeat("(a*)*") + "$']");
    texts.push_back("pkg[license='" + repeat("*a") + "']");
    const Record candidate = full_record();
    const auto start = std::chrono::steady_clock::now();
    for (const std::string& text : texts) {
        if (const auto parsed = MatchSpec::parse(text)) {
            CHECK((parsed->matches(candidate) || true));
            const std::string printed = parsed->to_text();
            const auto again = MatchSpec::parse(printed);
            CAPTURE(text.substr(0, 40));
            CAPTURE(printed.substr(0, 40));
            CHECK((printed.size() > k_max_spec_length || (again && *again == *parsed)));
        } else {
            CHECK(parsed.error().message.size() < 2000);
        }
    }
    // 200 texts of 64 kB take about a second in the slowest build; a quadratic step would take
    // minutes.
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
}
