// Works on canonical text, which has one form for each meaning.
#include "conda/spec_words.hpp"

#include "conda/channel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace chm::conda {

namespace {

/// The clause at the start of `text`: a regular expression ends at its '$', any other before
/// ',', '|' or ')'.
std::string_view first_clause(std::string_view text) {
    const std::size_t negation = text.starts_with("!=") ? 2 : 0;
    if (text.substr(negation).starts_with('^')) {
        const std::size_t dollar = text.find('$');
        return text.substr(0, dollar == std::string_view::npos ? text.size() : dollar + 1);
    }
    return text.substr(0, text.find_first_of(",|)"));
}

/// "~=1.4.2" stays within 1.4, "~=2!1" within epoch 2, "~=1" within epoch 0.
std::string compatible_words(std::string_view version) {
    const std::size_t dot = version.rfind('.');
    const std::size_t epoch = version.find('!');
    if (dot != std::string_view::npos) {
        return fmt::format("{} or newer, and within {}", version, version.substr(0, dot));
    }
    return fmt::format("{} or newer, and within epoch {}",
                       version,
                       epoch == std::string_view::npos ? "0" : version.substr(0, epoch));
}

std::string text_words(std::string_view pattern, bool negated) {
    if (pattern.starts_with('^')) {
        return fmt::format("a text in which {} is {}found", pattern, negated ? "not " : "");
    }
    return fmt::format("a text {} '{}'", negated ? "unlike" : "like", pattern);
}

std::string beginning_words(std::string_view version) {
    return fmt::format("{0} and all that begins with it ({0}.x, {0}rc1, {0}.post1)", version);
}

std::string clause_words(std::string_view clause) {
    const auto behind = [&](std::size_t length) { return clause.substr(length); };
    const bool is_glob = clause.find('*') != std::string_view::npos;
    if (clause == "*") {
        return "any version";
    }
    if (clause.starts_with("==")) {
        return fmt::format("exactly {}", behind(2));
    }
    if (clause.starts_with("~=")) {
        return compatible_words(behind(2));
    }
    if (clause.starts_with(">=")) {
        return fmt::format("{} or newer", behind(2));
    }
    if (clause.starts_with("<=")) {
        return fmt::format("{} or older", behind(2));
    }
    if (clause.starts_with("!=") && !behind(2).starts_with('^') && clause.ends_with(".*") &&
        std::ranges::count(clause, '*') == 1) {
        return fmt::format("not {}", beginning_words(clause.substr(2, clause.size() - 4)));
    }
    if (clause.starts_with("!=")) {
        return is_glob || behind(2).starts_with('^') ? text_words(behind(2), true)
                                                     : fmt::format("anything but {}", behind(2));
    }
    if (clause.starts_with('=')) {
        return beginning_words(behind(1));
    }
    if (clause.starts_with('>')) {
        return fmt::format("newer than {}", behind(1));
    }
    if (clause.starts_with('<')) {
        return fmt::format("older than {}", behind(1));
    }
    return text_words(clause, false);
}

std::string match_words(const StringMatch& match) {
    const std::string& text = match.text();
    if (match.is_literal()) {
        return fmt::format("exactly '{}'", text);
    }
    return text.starts_with('^') ? fmt::format("one in which {} is found", text)
                                 : fmt::format("anything like '{}'", text);
}

std::string match_words(const std::string& pattern) {
    const auto match = StringMatch::parse(pattern);
    return match ? match_words(*match) : "";
}

std::string number_words(const BuildNumberSpec& spec) {
    using Op = BuildNumberSpec::Op;
    constexpr std::array<std::string_view, 6> k_words = {
        "exactly {}", "anything but {}", "below {}", "at most {}", "above {}", "at least {}"};
    static_assert(static_cast<int>(Op::greater_equal) == 5);
    return fmt::format(fmt::runtime(k_words[static_cast<std::size_t>(spec.op)]), spec.number);
}

std::string number_value(const BuildNumberSpec& spec) {
    constexpr std::array<std::string_view, 6> k_signs = {"", "!=", "<", "<=", ">", ">="};
    return fmt::format("{}{}", k_signs[static_cast<std::size_t>(spec.op)], spec.number);
}

std::string channel_words(const std::string& text) {
    const auto channel = parse_channel(text);
    return channel ? fmt::format("only from {}", channel->url) : match_words(text);
}

std::string name_words(const StringMatch& name) {
    return name.is_literal() ? "this package" : name.is_any() ? "any package" : match_words(name);
}

/// Collects fields and drops what restricts nothing.
class Fields {
public:
    void add(std::string_view key, std::string value, std::string meaning) {
        if (!value.empty()) {
            fields_.push_back({key, std::move(value), std::move(meaning)});
        }
    }
    void add_pattern(std::string_view key, const std::string& pattern) {
        add(key, pattern, match_words(pattern));
    }
    void add_match(std::string_view key, const std::optional<StringMatch>& match) {
        if (match) {
            add(key, match->text(), match_words(*match));
        }
    }
    void add_number(std::string_view key,
                    const std::optional<BuildNumberSpec>& spec,
                    std::string_view unit = "") {
        if (spec) {
            add(key, number_value(*spec), number_words(*spec) + std::string(unit));
        }
    }
    std::vector<SpecField> take() { return std::move(fields_); }

private:
    std::vector<SpecField> fields_;
};

}  // namespace

