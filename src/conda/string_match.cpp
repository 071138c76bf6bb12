// Literals, globs and regular expressions. The only file that sees RE2, whose automata keep hostile
// expressions linear in the text and within k_regex_memory. Globs search each piece between two '*'
// with Knuth, Morris and Pratt's method, so they are linear too, where the plain greedy search is
// quadratic.
#include "conda/string_match.hpp"

#include "base/ascii.hpp"
#include "base/text.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace chm::conda {

namespace {

constexpr std::size_t k_max_regex_length = 512;
constexpr std::int64_t k_regex_memory = std::int64_t{128} << 10;

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
        return to_lower(x) == to_lower(y);
    });
}

bool is_regex(std::string_view pattern) {
    return pattern.size() >= 2 && pattern.front() == '^' && pattern.back() == '$';
}

RE2::Options regex_options() {
    RE2::Options options;
    options.set_case_sensitive(false);
    options.set_log_errors(false);
    options.set_never_capture(true);
    options.set_max_mem(k_regex_memory);
    return options;
}

/// A text between two '*' of a glob, to be found anywhere.
class Piece {
public:
    explicit Piece(std::string text) : text_(std::move(text)), border_(text_.size()) {
        std::size_t length = 0;
        for (std::size_t i = 1; i < text_.size(); ++i) {
            length = extend(length, text_[i]);
            border_[i] = length;
        }
    }

    /// The offset after the first occurrence in `text`, or npos.
    [[nodiscard]] std::size_t find_end(std::string_view text) const {
        std::size_t matched = 0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            matched = extend(matched, to_lower(text[i]));
            if (matched == text_.size()) {
                return i + 1;
            }
        }
        return std::string_view::npos;
    }

private:
    /// How much of the piece ends at `c`, when `matched` bytes of it ended just before.
    [[nodiscard]] std::size_t extend(std::size_t matched, char c) const {
        while (matched > 0 && text_[matched] != c) {
            matched = border_[matched - 1];
        }
        return text_[matched] == c ? matched + 1 : 0;
    }

    std::string text_;                 // lower case, not empty
    std::vector<std::size_t> border_;  // [i]: longest proper prefix that also ends at i
};

class Glob {
public:
    explicit Glob(std::string_view pattern) {
        const std::size_t first = pattern.find('*');
        const std::size_t last = pattern.rfind('*');
        head_ = lower(pattern.substr(0, first));
        tail_ = lower(pattern.substr(last + 1));
        for (const std::string_view piece : split(pattern.substr(first, last - first), '*')) {
            if (!piece.empty()) {
                pieces_.emplace_back(lower(piece));
            }
        }
    }

    [[nodiscard]] bool matches(std::string_view text) const {
        if (text.size() < head_.size() + tail_.size() ||
            !equal_ignoring_case(text.substr(0, head_.size()), head_) ||
            !equal_ignoring_case(text.substr(text.size() - tail_.size()), tail_)) {
            return false;
        }
        text.remove_prefix(head_.size());
        text.remove_suffix(tail_.size());
        for (const Piece& piece : pieces_) {
            const std::size_t end = piece.find_end(text);
            if (end == std::string_view::npos) {
                return false;
            }
            text.remove_prefix(end);
        }
        return true;
    }

private:
    std::string head_;
    std::string tail_;
    std::vector<Piece> pieces_;
};

}  // namespace

struct StringMatch::Compiled {
    // Exactly one is set. RE2 can be neither copied nor moved.
    std::unique_ptr<const RE2> regex;
    std::unique_ptr<const Glob> glob;
};

Result<StringMatch> StringMatch::parse(std::string_view pattern) {
    StringMatch match;
    match.pattern_ = pattern;
    if (is_regex(pattern)) {
        if (pattern.size() > k_max_regex_length) {
            return fail(ErrorKind::parse,
                        fmt::format("regular expression {}: longer than {} bytes",
                                    quote_safely(pattern),
                                    k_max_regex_length));
        }
        auto regex = std::make_unique<const RE2>(re2::StringPiece(pattern.data(), pattern.size()),
                                                 regex_options());
        if (!regex->ok()) {
            return fail(
                ErrorKind::parse,
                fmt::format(
                    "regular expression {}: {}", quote_safely(pattern), printable(regex->error())));
        }
        match.compiled_ = std::make_shared<const Compiled>(Compiled{std::move(regex), nullptr});
    } else if (!match.is_literal() && !match.is_any()) {
        match.compiled_ = std::make_shared<const Compiled>(
            Compiled{nullptr, std::make_unique<const Glob>(pattern)});
    }
    return match;
}

bool StringMatch::matches(std::string_view text) const {
    if (compiled_ == nullptr) {
        return is_any() || equal_ignoring_case(pattern_, text);
    }
    if (compiled_->regex != nullptr) {
        return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_->regex);
    }
    return compiled_->glob->matches(text);
}

bool StringMatch::is_any() const {
    return !pattern_.empty() && pattern_.find_first_not_of('*') == std::string::npos;
}

bool StringMatch::is_literal() const {
    return !is_regex(pattern_) && pattern_.find('*') == std::string::npos;
}

bool StringMatch::operator==(const StringMatch& other) const {
    if (is_regex(pattern_) || is_regex(other.pattern_)) {
        return pattern_ == other.pattern_;
    }
    return equal_ignoring_case(pattern_, other.pattern_);
}

}  // namespace chm::conda
