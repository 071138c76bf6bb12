// MatchSpec, conda's query language for packages (CEP 29): "pytorch 2.1.*", "numpy>=1.26",
// "conda-forge::blas=*=mkl", "torch[version='>=2', build='*cuda*']". Corner cases:
// docs/conda-semantics.md.
#pragma once

#include "base/digest.hpp"
#include "base/result.hpp"
#include "conda/record.hpp"
#include "conda/string_match.hpp"
#include "conda/version_spec.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chm::conda {

/// A longer text is refused; the longest in any channel is a few hundred bytes.
inline constexpr std::size_t k_max_spec_length = 65536;

/// A whole number with an optional comparison (">=3"): build_number, timestamp, size.
struct BuildNumberSpec {
    enum class Op { equal, not_equal, less, less_equal, greater, greater_equal };
    Op op = Op::equal;
    std::uint64_t number = 0;
    [[nodiscard]] bool matches(std::uint64_t build_number) const;
    bool operator==(const BuildNumberSpec&) const = default;
};

struct MatchSpec {
    StringMatch name;  // literal in every dependency; a glob only in what a user asks for
    VersionSpec version;
    StringMatch build;
    std::optional<BuildNumberSpec> build_number;
    // These four are texts in StringMatch's language; empty: any.
    std::string channel;  // canonical name, URL without credentials (elsewhere than below the
                          // default alias), or glob
    std::string subdir;
    std::string fn;   // artifact file name
    std::string url;  // artifact URL
    std::optional<Sha256> sha256;
    std::optional<Md5> md5;
    std::optional<StringMatch> license;
    std::optional<StringMatch> license_family;
    std::optional<StringMatch> features;
    std::optional<BuildNumberSpec> timestamp;  // milliseconds since 1970
    std::optional<BuildNumberSpec> size;       // bytes
    std::vector<std::string> track_features;   // all must be among the record's; sorted
    std::vector<std::string> extras;           // CEP 44; sorted
    std::vector<StringMatch> flags;  // CEP 45: each must match one of the record's; sorted
    std::string when;                // CEP 43, the condition's text; empty: unconditional
    std::vector<std::string>
        warnings;  // what was accepted but is odd ("'pkg=': empty version means any")

    /// ErrorKind::parse with the offset of what is wrong; linear in the text.
    static Result<MatchSpec> parse(std::string_view text);

    /// Everything except `when` and `extras`, which belong to the solver. For many records of one
    /// spec: record_matcher.hpp.
    [[nodiscard]] bool matches(const Record& record) const;
    /// Canonical text (CEP 29 appendix A); parse(to_text()) gives an equal spec.
    [[nodiscard]] std::string to_text() const;

    /// The same question, whatever warnings its text earned.
    bool operator==(const MatchSpec& other) const;
};

/// One step of a `when` condition in reverse Polish order: push the truth of `spec`, or join the
/// two on top.
struct ConditionStep {
    enum class Kind { spec, both, either };
    Kind kind = Kind::spec;
    MatchSpec spec;  // of Kind::spec
};
/// CEP 43: specs joined by "and" and "or" ("and" binds tighter), with parentheses. MatchSpec::parse
/// has already checked the `when` of every spec it gives. ErrorKind::parse with an offset.
Result<std::vector<ConditionStep>> parse_condition(std::string_view when);

/// The package name at the head of a dependency as nearly all are written ("numpy >=1.2",
/// "python[…]"), found without parsing the rest; a view into `spec`. None when only
/// MatchSpec::parse can tell: a channel, an upper-case name, a glob, a file name, anything
/// malformed. Where it answers and the spec parses, the parser gives the same name.
std::optional<std::string_view> dependency_name(std::string_view spec);

}  // namespace chm::conda
