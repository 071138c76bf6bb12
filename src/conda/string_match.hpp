// StringMatch: how conda matches names, builds, licences and (for globs and regular expressions)
// whole versions (CEP 29). Every match takes time linear in the text, whatever the pattern says.
#pragma once

#include "base/result.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace chm::conda {

/// A case-insensitive match of a text: literal, glob with '*', or "^…$" regular expression (RE2). A
/// pattern that only begins with '^' or only ends with '$' is no regular expression. Cheap to copy,
/// immutable, safe to share between threads.
class StringMatch {
public:
    /// Matches everything.
    StringMatch() = default;

    /// ErrorKind::parse for a regular expression that RE2 refuses: malformed, with look-around or
    /// back-references, or too large. Every other text is a pattern; the empty one matches the
    /// empty text.
    static Result<StringMatch> parse(std::string_view pattern);

    /// Allocates nothing unless the pattern is a regular expression.
    [[nodiscard]] bool matches(std::string_view text) const;
    /// True for patterns of nothing but '*'.
    [[nodiscard]] bool is_any() const;
    /// True when the pattern has neither '*' nor is a regular expression.
    [[nodiscard]] bool is_literal() const;
    [[nodiscard]] const std::string& text() const { return pattern_; }

    /// Same pattern; letter case matters in regular expressions only.
    bool operator==(const StringMatch& other) const;

private:
    struct Compiled;
    std::string pattern_ = "*";
    std::shared_ptr<const Compiled> compiled_;  // null: literal, or matches everything
};

}  // namespace chm::conda
