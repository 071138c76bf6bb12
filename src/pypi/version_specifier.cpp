// Each clause but === becomes a half-open range of version keys, or its complement. The bounds are
// PEP 440's, with its exclusions: see make_range.
#include "pypi/version_specifier.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace chm::pypi {

namespace {

struct OperatorText {
    std::string_view text;
    SpecifierOperator op;
};

// An operator that begins another one stands after it.
constexpr std::array<OperatorText, 8> k_operators{{{"===", SpecifierOperator::arbitrary},
                                                   {"==", SpecifierOperator::equal},
                                                   {"!=", SpecifierOperator::not_equal},
                                                   {"<=", SpecifierOperator::less_equal},
                                                   {">=", SpecifierOperator::greater_equal},
                                                   {"~=", SpecifierOperator::compatible},
                                                   {"<", SpecifierOperator::less},
                                                   {">", SpecifierOperator::greater}}};

std::string_view public_key(const Version& version) {
    return std::string_view(version.key()).substr(0, version.key_ends().dev);
}

/// The least key above all that begin with this one.
std::string above(std::string_view key) {
    return std::string(key) + k_above_all;
}

/// The text of a release with one more in its last place: "1.9" gives "1.10".
std::string next_release(std::string_view release) {
    std::string next(release);
    std::size_t at = next.size();
    while (at > 0 && next[at - 1] == '9') {
        next[--at] = '0';
    }
    if (at > 0 && is_digit(next[at - 1])) {
        ++next[at - 1];
    } else {
        next.insert(at, 1, '1');
    }
    return next;
}

/// How all keys begin that have this release (or one with zeros after it); the least of them, its
/// .dev0, is not below it.
Result<std::string> release_key(std::string_view release) {
    CHM_TRY(const Version version, Version::parse(release));
    return version.key().substr(0, version.key_ends().release);
}

}  // namespace

std::string_view to_text(SpecifierOperator op) {
    return std::ranges::find(k_operators, op, &OperatorText::op)->text;
}

std::optional<SpecifierOperator> take_operator(std::string_view& text) {
    for (const OperatorText& candidate : k_operators) {
        if (text.starts_with(candidate.text)) {
            text.remove_prefix(candidate.text.size());
            return candidate.op;
        }
    }
    return std::nullopt;
}

/// Reads the operand of a known operator.
class ClauseReader {
public:
    ClauseReader(SpecifierOperator op, std::string_view operand, const TextContext& context)
        : operand_(trim(operand)), context_(context) {
        clause_.op_ = op;
    }

    Result<VersionSpecifier> read() && {
        if (operand_.empty()) {
            return wrong(operand_, "a version is missing after the operator");
        }
        if (clause_.op_ == SpecifierOperator::arbitrary) {
            return read_arbitrary();
        }
        const bool has_star = operand_.ends_with(".*");
        const std::string_view literal =
            has_star ? operand_.substr(0, operand_.size() - 2) : operand_;
        CHM_TRY(const Version version, Version::parse(literal, context_));
        CHM_CHECK(check(version));
        if (has_star) {
            CHM_CHECK(check_star(version));
        }
        clause_.text_ = fmt::format(
            "{}{}{}", pypi::to_text(clause_.op_), version.to_text(), is_prefix_ ? ".*" : "");
        clause_.names_prerelease_ =
            version.is_prerelease() && clause_.op_ != SpecifierOperator::not_equal;
        CHM_CHECK(make_range(version));
        return std::move(clause_);
    }

private:
    using Op = SpecifierOperator;

    [[nodiscard]] tl::unexpected<Error> wrong(std::string_view at, std::string_view reason) const {
        return fail(malformed_at(context_, at, reason));
    }

