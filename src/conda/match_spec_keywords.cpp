// MatchSpec::parse, the bracket group: [key='value', key2=[item, item]]. Keys and quoting:
// CEP 29; when, extras, flags: CEP 43, 44, 45.
#include "base/ascii.hpp"
#include "base/text.hpp"
#include "conda/channel.hpp"
#include "conda/match_spec.hpp"
#include "conda/match_spec_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace chm::conda {

namespace {

constexpr std::string_view k_space = " \t";

bool is_key_character(char c) {
    return is_alphanumeric(c) || c == '_' || c == '-';
}

void skip_space(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(k_space), text.size()));
}

/// CEP 44: [a-z0-9_.+-]{1,64}
bool is_extra(std::string_view text) {
    return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
        return is_lower_or_digit(c) || c == '_' || c == '.' || c == '+' || c == '-';
    });
}

/// CEP 45: ^[a-z0-9_\*]+(:[a-z0-9_\*]+)?$
bool is_flag(std::string_view text) {
    const std::vector<std::string_view> parts = split(text, ':');
    return parts.size() <= 2 && std::ranges::all_of(parts, [](std::string_view part) {
               return !part.empty() && std::ranges::all_of(part, [](char c) {
                   return is_lower_or_digit(c) || c == '_' || c == '*';
               });
           });
}

std::optional<BuildNumberSpec> parse_number(std::string_view text) {
    using Op = BuildNumberSpec::Op;
    struct Spelling {
        std::string_view text;
        Op op;
    };
    // Longest first. No operator means equal.
    static constexpr Spelling k_spellings[] = {
        {"==", Op::equal},
        {"!=", Op::not_equal},
        {"<=", Op::less_equal},
        {">=", Op::greater_equal},
        {"=", Op::equal},
        {"<", Op::less},
        {">", Op::greater},
    };
    BuildNumberSpec spec;
    for (const Spelling& spelling : k_spellings) {
        if (text.starts_with(spelling.text)) {
            spec.op = spelling.op;
            text.remove_prefix(spelling.text.size());
            break;
        }
    }
    skip_space(text);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), spec.number);
    if (error != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return spec;
}

template <class T>
void sort_unique(std::vector<T>& items) {
    std::ranges::sort(items);
    items.erase(std::unique(items.begin(), items.end()), items.end());
}

}  // namespace

struct MatchSpecParser::Keyword {
    using Setter = Result<> (*)(MatchSpecParser&, const Value&);
    std::string_view key;
    Setter set;
    bool takes_list = false;
};

// The bits of seen_ are indices of this table.
std::span<const MatchSpecParser::Keyword> MatchSpecParser::keyword_table() {
    using P = MatchSpecParser;
    using V = Value;
    static constexpr auto k_table = std::to_array<Keyword>({
        {"name", [](P& p, const V& v) { return p.set_name_keyword(v); }},
        {"version", [](P& p, const V& v) { return p.set_version(v.at, v.items.front()); }},
        {"build", [](P& p, const V& v) { return p.set_build(v.at, v.items.front()); }},
        {"build_number", [](P& p, const V& v) { return p.read_number(v, p.spec_.build_number); }},
        {"channel", [](P& p, const V& v) { return p.set_channel(v.at, v.items.front()); }},
        {"subdir", [](P& p, const V& v) { return p.read_text(v, p.spec_.subdir); }},
        {"fn", [](P& p, const V& v) { return p.read_text(v, p.spec_.fn); }},
        {"url", [](P& p, const V& v) { return p.set_url(v); }},
        {"sha256", [](P& p, const V& v) { return p.read_digest(v, p.spec_.sha256); }},
        {"md5", [](P& p, const V& v) { return p.read_digest(v, p.spec_.md5); }},
        {"license", [](P& p, const V& v) { return p.read_string(v, p.spec_.license); }},
        {"license_family",
         [](P& p, const V& v) { return p.read_string(v, p.spec_.license_family); }},
        {"features", [](P& p, const V& v) { return p.read_string(v, p.spec_.features); }},
        {"timestamp", [](P& p, const V& v) { return p.read_number(v, p.spec_.timestamp); }},
        {"size", [](P& p, const V& v) { return p.read_number(v, p.spec_.size); }},
        {"track_features", [](P& p, const V& v) { return p.set_track_features(v); }, true},
        {"extras", [](P& p, const V& v) { return p.set_extras(v); }, true},
        {"flags", [](P& p, const V& v) { return p.set_flags(v); }, true},
        {"when", [](P& p, const V& v) { return p.set_when(v); }},
    });
    return k_table;
}

