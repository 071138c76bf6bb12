// The text form of scripts, a table of actions, and the counting of after= and times=. See the
// header.
#include "support/http_script.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

namespace chm::test {
namespace {

constexpr std::uint64_t k_max_number = 1'000'000'000'000;

std::optional<std::uint64_t> number(std::string_view digits) {
    std::uint64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [last, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc() || last != end || value > k_max_number) {
        return std::nullopt;
    }
    return value;
}

// Setters of one action each; false when the value is not what the action takes.

template <std::optional<std::uint64_t> Rule::*member>
bool set_number(Rule& rule, std::string_view value) {
    rule.*member = number(value);
    return (rule.*member).has_value();
}

template <auto member>
bool set_text(Rule& rule, std::string_view value) {
    (rule.*member).emplace(value);
    return true;
}

template <bool Rule::*member>
bool set_flag(Rule& rule, std::string_view /*value*/) {
    rule.*member = true;
    return true;
}

bool set_after(Rule& rule, std::string_view value) {
    const auto count = number(value);
    rule.after = count.value_or(0);
    return count.has_value();
}

bool set_status(Rule& rule, std::string_view value) {
    const auto code = number(value);
    if (!code || *code < 200 || *code > 599) {
        return false;
    }
    rule.status = static_cast<int>(*code);
    return true;
}

bool set_delay(Rule& rule, std::string_view value) {
    const bool in_milliseconds = value.ends_with("ms");
    if (!value.ends_with('s')) {
        return false;
    }
    value.remove_suffix(in_milliseconds ? 2 : 1);
    const auto count = number(value);
    rule.delay = std::chrono::milliseconds(count.value_or(0) * (in_milliseconds ? 1 : 1000));
    return count.has_value();
}

bool set_drip(Rule& rule, std::string_view value) {
    if (!value.ends_with("/s")) {
        return false;
    }
    value.remove_suffix(2);
    rule.drip = number(value);
    return rule.drip && *rule.drip > 0;
}

bool add_header(Rule& rule, std::string_view value) {
    const std::size_t colon = value.find(':');
    if (colon == std::string_view::npos || colon == 0) {
        return false;
    }
    rule.headers.push_back(
        {std::string(value.substr(0, colon)), std::string(trim(value.substr(colon + 1)))});
    return true;
}

struct Action {
    std::string_view name;
    std::string_view takes;  // for messages; empty: a flag
    bool (*set)(Rule& rule, std::string_view value);
};

constexpr std::array k_actions = {
    Action{"times", "a count", set_number<&Rule::times>},
    Action{"after", "a count", set_after},
    Action{"status", "a code from 200 to 599", set_status},
    Action{"retry-after", "seconds", set_number<&Rule::retry_after>},
    Action{"body", "text", set_text<&Rule::body>},
    Action{"body-file", "a path", set_text<&Rule::body_file>},
    Action{"type", "a media type", set_text<&Rule::type>},
    Action{"redirect", "a URL", set_text<&Rule::redirect>},
    Action{"stale", "a directory", set_text<&Rule::stale>},
    Action{"flip", "an offset", set_number<&Rule::flip>},
    Action{"truncate", "a count of bytes", set_number<&Rule::truncate>},
    Action{"no-etag", "", set_flag<&Rule::no_etag>},
    Action{"no-range", "", set_flag<&Rule::no_range>},
    Action{"header", "NAME:VALUE", add_header},
    Action{"delay", "a duration such as 200ms or 2s", set_delay},
    Action{"cut", "a count of bytes", set_number<&Rule::cut>},
    Action{"reset", "a count of bytes", set_number<&Rule::reset>},
    Action{"drip", "a rate such as 1000/s", set_drip},
    Action{"hang", "", set_flag<&Rule::hang>},
    Action{"close", "", set_flag<&Rule::close>},
};

tl::unexpected<Error> wrong(std::string message) {
    return fail(ErrorKind::parse, std::move(message));
}

Result<char> unescaped(char c) {
    switch (c) {
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        case '"':
        case '\\':
            return c;
        default:
            return wrong(
                fmt::format("unknown escape '\\{}' in quotes: expected \\\" \\\\ \\n \\r or \\t",
                            printable(std::string_view(&c, 1))));
    }
}

// Splits off the next word; empty at the end of the line or before a comment.
Result<std::string> next_word(std::string_view& line) {
    line = trim(line);
    if (line.starts_with('#')) {
        line = {};
    }
    std::string word;
    bool quoted = false;
    std::size_t i = 0;
    for (; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"') {
            quoted = !quoted;
        } else if (quoted && c == '\\' && i + 1 < line.size()) {
            CHM_TRY(const char meant, unescaped(line[++i]));
            word += meant;
        } else if (!quoted && (c == ' ' || c == '\t')) {
            break;
        } else {
            word += c;
        }
    }
    if (quoted) {
        return wrong("a '\"' is not closed on its line");
    }
    if (word.empty() && i > 0) {
        return wrong("empty quotes stand alone: expected a path glob or an action");
    }
    line.remove_prefix(i);
    return word;
}

Result<> apply(Rule& rule, std::string_view word, std::set<std::string_view>& given) {
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const auto* const action = std::find_if(
        k_actions.begin(), k_actions.end(), [&](const Action& a) { return a.name == name; });
    if (action == k_actions.end()) {
        std::vector<std::string> names;
        names.reserve(k_actions.size());
        for (const Action& known : k_actions) {
            names.emplace_back(known.name);
        }
        return wrong(
            fmt::format("unknown action '{}'{}", printable(name), did_you_mean(name, names)));
    }
    if (!given.insert(action->name).second && action->name != "header") {
        return wrong(fmt::format("'{}' is given twice", name));
    }
    if (action->takes.empty() && equals != std::string_view::npos) {
        return wrong(fmt::format("'{}' takes no value", name));
    }
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
    const bool missing = !action->takes.empty() && equals == std::string_view::npos;
    if (missing || !action->set(rule, value)) {
        return wrong(
            fmt::format("'{}' is wrong: expected {}={}", printable(word), name, action->takes));
    }
    return {};
}

Result<> check_combination(const Rule& rule, const std::set<std::string_view>& given) {
    const auto count = [&](std::initializer_list<std::string_view> names) {
        return std::count_if(names.begin(), names.end(), [&](std::string_view name) {
            return given.contains(name);
        });
    };
    if (given.size() == static_cast<std::size_t>(count({"times", "after"}))) {
        return wrong(fmt::format("rule '{}' has no action", printable(rule.glob)));
    }
    if (count({"hang", "close", "cut", "reset"}) > 1) {
        return wrong("only one of hang, close, cut and reset can end an answer");
    }
    if (count({"body", "body-file", "redirect", "stale"}) > 1) {
        return wrong("only one of body, body-file, redirect and stale can be the answer");
    }
    return {};
}

// No rule for an empty line or a comment.
Result<std::optional<Rule>> parse_line(std::string_view line) {
    Rule rule;
    CHM_TRY(rule.glob, next_word(line));
    if (rule.glob.empty()) {
        return std::optional<Rule>();
    }
    if (!rule.glob.starts_with('/') && !rule.glob.starts_with('*')) {
        return wrong(fmt::format("'{}' is no path glob: expected one that starts with '/' or '*'",
                                 printable(rule.glob)));
    }
    // Views into k_actions, so they outlive the words.
    std::set<std::string_view> given;
    while (true) {
        CHM_TRY(const std::string word, next_word(line));
        if (word.empty()) {
            break;
        }
        CHM_CHECK(apply(rule, word, given));
    }
    CHM_CHECK(check_combination(rule, given));
    return std::optional<Rule>(std::move(rule));
}

}  // namespace

