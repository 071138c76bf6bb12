// What the parsers here say about malformed text: one line with the kind of text, an excerpt, the
// offset and what was expected. The excerpt never holds a URL, which may hold credentials.
#pragma once

#include "base/ascii.hpp"
#include "base/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace chm::pypi {

/// No text of this language is longer; what is, is refused unread.
inline constexpr std::size_t k_max_text = 0xFFFF;

/// The text that is parsed, of which all literals within it must be views.
struct TextContext {
    std::string_view kind;  // "requirement"
    std::string_view text;
};

/// "requirement 'numpy >= x', offset 9: reason". The excerpt of a text with '@' or "://" is only
/// the name it begins with.
Error malformed(const TextContext& context, std::size_t offset, std::string_view reason);

/// The same for the place where the view `at` begins.
Error malformed_at(const TextContext& context, std::string_view at, std::string_view reason);

/// ErrorKind::parse when the text is over k_max_text, or has control characters other than white
/// space or bytes that are not UTF-8. Linear.
Result<> check_text(const TextContext& context);

/// What may stand between the parts of names and versions.
[[nodiscard]] constexpr bool is_separator(char c) {
    return c == '-' || c == '_' || c == '.';
}

}  // namespace chm::pypi
