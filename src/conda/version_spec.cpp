// Version specs (CEP 29) as a flat list of nodes. ',' binds tighter than '|', so a group is
// alternatives of clauses that must all match; a node says whether an alternative begins with it,
// and a parenthesis is a node that spans others.
#include "conda/version_spec.hpp"

#include "base/text.hpp"
#include "conda/string_match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <variant>
#include <vector>

namespace chm::conda {

namespace {

constexpr std::size_t k_max_length = std::size_t{2}
                                     << 20;  // a parsed spec takes up to 150 times its text
constexpr std::size_t k_max_depth = 64;      // of parentheses; real specs need 2
constexpr std::size_t k_max_regexes = 16;    // each may take StringMatch's bound of memory
constexpr std::size_t k_max_warnings = 8;

enum class Op {
    any,
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    prefix,
    not_prefix,
    compatible,  // while parsing; becomes greater_equal and prefix
    text,        // glob or regular expression on the version as it is written
    not_text,
    group,
};

struct Node {
    Op op = Op::any;
    bool begins_alternative = false;  // a '|' stands before it
    bool is_first = false;            // of its group or alternative
    bool is_followed = false;         // by a ','
    bool has_alternatives = false;    // group: a '|' stands in it
    std::size_t end = 0;              // the node after this one and all that it spans
    std::variant<std::monostate, Version, VersionPrefix, StringMatch> operand;
};

bool matches_clause(const Node& node, const Version& version) {
    switch (node.op) {
        case Op::equal:
            return version == std::get<Version>(node.operand);
        case Op::not_equal:
            return version != std::get<Version>(node.operand);
        case Op::less:
            return version < std::get<Version>(node.operand);
        case Op::less_equal:
            return version <= std::get<Version>(node.operand);
        case Op::greater:
            return version > std::get<Version>(node.operand);
        case Op::greater_equal:
            return version >= std::get<Version>(node.operand);
        case Op::prefix:
            return std::get<VersionPrefix>(node.operand).matches(version);
        case Op::not_prefix:
            return !std::get<VersionPrefix>(node.operand).matches(version);
        case Op::text:
            return std::get<StringMatch>(node.operand).matches(version.text());
        case Op::not_text:
            return !std::get<StringMatch>(node.operand).matches(version.text());
        case Op::any:
        case Op::compatible:
        case Op::group:
            break;
    }
    return true;
}

/// Recurses into parentheses, at most k_max_depth deep.
bool matches_group(std::span<const Node> nodes, std::size_t begin, const Version& version) {
    bool all_match = true;
    const std::size_t end = nodes.size();
    for (std::size_t i = begin; i < end; i = nodes[i].end) {
        const Node& node = nodes[i];
        if (node.begins_alternative) {
            if (all_match) {
                return true;
            }
            all_match = true;
        }
        if (all_match) {
            all_match = node.op == Op::group ? matches_group(nodes.first(node.end), i + 1, version)
                                             : matches_clause(node, version);
        }
    }
    return all_match;
}

constexpr std::string_view k_spaces = " \t\r\n\f\v";
constexpr std::string_view k_operator_characters = "=<>!~";

struct Operator {
    std::string_view text;
    Op op;
};

// The longer first, where one begins another.
constexpr std::array<Operator, 8> k_operators{{{"==", Op::equal},
                                               {"!=", Op::not_equal},
                                               {"<=", Op::less_equal},
                                               {">=", Op::greater_equal},
                                               {"~=", Op::compatible},
                                               {"=", Op::prefix},
                                               {"<", Op::less},
                                               {">", Op::greater}}};

std::string_view operator_text(Op op) {
    for (const Operator& candidate : k_operators) {
        if (candidate.op == op) {
            return candidate.text;
        }
    }
    return "";
}

std::string lowered(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return out;
}

/// A version as canonical text has it: conda folds case and reads '-' as '_'.
std::string canonical_literal(std::string_view literal) {
    std::string out = lowered(literal);
    std::replace(out.begin(), out.end(), '-', '_');
    return out;
}

bool is_glob_character(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("._-+!*").find(c) != std::string_view::npos;
}

/// Parses one spec. Views into the text are kept throughout, so that an offset is a difference of
/// pointers.
class Parser {
public:
    explicit Parser(std::string_view text) : text_(text), context_{"version spec", text} {}

