// Environment markers (PEP 508): `sys_platform == "linux" and python_version >= "3.10"`, when a
// requirement counts. Semantics: docs/pypi-semantics.md.
#pragma once

#include "base/result.hpp"
#include "pypi/marker_environment.hpp"
#include "pypi/text_context.hpp"
#include "pypi/version_specifier.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace chm::pypi {

/// A parsed marker, in reverse Polish order.
class Marker {
public:
    /// ErrorKind::parse with the offset of what is wrong. Linear in the text; nesting of
    /// parentheses is bounded.
    static Result<Marker> parse(std::string_view text);
    /// The same for a literal within a larger text.
    static Result<Marker> parse(std::string_view literal, const TextContext& context);

    /// `extras` are the extras that are asked for, by their normalized names.
    [[nodiscard]] bool evaluate(const MarkerEnvironment& environment,
                                std::span<const std::string> extras = {}) const;
    /// True when the answer depends on the extras.
    [[nodiscard]] bool mentions_extra() const;

    /// Canonical text: single spaces, no needless parentheses, quotes '"' where they can be, extras
    /// and versions' operators as written. parse(to_text()) gives an equal marker.
    [[nodiscard]] std::string to_text() const;

    /// Same canonical text.
    bool operator==(const Marker& other) const { return to_text() == other.to_text(); }

private:
    friend class MarkerParser;

    enum class Operator {
        equal,
        not_equal,
        less_equal,
        greater_equal,
        less,
        greater,
        compatible,
        arbitrary,
        in,
        not_in,
    };

    struct Comparison {
        MarkerVariable variable = MarkerVariable::os_name;
        Operator op = Operator::equal;
        bool literal_first = false;
        std::string literal;
        std::optional<VersionSpecifier> specifier;  // variable first, and the literal is a version
        std::optional<Version> version;             // literal first, and it is a version
    };

    enum class StepKind : std::uint8_t { comparison, both, either };
    struct Step {
        StepKind kind = StepKind::comparison;
        std::uint32_t comparison = 0;
    };

    static std::string_view text_of(Operator op);
    static bool compare_text(Operator op, std::string_view left, std::string_view right);
    static std::string text_of(const Comparison& comparison);
    static bool holds(const Comparison& comparison, const MarkerEnvironment& environment);
    static bool holds(const Comparison& comparison, std::span<const std::string> extras);

    std::vector<Comparison> comparisons_;
    std::vector<Step> steps_;
};

}  // namespace chm::pypi