Result<Script> parse_script(std::string_view text) {
    Script script;
    std::size_t line_number = 0;
    for (const std::string_view line : split(text, '\n')) {
        ++line_number;
        Result<std::optional<Rule>> parsed = parse_line(line);
        if (!parsed) {
            return fail(
                with_context(std::move(parsed).error(), fmt::format("line {}", line_number)));
        }
        if (std::optional<Rule>& rule = *parsed) {
            script.rules.push_back(std::move(*rule));
        }
    }
    return script;
}

bool glob_matches(std::string_view glob, std::string_view text) {
    std::size_t g = 0;
    std::size_t t = 0;
    // Where to try again after a mismatch: the last star, taking one character more each time.
    std::size_t star = std::string_view::npos;
    std::size_t star_text = 0;
    while (t < text.size()) {
        if (g < glob.size() && glob[g] == '*') {
            star = g++;
            star_text = t;
        } else if (g < glob.size() && glob[g] == text[t]) {
            ++g;
            ++t;
        } else if (star != std::string_view::npos) {
            g = star + 1;
            t = ++star_text;
        } else {
            return false;
        }
    }
    return glob.find_first_not_of('*', g) == std::string_view::npos;
}

void ScriptPlayer::set(Script script) {
    entries_.clear();
    for (Rule& rule : script.rules) {
        add(std::move(rule));
    }
}

void ScriptPlayer::add(Rule rule) {
    entries_.push_back({std::move(rule), 0});
}

Rule ScriptPlayer::next(std::string_view path) {
    for (Entry& entry : entries_) {
        if (!glob_matches(entry.rule.glob, path)) {
            continue;
        }
        const std::uint64_t nth = entry.seen++;
        const bool waiting = nth < entry.rule.after;
        const bool spent =
            entry.rule.times && !waiting && nth - entry.rule.after >= *entry.rule.times;
        if (!waiting && !spent) {
            return entry.rule;
        }
    }
    return {};
}

}  // namespace chm::test