    Result<> parse() {
        if (text_.size() > k_max_length) {
            return flaw(k_max_length, fmt::format("longer than {} bytes", k_max_length));
        }
        bool wants_clause = true;
        for (;;) {
            skip_spaces();
            if (wants_clause) {
                CHM_TRY(wants_clause, read_operand());
                continue;
            }
            if (at_ == text_.size()) {
                break;
            }
            CHM_TRY(wants_clause, read_connective());
        }
        if (!open_.empty()) {
            return flaw(open_.back().offset, "'(' without ')'");
        }
        return {};
    }

    std::vector<Node> nodes;
    std::vector<std::string> texts;  // of each node; groups have none
    std::vector<std::string> warnings;

private:
    struct OpenGroup {
        std::size_t node;
        std::size_t offset;
    };

    Result<bool> read_operand();
    Result<bool> read_connective();
    Result<> read_clause(std::string_view clause);
    Result<> add_regex(std::string_view clause);
    Result<> add_glob(Op op, std::string_view pattern);
    Result<> add_fuzzy(Op op, std::string_view clause, std::string_view literal);
    Result<> add_literal(Op op, std::string_view literal);
    Result<> add_compatible(std::string_view literal);

    void skip_spaces() { at_ = std::min(text_.find_first_not_of(k_spaces, at_), text_.size()); }

    Node& add(Op op, std::string text) {
        Node node;
        node.op = op;
        node.begins_alternative = std::exchange(after_bar_, false);
        node.is_first = std::exchange(is_first_, false);
        node.end = nodes.size() + 1;
        last_ = nodes.size();
        texts.push_back(std::move(text));
        return nodes.emplace_back(std::move(node));
    }

    [[nodiscard]] std::size_t offset_of(std::string_view part) const {
        return static_cast<std::size_t>(part.data() - text_.data());
    }

    [[nodiscard]] tl::unexpected<Error> flaw(std::size_t offset, std::string_view reason) const {
        return fail(
            ErrorKind::parse,
            fmt::format("version spec {}, offset {}: {}", quote_safely(text_), offset, reason));
    }

