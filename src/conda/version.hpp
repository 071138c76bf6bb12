// conda versions as CEP 33 defines them: epoch!release+local, compared segment by segment.
#pragma once

#include "base/result.hpp"

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace chm::conda {

/// What a literal is part of. Errors quote `text` and count offsets in it; the literal must be a
/// view into it.
struct LiteralContext {
    std::string_view kind;  // "version spec"
    std::string_view text;
};

/// A parsed version. Order and equality are CEP 33's, so "1.0" == "1.0.0" though their texts
/// differ.
class Version {
public:
    /// Surrounding spaces are ignored. ErrorKind::parse with the offset of the first character that
    /// is wrong.
    static Result<Version> parse(std::string_view text);
    /// The same for a literal within a larger text.
    static Result<Version> parse(std::string_view literal, const LiteralContext& context);

    /// As it was written, without surrounding spaces.
    [[nodiscard]] const std::string& text() const { return text_; }

    std::strong_ordering operator<=>(const Version& other) const { return key_ <=> other.key_; }
    bool operator==(const Version& other) const { return key_ == other.key_; }

private:
    friend class VersionPrefix;

    std::string text_;
    std::string key_;  // packed so that its byte order is the version order; see version.cpp
};

/// The versions that begin as a literal does, which "=1.0" and "1.0.*" ask for: all segments before
/// the last are equal, and of the last segment the components that the literal has; a last
/// component of letters need only begin alike. So "=1.0" takes 1.0.3, 1.0rc1 and 1.0+cu121, and
/// "=1.0rc" takes 1.0rc1.
class VersionPrefix {
public:
    static Result<VersionPrefix> parse(std::string_view literal, const LiteralContext& context);
    /// Without its last segment and with all others equal, as "~=" asks: of "1.4.2" it takes 1.4.9
    /// but not 1.4post1, of "2!1" every version of epoch 2.
    static Result<VersionPrefix> parse_compatible(std::string_view literal,
                                                  const LiteralContext& context);

    /// Allocates nothing.
    [[nodiscard]] bool matches(const Version& version) const;

private:
    enum class Rest { any, beyond_zero, beyond_segment };

    VersionPrefix(std::string key, Rest rest, std::size_t gap)
        : key_(std::move(key)), rest_(rest), gap_(gap) {}

    std::string key_;  // how the key of every match begins
    Rest rest_;  // where the next token may stand: anywhere, or beyond a 0 or segment that keys
                 // leave out
    std::size_t gap_;  // segments between the last token of key_ and that 0 or segment
};

}  // namespace chm::conda