/// `group` begins with '['; gives what follows the matching ']'.
Result<std::string_view> MatchSpecParser::keywords(std::string_view group) {
    std::string_view rest = group.substr(1);
    skip_space(rest);
    while (!rest.starts_with(']')) {
        if (rest.empty()) {
            return wrong(rest, "the bracket is not closed");
        }
        CHM_CHECK(keyword(rest));
        const std::string_view before = rest;
        skip_space(rest);
        if (rest.starts_with(',')) {
            rest.remove_prefix(1);
            skip_space(rest);
        } else if (rest.data() == before.data() && !rest.empty() && !rest.starts_with(']')) {
            return wrong(rest, "',' or ']' is expected here");
        }
    }
    rest.remove_prefix(1);
    CHM_CHECK(check_bytes(group.substr(0, group.size() - rest.size())));
    return rest;
}

Result<> MatchSpecParser::keyword(std::string_view& rest) {
    const std::string_view key =
        rest.substr(0,
                    std::min(static_cast<std::size_t>(
                                 std::ranges::find_if_not(rest, is_key_character) - rest.begin()),
                             rest.size()));
    if (key.empty()) {
        return wrong(rest, "a key is expected here, as in [build='*cuda*']");
    }
    const std::span<const Keyword> table = keyword_table();
    const auto found = std::ranges::find(table, key, &Keyword::key);
    if (found == table.end()) {
        std::vector<std::string> keys;
        std::ranges::transform(
            table, std::back_inserter(keys), [](const Keyword& k) { return std::string(k.key); });
        return wrong(key,
                     fmt::format("there is no key '{}'{}",
                                 printable(key, 40),
                                 did_you_mean(key.substr(0, 40), keys)));
    }
    const std::string_view at = rest;
    rest.remove_prefix(key.size());
    skip_space(rest);
    if (!rest.starts_with('=')) {
        return wrong(rest, fmt::format("'{}' needs a value: {}='…'", key, key));
    }
    rest.remove_prefix(1);
    skip_space(rest);
    const auto index = static_cast<std::size_t>(found - table.begin());
    if (seen_.test(index)) {
        return wrong(at, fmt::format("'{}' is given twice", key));
    }
    seen_.set(index);
    CHM_TRY(const Value parsed, value(rest));
    if (parsed.is_list && !found->takes_list) {
        return wrong(parsed.at, fmt::format("'{}' takes one value, not a list", key));
    }
    if (!parsed.is_list && parsed.items.front().empty()) {
        return wrong(parsed.at, fmt::format("the value of '{}' is empty", key));
    }
    return found->set(*this, parsed);
}

Result<MatchSpecParser::Value> MatchSpecParser::value(std::string_view& rest) const {
    Value result;
    result.at = rest;
    if (!rest.starts_with('[')) {
        CHM_TRY(std::string item, scalar(rest, ", \t]"));
        result.items.push_back(std::move(item));
        return result;
    }
    // A YAML flow sequence of strings (CEP 44).
    result.is_list = true;
    rest.remove_prefix(1);
    skip_space(rest);
    while (!rest.starts_with(']')) {
        const std::string_view at = rest;
        CHM_TRY(std::string item, scalar(rest, ",] \t"));
        if (item.empty()) {
            return wrong(at,
                         rest.empty() ? "the list is not closed" : "an item of the list is empty");
        }
        result.items.push_back(std::move(item));
        skip_space(rest);
        if (rest.starts_with(',')) {
            rest.remove_prefix(1);
            skip_space(rest);
        } else if (!rest.starts_with(']')) {
            return wrong(rest,
                         rest.empty() ? "the list is not closed" : "',' or ']' is expected here");
        }
    }
    rest.remove_prefix(1);
    return result;
}

/// A quoted value, or a bare one up to one of `ends`. In quotes, a backslash before a quote or a
/// backslash escapes it and is itself otherwise, as in Python's literals where regular expressions
/// need it.
Result<std::string> MatchSpecParser::scalar(std::string_view& rest, std::string_view ends) const {
    if (!rest.starts_with('\'') && !rest.starts_with('"')) {
        const std::size_t end = std::min(rest.find_first_of(ends), rest.size());
        const std::string_view bare = rest.substr(0, end);
        if (const std::size_t bad = bare.find_first_of("'\"["); bad != std::string_view::npos) {
            return wrong(bare.substr(bad),
                         "a value with quotes or brackets in it must be quoted as a whole");
        }
        rest.remove_prefix(end);
        return std::string(bare);
    }
    const std::string_view at = rest;
    const char quote = rest.front();
    std::string text;
    for (std::size_t i = 1; i < rest.size(); ++i) {
        const char c = rest[i];
        if (c == quote) {
            rest.remove_prefix(i + 1);
            return text;
        }
        const char next = i + 1 < rest.size() ? rest[i + 1] : '\0';
        const bool is_escape = c == '\\' && (next == '\\' || next == '\'' || next == '"');
        text.push_back(is_escape ? next : c);
        i += is_escape ? 1 : 0;
    }
    return wrong(at, "the quote is not closed");
}