    /// PEP 440: an escape hatch, compared as text.
    Result<VersionSpecifier> read_arbitrary() {
        const auto* const odd = std::ranges::find_if(operand_, [](char c) {
            return c == ' ' || (c >= '\t' && c <= '\r') || c == ';' || c == ')' || c == ',';
        });
        if (odd != operand_.end()) {
            return wrong(operand_.substr(static_cast<std::size_t>(odd - operand_.begin())),
                         "the text after '===' has no white space, ';', ',' or ')'");
        }
        clause_.text_ = fmt::format("==={}", operand_);
        clause_.lower_ = lower(operand_);
        const auto version = Version::parse(operand_, context_);
        clause_.names_prerelease_ = version && version->is_prerelease();
        return std::move(clause_);
    }

    Result<> check(const Version& version) const {
        const bool is_equality = clause_.op_ == Op::equal || clause_.op_ == Op::not_equal;
        if (version.has_local() && !is_equality) {
            return wrong(operand_.substr(operand_.find('+')),
                         "a local version ('+…') goes only with == and !=");
        }
        if (clause_.op_ == Op::compatible &&
            version.base_text().find('.') == std::string_view::npos) {
            return wrong(operand_, "'~=' needs a release of two numbers or more, as in ~=1.4");
        }
        return {};
    }

    Result<> check_star(const Version& version) {
        const std::string_view star = operand_.substr(operand_.size() - 2);
        if (version.to_text().size() != version.base_text().size()) {
            return wrong(star, "'.*' follows a release alone: no rc, post, dev or local part");
        }
        // Old projects write Requires-Python so; with these two only one reading is possible.
        if (clause_.op_ == Op::greater_equal || clause_.op_ == Op::less) {
            clause_.warning_ = fmt::format("'{0}{1}.*' is no valid clause; read as '{0}{1}'",
                                           pypi::to_text(clause_.op_),
                                           version.to_text());
            return {};
        }
        if (clause_.op_ != Op::equal && clause_.op_ != Op::not_equal) {
            return wrong(star, "'.*' goes only with == and !=");
        }
        is_prefix_ = true;
        return {};
    }

    Result<> make_range(const Version& version) {
        const std::string_view key = version.key();
        const Version::KeyEnds& ends = version.key_ends();
        switch (clause_.op_) {
            case Op::equal:
            case Op::not_equal:
                if (is_prefix_) {
                    return make_prefix_range(version.base_text());
                }
                // Without a local part the clause ignores the candidate's; with one it is strict.
                clause_.lower_ = key;
                clause_.upper_ = version.has_local() ? std::string(key) + '\0' : above(key);
                return {};
            case Op::less_equal:
                clause_.upper_ = above(public_key(version));
                return {};
            case Op::greater_equal:
                clause_.lower_ = key;
                return {};
            case Op::less:
                // Not the pre-releases of V itself, unless V is one: below V.dev0.
                if (version.is_prerelease()) {
                    clause_.upper_ = key;
                } else {
                    clause_.upper_ = key.substr(0, version.has_post() ? ends.post : ends.release);
                }
                return {};
            case Op::greater:
                // Not V+local; not V.postN, unless V is a post-release.
                if (version.has_dev()) {
                    clause_.lower_ = above(public_key(version));
                } else {
                    clause_.lower_ = above(key.substr(0, ends.post));
                }
                return {};
            case Op::compatible:
                clause_.lower_ = key;
                return make_upper(
                    version.base_text().substr(0, version.base_text().find_last_of('.')));
            case Op::arbitrary:
                return {};
        }
        return {};
    }

    Result<> make_prefix_range(std::string_view release) {
        CHM_TRY(clause_.lower_, release_key(release));
        return make_upper(release);
    }

    Result<> make_upper(std::string_view release) {
        CHM_TRY(clause_.upper_, release_key(next_release(release)));
        return {};
    }

    std::string_view operand_;
    TextContext context_;
    VersionSpecifier clause_;
    bool is_prefix_ = false;
};

Result<VersionSpecifier> VersionSpecifier::parse(std::string_view text) {
    return parse(text, {"version specifier", text});
}

