// Version specs: ">=1.8,<2|==3.*", "~=1.4", "1.2.*", "^1\.8.*$". Grammar: CEP 29; corner cases:
// docs/conda-semantics.md.
#pragma once

#include "base/result.hpp"
#include "conda/version.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace chm::conda {

/// A parsed version spec; cheap to copy, immutable, safe to share between threads.
class VersionSpec {
public:
    /// Matches every version.
    VersionSpec();

    /// ErrorKind::parse with the offset of what is wrong. Linear in the text; nesting of
    /// parentheses is bounded.
    static Result<VersionSpec> parse(std::string_view text);

    /// Allocates nothing, save where the spec holds a regular expression.
    [[nodiscard]] bool matches(const Version& version) const;
    /// True for "*" alone.
    [[nodiscard]] bool is_any() const;
    /// True for one exact version: "1.8", "==1.8". Then to_text() is "==1.8".
    [[nodiscard]] bool is_exact() const;
    /// True for one fuzzy version: "=1.8", "1.8.*". Then to_text() is "=1.8".
    [[nodiscard]] bool is_fuzzy() const;
    /// What was accepted but is odd, for people; each quotes its clause.
    [[nodiscard]] std::span<const std::string> warnings() const;

    /// Canonical text: lower case, no spaces, no needless parentheses. parse(to_text()) gives an
    /// equal spec.
    [[nodiscard]] std::string to_text() const;

    /// Same canonical text.
    bool operator==(const VersionSpec& other) const;

private:
    struct Tree;
    std::shared_ptr<const Tree> tree_;  // null: any
};

}  // namespace chm::conda
