// MatchSpec: printing and comparing. Parsing: match_spec_parse.cpp; matching: record_matcher.cpp.
#include "conda/match_spec.hpp"

#include "base/ascii.hpp"
#include "conda/platform.hpp"
#include "conda/record_matcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

namespace chm::conda {

namespace {

std::string to_text(const BuildNumberSpec& spec) {
    using Op = BuildNumberSpec::Op;
    switch (spec.op) {
        case Op::equal:
            return fmt::format("{}", spec.number);
        case Op::not_equal:
            return fmt::format("!={}", spec.number);
        case Op::less:
            return fmt::format("<{}", spec.number);
        case Op::less_equal:
            return fmt::format("<={}", spec.number);
        case Op::greater:
            return fmt::format(">{}", spec.number);
        case Op::greater_equal:
            return fmt::format(">={}", spec.number);
    }
    return "";
}

/// Case does not count for a literal or glob (CEP 29: lower-cased); in a regular expression \D is
/// not \d.
std::string to_text(const StringMatch& match) {
    return match.text().starts_with('^') ? match.text() : lower(match.text());
}

std::string in_quotes(std::string_view text) {
    std::string result = "'";
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char next = i + 1 < text.size() ? text[i + 1] : '\'';
        const bool is_ambiguous = text[i] == '\\' && (next == '\\' || next == '\'' || next == '"');
        if (text[i] == '\'' || is_ambiguous) {
            result.push_back('\\');
        }
        result.push_back(text[i]);
    }
    return result + "'";
}

/// "key='value'" pairs in brackets; nothing when there are none.
class Brackets {
public:
    void add(std::string_view key, std::string_view value) { add_raw(key, in_quotes(value)); }
    void add_text(std::string_view key, std::string_view value) {
        if (!value.empty()) {
            add(key, value);
        }
    }
    void add_raw(std::string_view key, std::string_view value) {
        fmt::format_to(std::back_inserter(text_), "{}{}={}", text_.empty() ? "" : ",", key, value);
    }
    template <class T>
    void add_optional(std::string_view key, const std::optional<T>& value) {
        if (value) {
            add(key, to_text(*value));
        }
    }
    template <class T, class Print>
    void add_list(std::string_view key, const std::vector<T>& items, Print print) {
        std::string list;
        for (const T& item : items) {
            list += (list.empty() ? "" : ",") + in_quotes(print(item));
        }
        if (!list.empty()) {
            add_raw(key, "[" + list + "]");
        }
    }
    [[nodiscard]] std::string text() const { return text_.empty() ? "" : "[" + text_ + "]"; }

private:
    std::string text_;
};

/// "channel/subdir::", where both can stand there.
bool is_plain_channel(std::string_view channel) {
    return !channel.empty() && channel.find_first_of("*^[] ") == std::string_view::npos;
}

}  // namespace

bool BuildNumberSpec::matches(std::uint64_t build_number) const {
    switch (op) {
        case Op::equal:
            return build_number == number;
        case Op::not_equal:
            return build_number != number;
        case Op::less:
            return build_number < number;
        case Op::less_equal:
            return build_number <= number;
        case Op::greater:
            return build_number > number;
        case Op::greater_equal:
            return build_number >= number;
    }
    return false;
}

bool MatchSpec::matches(const Record& record) const {
    return RecordMatcher(*this).matches(record);
}

std::string MatchSpec::to_text() const {
    std::string text;
    Brackets brackets;
    const bool has_plain_channel = is_plain_channel(channel);
    const bool has_plain_subdir = has_plain_channel && is_known_subdir(subdir);
    if (has_plain_channel) {
        text = fmt::format(
            "{}{}{}::", channel, has_plain_subdir ? "/" : "", has_plain_subdir ? subdir : "");
    } else {
        brackets.add_text("channel", channel);
    }
    if (!has_plain_subdir) {
        brackets.add_text("subdir", subdir);
    }
    text += conda::to_text(name);
    // Rules 2 and 3 of the appendix: is_exact gives "==1.8", is_fuzzy "=1.8".
    if (version.is_exact() || version.is_fuzzy()) {
        text += version.to_text();
    } else if (!version.is_any()) {
        brackets.add("version", version.to_text());
    }
    if (!build.is_any()) {
        const std::string build_text = conda::to_text(build);
        if (version.is_exact() && build.is_literal()) {
            text += "=" + build_text;
        } else {
            brackets.add("build", build_text);
        }
    }
    brackets.add_optional("build_number", build_number);
    brackets.add_text("fn", fn);
    brackets.add_text("url", url);
    if (sha256) {
        brackets.add("sha256", sha256->hex());
    }
    if (md5) {
        brackets.add("md5", md5->hex());
    }
    brackets.add_optional("license", license);
    brackets.add_optional("license_family", license_family);
    brackets.add_optional("features", features);
    brackets.add_optional("timestamp", timestamp);
    brackets.add_optional("size", size);
    brackets.add_text("track_features", fmt::format("{}", fmt::join(track_features, " ")));
    brackets.add_list("extras", extras, [](const std::string& e) { return e; });
    brackets.add_list("flags", flags, [](const StringMatch& f) { return f.text(); });
    brackets.add_text("when", when);
    return text + brackets.text();
}

bool MatchSpec::operator==(const MatchSpec& other) const {
    const auto key = [](const MatchSpec& s) {
        return std::tie(s.name,
                        s.version,
                        s.build,
                        s.build_number,
                        s.channel,
                        s.subdir,
                        s.fn,
                        s.url,
                        s.sha256,
                        s.md5,
                        s.license,
                        s.license_family,
                        s.features,
                        s.timestamp,
                        s.size,
                        s.track_features,
                        s.extras,
                        s.flags,
                        s.when);
    };
    return key(*this) == key(other);
}

}  // namespace chm::conda
