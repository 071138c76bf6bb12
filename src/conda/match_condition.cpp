// The conditions of `when` (CEP 43), by the shunting-yard method: linear, and no recursion over
// hostile parentheses.
#include "base/text.hpp"
#include "conda/match_spec.hpp"
#include "conda/match_spec_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace chm::conda {

namespace {

constexpr std::size_t k_max_nesting = 64;

bool is_space(char c) {
    return c == ' ' || c == '\t';
}

/// One past the end of the word at `start`: it ends at a space or parenthesis outside brackets and
/// quotes.
std::size_t word_end(std::string_view text, std::size_t start) {
    char quote = '\0';
    int brackets = 0;
    for (std::size_t i = start; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != '\0') {
            quote = c == quote ? '\0' : quote;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '[') {
            ++brackets;
        } else if (c == ']') {
            --brackets;
        } else if (brackets <= 0 && (is_space(c) || c == '(' || c == ')')) {
            return i;
        }
    }
    return text.size();
}

/// One past the end of the spec at `start`. The CEP wants "python>=3.10" without a space; rattler
/// reads and writes "python >=3.10", so a word that can only be a version belongs to the name before
/// it.
std::size_t spec_end(std::string_view text, std::size_t start) {
    std::size_t end = word_end(text, start);
    for (;;) {
        const std::size_t next = text.find_first_not_of(" \t", end);
        if (next == std::string_view::npos || next == end ||
            std::string_view("<>=!~,|*0123456789").find(text[next]) == std::string_view::npos) {
            return end;
        }
        end = word_end(text, next);
    }
}

class ConditionParser {
public:
    explicit ConditionParser(std::string_view text) : text_(text) {}
    Result<std::vector<ConditionStep>> parse();

private:
    enum class Operator { either, both, open };  // by how tightly it binds; `open` is a parenthesis

    [[nodiscard]] tl::unexpected<Error> wrong(std::size_t offset, std::string_view what) const {
        return fail(
            ErrorKind::parse,
            fmt::format("condition {}: offset {}: {}", quote_safely(text_, 120), offset, what));
    }
    Result<> token(std::size_t start, std::size_t end);
    Result<> open(std::size_t at);
    Result<> close(std::size_t at);
    Result<> join(std::size_t at, Operator op);
    Result<> operand(std::size_t at, std::string_view spec);
    void reduce();

    std::string_view text_;
    std::vector<Operator> operators_;
    std::vector<ConditionStep> steps_;
    std::size_t depth_ = 0;
    bool expects_spec_ = true;
};

Result<std::vector<ConditionStep>> ConditionParser::parse() {
    for (std::size_t at = 0; at < text_.size();) {
        if (is_space(text_[at])) {
            ++at;
            continue;
        }
        const bool is_parenthesis = text_[at] == '(' || text_[at] == ')';
        const std::size_t end = is_parenthesis ? at + 1 : spec_end(text_, at);
        CHM_CHECK(token(at, end));
        at = end;
    }
    if (expects_spec_) {
        return wrong(text_.size(), "a package is expected here, as in python>=3.10");
    }
    if (depth_ > 0) {
        return wrong(text_.size(), "')' is missing");
    }
    while (!operators_.empty()) {
        reduce();
    }
    return std::move(steps_);
}

Result<> ConditionParser::token(std::size_t start, std::size_t end) {
    const std::string_view word = text_.substr(start, end - start);
    if (word == "(") {
        return open(start);
    }
    if (word == ")") {
        return close(start);
    }
    if (word == "and") {
        return join(start, Operator::both);
    }
    if (word == "or") {
        return join(start, Operator::either);
    }
    return operand(start, word);
}

Result<> ConditionParser::open(std::size_t at) {
    if (!expects_spec_) {
        return wrong(at, "'and' or 'or' is expected before '('");
    }
    if (++depth_ > k_max_nesting) {
        return wrong(at, fmt::format("more than {} parentheses are open", k_max_nesting));
    }
    operators_.push_back(Operator::open);
    return {};
}

Result<> ConditionParser::close(std::size_t at) {
    if (expects_spec_) {
        return wrong(at, "a package is expected before ')'");
    }
    if (depth_ == 0) {
        return wrong(at, "')' has no '('");
    }
    while (operators_.back() != Operator::open) {
        reduce();
    }
    operators_.pop_back();
    --depth_;
    return {};
}

Result<> ConditionParser::join(std::size_t at, Operator op) {
    if (expects_spec_) {
        return wrong(at, "a package is expected here, as in python>=3.10");
    }
    while (!operators_.empty() && operators_.back() != Operator::open && operators_.back() >= op) {
        reduce();
    }
    operators_.push_back(op);
    expects_spec_ = true;
    return {};
}

Result<> ConditionParser::operand(std::size_t at, std::string_view spec) {
    if (!expects_spec_) {
        return wrong(at, "'and' or 'or' is expected here");
    }
    auto parsed = MatchSpecParser(spec, false).parse();
    if (!parsed) {
        return wrong(at, parsed.error().message);
    }
    steps_.push_back({ConditionStep::Kind::spec, *std::move(parsed)});
    expects_spec_ = false;
    return {};
}

void ConditionParser::reduce() {
    const bool is_both = operators_.back() == Operator::both;
    steps_.push_back({is_both ? ConditionStep::Kind::both : ConditionStep::Kind::either, {}});
    operators_.pop_back();
}

}  // namespace

Result<std::vector<ConditionStep>> parse_condition(std::string_view when) {
    return ConditionParser(when).parse();
}

}  // namespace chm::conda