    std::string_view text_;
    LiteralContext context_;
    std::size_t at_ = 0;
    std::vector<OpenGroup> open_;
    std::size_t last_ = 0;  // the node that a ',' would follow
    bool after_bar_ = false;
    bool is_first_ = true;
    std::size_t regexes_ = 0;
};

/// A clause or '('; true when a clause must follow still.
Result<bool> Parser::read_operand() {
    if (at_ == text_.size()) {
        return flaw(at_, "ends where a version should follow");
    }
    const std::string_view rest = text_.substr(at_);
    if (rest.front() == '(') {
        if (open_.size() == k_max_depth) {
            return flaw(at_,
                        fmt::format("more than {} parentheses within each other", k_max_depth));
        }
        open_.push_back({nodes.size(), at_});
        add(Op::group, "");
        is_first_ = true;
        ++at_;
        return true;
    }
    if (rest.front() == '^') {
        const std::size_t dollar = rest.find('$');
        if (dollar == std::string_view::npos) {
            return flaw(at_, "'^' begins a regular expression, which must end in '$'");
        }
        at_ += dollar + 1;
        CHM_CHECK(add_regex(rest.substr(0, dollar + 1)));
        return false;
    }
    const std::string_view clause = rest.substr(0, rest.find_first_of("(),|"));
    if (clause.empty()) {
        return flaw(at_, "a version should stand here");
    }
    at_ += clause.size();
    CHM_CHECK(read_clause(trim(clause)));
    return false;
}

/// ',', '|' or ')'; true when a clause must follow.
Result<bool> Parser::read_connective() {
    switch (text_[at_]) {
        case ',':
            nodes[last_].is_followed = true;
            break;
        case '|':
            after_bar_ = true;
            is_first_ = true;
            if (!open_.empty()) {
                nodes[open_.back().node].has_alternatives = true;
            }
            break;
        case ')':
            if (open_.empty()) {
                return flaw(at_, "')' without '('");
            }
            last_ = open_.back().node;
            nodes[last_].end = nodes.size();
            open_.pop_back();
            ++at_;
            return false;
        default:
            return flaw(at_, "',' or '|' should stand here");
    }
    ++at_;
    return true;
}

Result<> Parser::read_clause(std::string_view clause) {
    Op op = Op::equal;
    std::string_view version = clause;
    for (const Operator& candidate : k_operators) {
        if (clause.starts_with(candidate.text)) {
            op = candidate.op;
            version = trim(clause.substr(candidate.text.size()));
            break;
        }
    }
    if (version.empty()) {
        return flaw(offset_of(clause) + clause.size(), "an operator without a version");
    }
    if (k_operator_characters.find(version.front()) != std::string_view::npos) {
        return flaw(offset_of(clause), "an unknown operator; known are == != <= >= ~= = < >");
    }
    const std::size_t star = version.find('*');
    if (star == std::string_view::npos) {
        return op == Op::compatible ? add_compatible(version) : add_literal(op, version);
    }
    if (star + 1 != version.size()) {
        return add_glob(op, version);
    }
    if (version == "*" && (op == Op::equal || op == Op::prefix)) {
        add(Op::any, "*");
        return {};
    }
    version.remove_suffix(version.ends_with(".*") ? 2 : 1);
    if (version.size() != trim(version).size()) {
        return flaw(offset_of(version) + trim(version).size(), "a space before '*'");
    }
    return add_fuzzy(op, clause, version);
}

Result<> Parser::add_regex(std::string_view clause) {
    if (++regexes_ > k_max_regexes) {
        return flaw(offset_of(clause),
                    fmt::format("more than {} regular expressions", k_max_regexes));
    }
    auto match = StringMatch::parse(clause);
    if (!match) {
        return flaw(offset_of(clause), match.error().message);
    }
    add(Op::text, std::string(clause)).operand = std::move(*match);
    return {};
}

/// A '*' that is not last makes the version a glob on its text (CEP 29).
Result<> Parser::add_glob(Op op, std::string_view pattern) {
    const bool is_negated = op == Op::not_equal;
    if (!is_negated && op != Op::equal && op != Op::prefix) {
        return flaw(offset_of(pattern) + pattern.find('*'),
                    "'*' within a version goes with = and != only");
    }
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (!is_glob_character(pattern[i])) {
            return flaw(offset_of(pattern) + i, "a character that versions do not have");
        }
        if (pattern[i] == '*' && i > 0 && pattern[i - 1] == '*') {
            return flaw(offset_of(pattern) + i, "two '*' in a row");
        }
    }
    CHM_TRY(StringMatch match, StringMatch::parse(pattern));
    add(is_negated ? Op::not_text : Op::text, (is_negated ? "!=" : "") + lowered(pattern)).operand =
        std::move(match);
    return {};
}

/// A version whose final ".*" or "*" is cut off already.
Result<> Parser::add_fuzzy(Op op, std::string_view clause, std::string_view literal) {
    if (op == Op::equal || op == Op::prefix) {
        return add_literal(Op::prefix, literal);
    }
    if (op == Op::not_equal) {
        CHM_TRY(VersionPrefix prefix, VersionPrefix::parse(literal, context_));
        add(Op::not_prefix, fmt::format("!={}.*", canonical_literal(literal))).operand =
            std::move(prefix);
        return {};
    }
    if (op == Op::compatible) {
        return flaw(offset_of(literal) + literal.size(), "'~=' takes a version without '*'");
    }
    CHM_CHECK(add_literal(op, literal));
    // ">=1.8.*" is common and clear. In the others the '*' could mean different things, and does
    // among solvers.
    if (op != Op::greater_equal && warnings.size() < k_max_warnings) {
        warnings.push_back(fmt::format("'{0}': '*' after '{1}' is ignored; write '{1}{2}'",
                                       printable(clause),
                                       operator_text(op),
                                       printable(literal)));
    }
    return {};
}

Result<> Parser::add_literal(Op op, std::string_view literal) {
    std::string text = fmt::format("{}{}", operator_text(op), canonical_literal(literal));
    if (op == Op::prefix) {
        CHM_TRY(VersionPrefix prefix, VersionPrefix::parse(literal, context_));
        add(op, std::move(text)).operand = std::move(prefix);
        return {};
    }
    CHM_TRY(Version version, Version::parse(literal, context_));
    add(op, std::move(text)).operand = std::move(version);
    return {};
}

/// "~=1.4.2" is ">=1.4.2,1.4.*" (CEP 29); "~=1" is ">=1" within the epoch, as libmamba and rattler
/// have it.
Result<> Parser::add_compatible(std::string_view literal) {
    CHM_TRY(Version version, Version::parse(literal, context_));
    CHM_TRY(VersionPrefix prefix, VersionPrefix::parse_compatible(literal, context_));
    add(Op::greater_equal, fmt::format("~={}", canonical_literal(literal))).operand =
        std::move(version);
    add(Op::prefix, "").operand = std::move(prefix);
    return {};
}

/// Writes canonical text, with parentheses only around alternatives that stand beside other
/// clauses.
class Printer {
public:
    Printer(const std::vector<Node>& nodes, const std::vector<std::string>& texts)
        : nodes_(nodes), texts_(texts) {}