std::string in_words(const VersionSpec& spec) {
    const std::string canonical = spec.to_text();
    std::string words;
    std::string_view rest = canonical;
    while (!rest.empty()) {
        switch (rest.front()) {
            case ',':
                words += ", and ";
                break;
            case '|':
                words += ", or ";
                break;
            case '(':
            case ')':
                words += rest.front();
                break;
            default: {
                const std::string_view clause = first_clause(rest);
                words += clause_words(clause);
                rest.remove_prefix(clause.size());
                continue;
            }
        }
        rest.remove_prefix(1);
    }
    return words;
}

std::vector<SpecField> explain(const MatchSpec& spec) {
    Fields fields;
    fields.add("name", spec.name.text(), name_words(spec.name));
    if (!spec.version.is_any()) {
        fields.add("version", spec.version.to_text(), in_words(spec.version));
    }
    if (!spec.build.is_any()) {
        fields.add("build", spec.build.text(), match_words(spec.build));
    }
    fields.add_number("build_number", spec.build_number);
    fields.add("channel", spec.channel, channel_words(spec.channel));
    fields.add_pattern("subdir", spec.subdir);
    fields.add_pattern("fn", spec.fn);
    fields.add_pattern("url", spec.url);
    fields.add("sha256", spec.sha256 ? spec.sha256->hex() : "", "exactly this artifact");
    fields.add("md5", spec.md5 ? spec.md5->hex() : "", "exactly this artifact");
    fields.add_match("license", spec.license);
    fields.add_match("license_family", spec.license_family);
    fields.add_match("features", spec.features);
    fields.add_number("timestamp", spec.timestamp, " (milliseconds since 1970)");
    fields.add_number("size", spec.size, " bytes");
    fields.add("track_features",
               fmt::format("{}", fmt::join(spec.track_features, " ")),
               "all of these among the record's");
    fields.add("extras",
               fmt::format("{}", fmt::join(spec.extras, ", ")),
               "with the dependencies of these extras (CEP 44); solve refuses it so far");
    std::string flags;
    for (const StringMatch& flag : spec.flags) {
        flags += (flags.empty() ? "" : ", ") + flag.text();
    }
    fields.add("flags", std::move(flags), "each matches a flag of the record (CEP 45)");
    fields.add("when", spec.when, "counts only where this holds (CEP 43); solve refuses it so far");
    return fields.take();
}

}  // namespace chm::conda
