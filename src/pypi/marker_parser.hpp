// The parser behind Marker::parse: shunting-yard, so without recursion over hostile parentheses.
#pragma once

#include "pypi/marker.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace chm::pypi {

inline constexpr std::size_t k_max_marker_nesting = 64;
/// How many operands can wait in evaluation: at each level the left sides of an `or` and an `and`.
inline constexpr std::size_t k_max_marker_operands = 2 * (k_max_marker_nesting + 1) + 1;

class MarkerParser {
public:
    MarkerParser(std::string_view literal, const TextContext& context)
        : rest_(literal), context_(context) {}

    Result<Marker> parse() &&;

private:
    using Operator = Marker::Operator;
    using StepKind = Marker::StepKind;
    enum class Waiting { either, both, open };  // by how tightly it binds; `open` is a parenthesis

    struct Side {
        std::string_view at;  // where it stands, for errors
        std::optional<MarkerVariable> variable;
        std::string_view literal;
    };

    [[nodiscard]] tl::unexpected<Error> wrong(std::string_view at, std::string_view reason) const;
    void skip_blanks();
    [[nodiscard]] std::string_view peek_word() const;
    Result<> token();
    Result<> open();
    Result<> close();
    Result<> join();
    Result<> comparison();
    Result<Side> side();
    Result<Operator> comparison_operator();
    Result<> add(const Side& left, Operator op, const Side& right);
    Result<> type(Marker::Comparison& comparison, const Side& literal) const;
    void reduce();

    std::string_view rest_;
    TextContext context_;
    std::vector<Waiting> waiting_;
    std::size_t depth_ = 0;
    bool expects_comparison_ = true;
    Marker marker_;
};

}  // namespace chm::pypi
