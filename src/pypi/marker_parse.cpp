// Reads markers: a token at a time, operators waiting on a stack until their right side is there.
#include "base/text.hpp"
#include "pypi/marker.hpp"
#include "pypi/marker_parser.hpp"
#include "pypi/package_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace chm::pypi {

tl::unexpected<Error> MarkerParser::wrong(std::string_view at, std::string_view reason) const {
    return fail(malformed_at(context_, at, reason));
}

void MarkerParser::skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
}

/// Letters, digits, '_' and '.', possibly none.
std::string_view MarkerParser::peek_word() const {
    const auto* const end = std::ranges::find_if_not(
        rest_, [](char c) { return is_alphanumeric(c) || c == '_' || c == '.'; });
    return {rest_.begin(), end};
}

Result<Marker> MarkerParser::parse() && {
    for (skip_blanks(); !rest_.empty(); skip_blanks()) {
        CHM_CHECK(token());
    }
    if (expects_comparison_) {
        return wrong(rest_, "a comparison is expected, as in python_version >= \"3.10\"");
    }
    if (depth_ > 0) {
        return wrong(rest_, "')' is missing");
    }
    while (!waiting_.empty()) {
        reduce();
    }
    return std::move(marker_);
}

Result<> MarkerParser::token() {
    if (rest_.front() == '(') {
        return open();
    }
    if (rest_.front() == ')') {
        return close();
    }
    return expects_comparison_ ? comparison() : join();
}

Result<> MarkerParser::open() {
    if (!expects_comparison_) {
        return wrong(rest_, "'and' or 'or' is expected before '('");
    }
    if (++depth_ > k_max_marker_nesting) {
        return wrong(rest_, fmt::format("more than {} parentheses are open", k_max_marker_nesting));
    }
    waiting_.push_back(Waiting::open);
    rest_.remove_prefix(1);
    return {};
}

Result<> MarkerParser::close() {
    if (expects_comparison_) {
        return wrong(rest_, "a comparison is expected before ')'");
    }
    if (depth_ == 0) {
        return wrong(rest_, "')' has no '('");
    }
    while (waiting_.back() != Waiting::open) {
        reduce();
    }
    waiting_.pop_back();
    --depth_;
    rest_.remove_prefix(1);
    return {};
}

Result<> MarkerParser::join() {
    const std::string_view word = peek_word();
    if (word != "and" && word != "or") {
        return wrong(rest_, "'and' or 'or' is expected");
    }
    const Waiting op = word == "and" ? Waiting::both : Waiting::either;
    while (!waiting_.empty() && waiting_.back() != Waiting::open && waiting_.back() >= op) {
        reduce();
    }
    waiting_.push_back(op);
    rest_.remove_prefix(word.size());
    expects_comparison_ = true;
    return {};
}

void MarkerParser::reduce() {
    const bool is_both = waiting_.back() == Waiting::both;
    marker_.steps_.push_back({is_both ? StepKind::both : StepKind::either, 0});
    waiting_.pop_back();
}

Result<> MarkerParser::comparison() {
    CHM_TRY(const Side left, side());
    skip_blanks();
    CHM_TRY(const Operator op, comparison_operator());
    skip_blanks();
    CHM_TRY(const Side right, side());
    CHM_CHECK(add(left, op, right));
    expects_comparison_ = false;
    return {};
}

Result<MarkerParser::Side> MarkerParser::side() {
    Side side;
    side.at = rest_;
    if (!rest_.empty() && (rest_.front() == '"' || rest_.front() == '\'')) {
        const std::size_t end = rest_.find(rest_.front(), 1);
        if (end == std::string_view::npos) {
            return wrong(rest_, "the quote is not closed");
        }
        side.literal = rest_.substr(1, end - 1);
        rest_.remove_prefix(end + 1);
        return side;
    }
    const std::string_view word = peek_word();
    if (word.empty()) {
        return wrong(rest_, "a variable or a text in quotes is expected");
    }
    side.variable = find_marker_variable(word);
    if (!side.variable) {
        return wrong(rest_,
                     word == "extras" || word == "dependency_groups"
                         ? "this variable is only for lock files; a package's metadata has 'extra'"
                         : "no variable of markers; they are python_version, sys_platform, "
                           "platform_machine, … (PEP 508)");
    }
    rest_.remove_prefix(word.size());
    return side;
}