Result<> MatchSpecParser::read_string(const Value& value, std::optional<StringMatch>& field) const {
    auto match = StringMatch::parse(value.items.front());
    if (!match) {
        return wrong(value.at, match.error().message);
    }
    if (!match->is_any()) {
        field = *std::move(match);
    }
    return {};
}

/// For the fields kept as text: checked to be in StringMatch's language.
Result<> MatchSpecParser::read_text(const Value& value, std::string& field) const {
    std::optional<StringMatch> match;
    CHM_CHECK(read_string(value, match));
    field = match ? match->text() : "";
    return {};
}

Result<> MatchSpecParser::read_number(const Value& value,
                                      std::optional<BuildNumberSpec>& field) const {
    if (value.items.front() == "*") {
        field.reset();
        return {};
    }
    field = parse_number(value.items.front());
    if (!field) {
        return wrong(value.at,
                     "a whole number is expected, with =, !=, <, <=, > or >= before it or not");
    }
    return {};
}

template <class D>
Result<> MatchSpecParser::read_digest(const Value& value, std::optional<D>& field) const {
    auto digest = D::from_hex(value.items.front());
    if (!digest) {
        return wrong(value.at, fmt::format("{} hex digits are expected", 2 * sizeof(D)));
    }
    field = *digest;
    return {};
}

// The positional name wins: "tensorflow[name=pytorch]" must not install something else than it
// shows (CEP 29).
Result<> MatchSpecParser::set_name_keyword(const Value& value) {
    if (has_name_) {
        spec_.warnings.push_back("'name' in brackets is ignored: the name before them counts");
        return {};
    }
    return set_name(value.at, value.items.front());
}

Result<> MatchSpecParser::set_url(const Value& value) {
    const std::string& url = value.items.front();
    if (may_hold_credentials(url)) {
        return wrong(value.at, "a URL in a spec is without credentials");
    }
    if (url.find("://") != std::string::npos) {
        auto split = split_credentials(url);
        if (!split || !split->credentials.empty() || url.find("/t/") != std::string::npos) {
            return wrong(value.at,
                         "a URL in a spec is http, https or file, and without credentials");
        }
    }
    return read_text(value, spec_.url);
}

Result<> MatchSpecParser::set_track_features(const Value& value) {
    for (const std::string& item : value.items) {
        std::string_view rest = item;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find_first_of(", \t"), rest.size());
            if (end > 0) {
                spec_.track_features.emplace_back(rest.substr(0, end));
            }
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    sort_unique(spec_.track_features);
    return {};
}

Result<> MatchSpecParser::set_extras(const Value& value) {
    for (const std::string& item : value.items) {
        const std::string_view extra = trim(item);
        if (!is_extra(extra)) {
            return wrong(
                value.at,
                fmt::format("{} is no name of an extra: a-z, 0-9, '_', '.', '+', '-' (CEP 44)",
                            quote_safely(extra, 70)));
        }
        spec_.extras.emplace_back(extra);
    }
    sort_unique(spec_.extras);
    return {};
}

Result<> MatchSpecParser::set_flags(const Value& value) {
    std::vector<std::string> flags;
    for (const std::string& item : value.items) {
        const std::string_view flag = trim(item);
        if (!is_flag(flag)) {
            return wrong(value.at,
                         fmt::format("{} is no flag: a-z, 0-9, '_', '*', one ':' between (CEP 45)",
                                     quote_safely(flag, 70)));
        }
        flags.emplace_back(flag);
    }
    sort_unique(flags);
    for (const std::string& flag : flags) {
        CHM_TRY(StringMatch match, StringMatch::parse(flag));
        spec_.flags.push_back(std::move(match));
    }
    return {};
}

Result<> MatchSpecParser::set_when(const Value& value) {
    if (!allow_when_) {
        return wrong(value.at, "a condition may not have a condition of its own (CEP 43)");
    }
    const std::string_view condition = trim(value.items.front());
    if (const auto steps = parse_condition(condition); !steps) {
        return wrong(value.at, steps.error().message);
    }
    spec_.when = std::string(condition);
    return {};
}

}  // namespace chm::conda
