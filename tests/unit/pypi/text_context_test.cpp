// The excerpts of errors, which must not give away what a URL holds, and what text is let in.
#include "pypi/text_context.hpp"

#include <doctest/doctest.h>

#include <string>

using chm::pypi::check_text;
using chm::pypi::malformed;
using chm::pypi::malformed_at;
using chm::pypi::TextContext;

TEST_CASE("pypi text: an error names the kind, the text and the offset") {
    const TextContext context{"version", "1.0x"};
    CHECK(malformed(context, 3, "no version").message == "version '1.0x', offset 3: no version");
    CHECK(malformed_at(context, context.text.substr(3), "x").message ==
          "version '1.0x', offset 3: x");
    CHECK(malformed(context, 3, "x").kind == chm::ErrorKind::parse);
}

TEST_CASE("pypi text: an excerpt ends before anything that could be a URL") {
    for (const std::string text : {"foo @ https://user:secret@example.org/foo.whl",
                                   "https://user:secret@example.org/",
                                   "user:secret@example.org",
                                   "foo @ git+ssh://token-secret@example.org/x"}) {
        CAPTURE(text);
        const std::string message = malformed({"requirement", text}, 0, "x").message;
        CHECK(message.find("secret") == std::string::npos);
        CHECK(message.find("example") == std::string::npos);
    }
    CHECK(malformed({"requirement", "foo[a] @ https://h/x y"}, 1, "r").message ==
          "requirement 'foo…', offset 1: r");
}

TEST_CASE("pypi text: an excerpt is short and safe for a terminal") {
    const std::string text = "a\x1b[31m" + std::string(1 << 20, 'b');
    const std::string message = malformed({"marker", text}, 7, "r").message;
    CHECK(message.size() < 250);
    CHECK(message.find('\x1b') == std::string::npos);
}

TEST_CASE("pypi text: control characters, broken UTF-8 and long texts are refused") {
    CHECK(check_text({"marker", "a\tb \xc3\xa9 \n"}));
    CHECK(check_text({"marker", std::string(chm::pypi::k_max_text, 'a')}));
    for (const std::string& text : {std::string("a\0b", 3),
                                    std::string("a\x1b"),
                                    std::string("a\x7f"),
                                    std::string("a\xc3"),
                                    std::string("\xff"),
                                    std::string(chm::pypi::k_max_text + 1, 'a')}) {
        const auto result = check_text({"marker", text});
        REQUIRE_FALSE(result.has_value());
        CHECK(result.error().kind == chm::ErrorKind::parse);
    }
}