    /// `is_alone`: nothing is joined by ',' to the group whose nodes these are.
    void print(std::size_t begin, std::size_t end, bool is_alone) {
        for (std::size_t i = begin; i < end; i = nodes_[i].end) {
            const Node& node = nodes_[i];
            if (node.op != Op::group && texts_[i].empty()) {
                continue;
            }
            if (i != begin) {
                text_ += node.begins_alternative ? '|' : ',';
            }
            if (node.op != Op::group) {
                text_ += texts_[i];
                continue;
            }
            const bool child_is_alone = is_alone && node.is_first && !node.is_followed;
            const bool needs_parentheses = node.has_alternatives && !child_is_alone;
            text_ += needs_parentheses ? "(" : "";
            print(i + 1, node.end, child_is_alone || node.has_alternatives);
            text_ += needs_parentheses ? ")" : "";
        }
    }

    [[nodiscard]] std::string take_text() { return std::move(text_); }

private:
    const std::vector<Node>& nodes_;
    const std::vector<std::string>& texts_;
    std::string text_;
};

}  // namespace

struct VersionSpec::Tree {
    std::string text;
    std::vector<Node> nodes;
    std::vector<std::string> warnings;
};

VersionSpec::VersionSpec() = default;

Result<VersionSpec> VersionSpec::parse(std::string_view text) {
    Parser parser(text);
    CHM_CHECK(parser.parse());
    Printer printer(parser.nodes, parser.texts);
    printer.print(0, parser.nodes.size(), true);
    VersionSpec spec;
    std::string canonical = printer.take_text();
    if (canonical != "*") {
        spec.tree_ = std::make_shared<const Tree>(
            Tree{std::move(canonical), std::move(parser.nodes), std::move(parser.warnings)});
    }
    return spec;
}

bool VersionSpec::matches(const Version& version) const {
    return tree_ == nullptr || matches_group(tree_->nodes, 0, version);
}

bool VersionSpec::is_any() const {
    return tree_ == nullptr;
}

bool VersionSpec::is_exact() const {
    return tree_ != nullptr && tree_->nodes.size() == 1 && tree_->nodes.front().op == Op::equal;
}

bool VersionSpec::is_fuzzy() const {
    return tree_ != nullptr && tree_->nodes.size() == 1 && tree_->nodes.front().op == Op::prefix;
}

std::span<const std::string> VersionSpec::warnings() const {
    return tree_ == nullptr ? std::span<const std::string>() : tree_->warnings;
}

std::string VersionSpec::to_text() const {
    return tree_ == nullptr ? "*" : tree_->text;
}

bool VersionSpec::operator==(const VersionSpec& other) const {
    return tree_ == other.tree_ || to_text() == other.to_text();
}

}  // namespace chm::conda
