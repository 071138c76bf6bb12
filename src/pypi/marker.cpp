// Evaluation and text of markers; marker_parse.cpp reads them.
#include "pypi/marker.hpp"

#include "pypi/marker_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace chm::pypi {

std::string_view Marker::text_of(Operator op) {
    if (op == Operator::in) {
        return "in";
    }
    return op == Operator::not_in ? "not in" : pypi::to_text(static_cast<SpecifierOperator>(op));
}

/// Where not both sides are versions no order is assumed: PEP 508's successor leaves equality.
bool Marker::compare_text(Operator op, std::string_view left, std::string_view right) {
    switch (op) {
        case Operator::equal:
        case Operator::less_equal:
        case Operator::greater_equal:
            return left == right;
        case Operator::arbitrary:
            return lower(left) == lower(right);
        case Operator::not_equal:
            return left != right;
        case Operator::in:
            return right.find(left) != std::string_view::npos;
        case Operator::not_in:
            return right.find(left) == std::string_view::npos;
        case Operator::less:
        case Operator::greater:
        case Operator::compatible:
            return false;
    }
    return false;
}

bool Marker::holds(const Comparison& comparison, const MarkerEnvironment& environment) {
    const std::string& value = environment.value(comparison.variable);
    if (is_version_variable(comparison.variable)) {
        const Version* const version = environment.version(comparison.variable);
        if (version != nullptr && comparison.specifier) {
            return comparison.specifier->contains(*version);
        }
        if (version != nullptr && comparison.version && comparison.op != Operator::arbitrary) {
            const auto specifier = VersionSpecifier::parse(
                static_cast<SpecifierOperator>(comparison.op), value, {"marker", value});
            if (specifier) {
                return specifier->contains(*comparison.version);
            }
        }
    }
    return comparison.literal_first ? compare_text(comparison.op, comparison.literal, value)
                                    : compare_text(comparison.op, value, comparison.literal);
}

/// With several extras, a positive comparison holds when it does for one of them, and a negative
/// one when its opposite does not. With none, `extra` is "".
bool Marker::holds(const Comparison& comparison, std::span<const std::string> extras) {
    const bool is_negative =
        comparison.op == Operator::not_equal || comparison.op == Operator::not_in;
    Operator op = comparison.op;
    if (is_negative) {
        op = op == Operator::not_equal ? Operator::equal : Operator::in;
    }
    const auto holds_for = [&](std::string_view extra) {
        return comparison.literal_first ? compare_text(op, comparison.literal, extra)
                                        : compare_text(op, extra, comparison.literal);
    };
    const bool holds_for_one =
        extras.empty() ? holds_for("") : std::ranges::any_of(extras, holds_for);
    return holds_for_one != is_negative;
}

bool Marker::evaluate(const MarkerEnvironment& environment,
                      std::span<const std::string> extras) const {
    // The parser bounds how many operands wait for their operator.
    std::array<bool, k_max_marker_operands> stack{};
    std::size_t height = 0;
    for (const Step& step : steps_) {
        if (step.kind == StepKind::comparison) {
            const Comparison& comparison = comparisons_[step.comparison];
            stack.at(height++) = comparison.variable == MarkerVariable::extra
                                     ? holds(comparison, extras)
                                     : holds(comparison, environment);
            continue;
        }
        const bool right = stack.at(--height);
        bool& left = stack.at(height - 1);
        left = step.kind == StepKind::both ? left && right : left || right;
    }
    return stack.front();
}

bool Marker::mentions_extra() const {
    return std::ranges::any_of(comparisons_, [](const Comparison& comparison) {
        return comparison.variable == MarkerVariable::extra;
    });
}

std::string Marker::text_of(const Comparison& comparison) {
    const char quote = comparison.literal.find('"') == std::string::npos ? '"' : '\'';
    const std::string literal = fmt::format("{0}{1}{0}", quote, comparison.literal);
    const std::string_view variable = pypi::to_text(comparison.variable);
    return comparison.literal_first
               ? fmt::format("{} {} {}", literal, text_of(comparison.op), variable)
               : fmt::format("{} {} {}", variable, text_of(comparison.op), literal);
}

std::string Marker::to_text() const {
    struct Piece {
        std::string text;
        StepKind kind;
    };
    std::vector<Piece> stack;
    for (const Step& step : steps_) {
        if (step.kind == StepKind::comparison) {
            stack.push_back({text_of(comparisons_[step.comparison]), step.kind});
            continue;
        }
        const Piece right = std::move(stack.back());
        stack.pop_back();
        Piece& left = stack.back();
        const bool is_both = step.kind == StepKind::both;
        if (is_both && left.kind == StepKind::either) {
            left.text = fmt::format("({})", left.text);
        }
        const bool wraps_right = is_both && right.kind == StepKind::either;
        left.text += is_both ? " and " : " or ";
        left.text += wraps_right ? fmt::format("({})", right.text) : right.text;
        left.kind = step.kind;
    }
    return std::move(stack.front().text);
}

}  // namespace chm::pypi
