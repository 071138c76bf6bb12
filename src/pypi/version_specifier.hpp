// Version specifiers (PEP 440): "~=1.4", ">=2.0,!=2.1.*,<3". Which versions a clause takes is laid
// down in docs/pypi-semantics.md.
#pragma once

#include "base/result.hpp"
#include "pypi/text_context.hpp"
#include "pypi/version.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace chm::pypi {

enum class SpecifierOperator {
    equal,          // ==
    not_equal,      // !=
    less_equal,     // <=
    greater_equal,  // >=
    less,           // <
    greater,        // >
    compatible,     // ~=
    arbitrary,      // ===
};

/// "==", "~=", …
[[nodiscard]] std::string_view to_text(SpecifierOperator op);

/// Takes the operator at the start of `text` off it; none: the text does not begin with one.
std::optional<SpecifierOperator> take_operator(std::string_view& text);

/// One clause. All but === are a range of versions, so that to ask is to compare keys.
class VersionSpecifier {
public:
    /// ErrorKind::parse with the offset of what is wrong.
    static Result<VersionSpecifier> parse(std::string_view text);
    /// The same for a literal within a larger text.
    static Result<VersionSpecifier> parse(std::string_view literal, const TextContext& context);
    /// The same when the operator is known: `operand` is what follows it.
    static Result<VersionSpecifier> parse(SpecifierOperator op,
                                          std::string_view operand,
                                          const TextContext& context);

    /// Whatever the policy on pre-releases. Allocates nothing.
    [[nodiscard]] bool contains(const Version& version) const;
    /// True when its version is a pre-release, which opts in to pre-releases; != never does.
    [[nodiscard]] bool names_prerelease() const { return names_prerelease_; }
    [[nodiscard]] SpecifierOperator op() const { return op_; }
    /// The version without the operator, in normal form, with ".*" where it is a prefix.
    [[nodiscard]] std::string_view operand() const;
    /// The operator and the version in its normal form.
    [[nodiscard]] const std::string& to_text() const { return text_; }
    /// What was accepted but is odd, for people; empty when nothing is.
    [[nodiscard]] const std::string& warning() const { return warning_; }

private:
    friend class ClauseReader;
    VersionSpecifier() = default;

    SpecifierOperator op_ = SpecifierOperator::equal;
    std::string text_;
    std::string warning_;
    std::string lower_;  // the least key; of === the text, in lower case
    std::string upper_;  // the first key that is too great; empty: none is
    bool names_prerelease_ = false;
};

enum class PrereleasePolicy {
    as_specified,  // pre-releases only where a clause names one (PEP 440)
    allow,
    exclude,
};

/// Clauses that must all hold; none: every version.
class VersionSpecifierSet {
public:
    VersionSpecifierSet() = default;

    /// Clauses separated by commas, possibly all in parentheses; empty clauses are ignored.
    /// ErrorKind::parse with the offset of what is wrong.
    static Result<VersionSpecifierSet> parse(std::string_view text);
    /// The same for a literal within a larger text, a requirement: there only the last clause may
    /// be empty (PEP 508).
    static Result<VersionSpecifierSet> parse(std::string_view literal, const TextContext& context);

    /// Allocates nothing. That pre-releases are taken where nothing else is on offer is the
    /// caller's to decide: it knows what is.
    [[nodiscard]] bool contains(const Version& version,
                                PrereleasePolicy policy = PrereleasePolicy::as_specified) const;
    [[nodiscard]] bool names_prerelease() const { return names_prerelease_; }
    [[nodiscard]] std::span<const VersionSpecifier> clauses() const { return clauses_; }
    [[nodiscard]] bool empty() const { return clauses_.empty(); }

    /// Clauses in normal form, sorted, each once, with commas between. parse(to_text()) gives an
    /// equal set.
    [[nodiscard]] std::string to_text() const;

    /// Same canonical text.
    bool operator==(const VersionSpecifierSet& other) const;

private:
    enum class EmptyClauses { ignored, only_last };
    static Result<VersionSpecifierSet> parse_list(std::string_view literal,
                                                  const TextContext& context,
                                                  EmptyClauses empty_clauses);

    std::vector<VersionSpecifier> clauses_;  // sorted by text
    bool names_prerelease_ = false;
};

}  // namespace chm::pypi