Result<MarkerParser::Operator> MarkerParser::comparison_operator() {
    if (const auto op = take_operator(rest_)) {
        return static_cast<Operator>(*op);
    }
    const std::string_view word = peek_word();
    if (word == "in") {
        rest_.remove_prefix(word.size());
        return Operator::in;
    }
    if (word == "not") {
        std::string_view before = rest_;
        rest_.remove_prefix(word.size());
        skip_blanks();
        if (peek_word() == "in") {
            rest_.remove_prefix(2);
            return Operator::not_in;
        }
        std::swap(before, rest_);
    }
    return wrong(rest_, "an operator is expected: ==, !=, <=, >=, <, >, ~=, ===, in or not in");
}

Result<> MarkerParser::add(const Side& left, Operator op, const Side& right) {
    if (left.variable.has_value() == right.variable.has_value()) {
        return wrong(left.at, "a marker compares a variable with a text in quotes");
    }
    const bool literal_first = !left.variable;
    Marker::Comparison comparison;
    comparison.variable = literal_first ? *right.variable : *left.variable;
    comparison.op = op;
    comparison.literal_first = literal_first;
    CHM_CHECK(type(comparison, literal_first ? left : right));
    marker_.steps_.push_back(
        {StepKind::comparison, static_cast<std::uint32_t>(marker_.comparisons_.size())});
    marker_.comparisons_.push_back(std::move(comparison));
    return {};
}

/// Versions are compared as such where the variable is one and the literal can be one.
Result<> MarkerParser::type(Marker::Comparison& comparison, const Side& literal) const {
    comparison.literal = comparison.variable == MarkerVariable::extra
                             ? normalize_name(literal.literal)
                             : std::string(literal.literal);
    const Operator op = comparison.op;
    if (op == Operator::in || op == Operator::not_in) {
        return {};
    }
    if (!is_version_variable(comparison.variable)) {
        if (op == Operator::compatible || op == Operator::arbitrary) {
            return wrong(literal.at,
                         fmt::format("'{}' compares versions, and {} is none",
                                     Marker::text_of(op),
                                     to_text(comparison.variable)));
        }
        return {};
    }
    if (comparison.literal_first) {
        if (auto version = Version::parse(literal.literal, context_)) {
            comparison.version = *std::move(version);
        }
    } else if (auto specifier = VersionSpecifier::parse(
                   static_cast<SpecifierOperator>(op), literal.literal, context_)) {
        comparison.specifier = *std::move(specifier);
    }
    if (op == Operator::compatible && !comparison.version && !comparison.specifier) {
        return wrong(literal.at, "'~=' needs a version of two numbers or more, as in \"3.8\"");
    }
    if (op == Operator::arbitrary && !comparison.literal_first && !comparison.specifier) {
        return wrong(literal.at, "'===' needs a text without white space, as in \"3.8\"");
    }
    return {};
}

Result<Marker> Marker::parse(std::string_view text) {
    const TextContext context{"marker", text};
    CHM_CHECK(check_text(context));
    return parse(text, context);
}

Result<Marker> Marker::parse(std::string_view literal, const TextContext& context) {
    const std::size_t line_break = literal.find_first_of("\n\v\f\r");
    if (line_break != std::string_view::npos) {
        return fail(malformed_at(context, literal.substr(line_break), "a line break"));
    }
    return MarkerParser(literal, context).parse();
}

}  // namespace chm::pypi