Result<VersionSpecifier> VersionSpecifier::parse(std::string_view literal,
                                                 const TextContext& context) {
    std::string_view rest = trim(literal);
    const auto op = take_operator(rest);
    if (!op) {
        return fail(malformed_at(
            context, rest, "an operator is expected: ==, !=, <=, >=, <, >, ~= or ==="));
    }
    return parse(*op, rest, context);
}

Result<VersionSpecifier> VersionSpecifier::parse(SpecifierOperator op,
                                                 std::string_view operand,
                                                 const TextContext& context) {
    return ClauseReader(op, operand, context).read();
}

bool VersionSpecifier::contains(const Version& version) const {
    if (op_ == SpecifierOperator::arbitrary) {
        return std::ranges::equal(version.text(), lower_, {}, [](char c) { return to_lower(c); });
    }
    const bool is_within = version.key() >= lower_ && (upper_.empty() || version.key() < upper_);
    return is_within != (op_ == SpecifierOperator::not_equal);
}

std::string_view VersionSpecifier::operand() const {
    return std::string_view(text_).substr(pypi::to_text(op_).size());
}

Result<VersionSpecifierSet> VersionSpecifierSet::parse(std::string_view text) {
    const TextContext context{"version specifier", text};
    CHM_CHECK(check_text(context));
    return parse_list(text, context, EmptyClauses::ignored);
}

Result<VersionSpecifierSet> VersionSpecifierSet::parse(std::string_view literal,
                                                       const TextContext& context) {
    return parse_list(literal, context, EmptyClauses::only_last);
}

Result<VersionSpecifierSet> VersionSpecifierSet::parse_list(std::string_view literal,
                                                            const TextContext& context,
                                                            EmptyClauses empty_clauses) {
    std::string_view list = trim(literal);
    if (list.starts_with('(')) {
        if (!list.ends_with(')')) {
            return fail(malformed_at(context, list.substr(list.size()), "')' is missing"));
        }
        list = list.substr(1, list.size() - 2);
    }
    VersionSpecifierSet set;
    for (const std::string_view clause : split(list, ',')) {
        if (trim(clause).empty()) {
            const bool is_last = clause.data() + clause.size() == list.data() + list.size();
            if (empty_clauses == EmptyClauses::only_last && !is_last) {
                return fail(malformed_at(context, clause, "a clause such as >=1.2 is missing"));
            }
            continue;
        }
        CHM_TRY(VersionSpecifier specifier, VersionSpecifier::parse(clause, context));
        set.names_prerelease_ = set.names_prerelease_ || specifier.names_prerelease();
        set.clauses_.push_back(std::move(specifier));
    }
    std::ranges::sort(set.clauses_, {}, &VersionSpecifier::to_text);
    const auto repeated = std::ranges::unique(set.clauses_, {}, &VersionSpecifier::to_text);
    set.clauses_.erase(repeated.begin(), repeated.end());
    return set;
}

bool VersionSpecifierSet::contains(const Version& version, PrereleasePolicy policy) const {
    const bool takes_prereleases = policy == PrereleasePolicy::allow ||
                                   (policy == PrereleasePolicy::as_specified && names_prerelease_);
    if (version.is_prerelease() && !takes_prereleases) {
        return false;
    }
    return std::ranges::all_of(
        clauses_, [&](const VersionSpecifier& clause) { return clause.contains(version); });
}

std::string VersionSpecifierSet::to_text() const {
    std::string text;
    for (const VersionSpecifier& clause : clauses_) {
        if (!text.empty()) {
            text += ',';
        }
        text += clause.to_text();
    }
    return text;
}

bool VersionSpecifierSet::operator==(const VersionSpecifierSet& other) const {
    return std::ranges::equal(
        clauses_, other.clauses_, {}, &VersionSpecifier::to_text, &VersionSpecifier::to_text);
}

}  // namespace chm::pypi
