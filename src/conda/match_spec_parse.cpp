// MatchSpec::parse, the positional part: [channel[/subdir]:[namespace]:]name[ version[ build]],
// with '=' or spaces between the last three (CEP 29), and artifact file names and URLs. Brackets:
// match_spec_keywords.cpp.
#include "base/ascii.hpp"
#include "base/text.hpp"
#include "conda/channel.hpp"
#include "conda/match_spec.hpp"
#include "conda/match_spec_parser.hpp"
#include "conda/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace chm::conda {

namespace {

constexpr std::string_view k_space = " \t";
constexpr std::string_view k_operator = "=<>!~";
constexpr std::string_view k_name_hint =
    "a package name is expected here: letters, digits, '_', '.', '-', or '*' for any";
constexpr std::string_view k_file_name_hint = "a file name stands alone, or as [fn='…']";
constexpr std::array<std::string_view, 2> k_extensions = {".conda", ".tar.bz2"};

bool is_one_of(char c, std::string_view set) {
    return set.find(c) != std::string_view::npos;
}

std::string_view skip_space(std::string_view text) {
    const std::size_t start = text.find_first_not_of(k_space);
    return start == std::string_view::npos ? text.substr(text.size()) : text.substr(start);
}

/// Where the positional part ends: at a bracket or a comment. An IPv6 host has brackets of its own.
std::size_t positional_end(std::string_view text) {
    std::size_t from = 0;
    if (text.starts_with("http://[") || text.starts_with("https://[")) {
        from = std::min(text.find(']'), text.size());
    }
    return std::min(text.find_first_of("[#", from), text.size());
}

bool has_artifact_extension(std::string_view text) {
    return std::ranges::any_of(k_extensions, [&](std::string_view e) { return text.ends_with(e); });
}

bool is_artifact(std::string_view text) {
    return text.find_first_of(k_space) == std::string_view::npos && has_artifact_extension(text);
}

/// One past the end of a "^…$" at the start of the text; 0 when there is none. A '$' ends it only
/// before a separator.
std::size_t regex_end(std::string_view text) {
    if (!text.starts_with('^')) {
        return 0;
    }
    for (std::size_t at = text.find('$'); at != std::string_view::npos;
         at = text.find('$', at + 1)) {
        if (at + 1 == text.size() || is_one_of(text[at + 1], " \t=")) {
            return at + 1;
        }
    }
    return 0;
}

/// The next word of "version build" and what follows it. Spaces around operators do not end a word
/// (CEP 29: they MUST be ignored).
std::string_view take_word(std::string_view& text) {
    std::size_t end = 0;
    while (end < text.size()) {
        end = std::min(text.find_first_of(k_space, end), text.size());
        const std::size_t next = text.find_first_not_of(k_space, end);
        if (next == std::string_view::npos) {
            break;
        }
        const bool is_open = is_one_of(text[end - 1], "=<>!~,|(");
        // An epoch's '!' is in no build: real data has "x264 >=1 !164.3095,<1!165".
        const bool is_epoch = text[next] == '!' && !text.substr(next).starts_with("!=");
        if (!is_open && !is_epoch && !is_one_of(text[next], ",|)")) {
            break;
        }
        end = next;
    }
    const std::string_view word = text.substr(0, end);
    text = skip_space(text.substr(end));
    return word;
}

/// Where "=build" begins in "version=build"; npos when there is no build. An '=' that belongs to an
/// operator has an operator, a comma, a bar or nothing before it.
std::size_t build_separator(std::string_view word) {
    const std::size_t regex = regex_end(word);
    const std::size_t at = word.rfind('=');
    if (at == std::string_view::npos || at == 0 || at < regex) {
        return std::string_view::npos;
    }
    const std::size_t before = word.find_last_not_of(k_space, at - 1);
    if (before == std::string_view::npos || is_one_of(word[before], "=<>!~,|(")) {
        return std::string_view::npos;
    }
    return at;
}

}  // namespace

tl::unexpected<Error> MatchSpecParser::wrong(std::string_view at, std::string_view what) const {
    return fail(
        ErrorKind::parse,
        fmt::format(
            "spec {}: offset {}: {}", quote_safely(text_, 120), at.data() - text_.data(), what));
}

Result<> MatchSpecParser::check_bytes(std::string_view part) const {
    const auto bad = std::ranges::find_if(part, [](char c) {
        return (c < ' ' && c != '\t') ||
               c > '~';  // char may be signed or not: both ends are tested
    });
    if (bad != part.end()) {
        return wrong(part.substr(static_cast<std::size_t>(bad - part.begin())),
                     "a spec is printable ASCII text");
    }
    return {};
}

Result<MatchSpec> MatchSpecParser::parse() {
    if (text_.size() > k_max_spec_length) {
        return wrong(text_.substr(k_max_spec_length),
                     fmt::format("it is longer than {} bytes", k_max_spec_length));
    }
    const std::string_view whole = trim(text_);
    const std::string_view head = trim(whole.substr(0, positional_end(whole)));
    const std::string_view rest = whole.substr(positional_end(whole));
    CHM_CHECK(check_bytes(head));
    if (head.empty() && !rest.starts_with('[')) {
        return wrong(whole, "it names no package; '*' stands for any");
    }
    if (is_artifact(head)) {
        CHM_CHECK(artifact(head));
        CHM_CHECK(rest.starts_with('#') ? artifact_hash(trim(rest.substr(1))) : Result<>{});
    } else if (!head.empty()) {
        CHM_CHECK(positional(head));
    }
    CHM_CHECK(rest.starts_with('[') ? brackets(rest) : Result<>{});
    return std::move(spec_);
}

Result<> MatchSpecParser::brackets(std::string_view group) {
    CHM_TRY(const std::string_view after, keywords(group));
    const std::string_view rest = skip_space(after);
    if (rest.starts_with('[')) {
        return wrong(rest, "a spec has one bracket group: join the two with ','");
    }
    if (!rest.empty() && !rest.starts_with('#')) {
        return wrong(rest, "nothing may follow the brackets");
    }
    return {};
}

// CEP 29 appendix C. The file name stays in the spec: it alone tells .conda from .tar.bz2.
Result<> MatchSpecParser::artifact(std::string_view text) {
    if (const std::size_t colons = text.find("::"); colons != std::string_view::npos) {
        return wrong(text.substr(colons + 2), k_file_name_hint);
    }
    if (text.find("://") == std::string_view::npos) {
        if (text.find_first_of("/\\:") != std::string_view::npos) {
            return wrong(
                text,
                "a path to an artifact is written as a URL: file:///path/name-version-build.conda");
        }
        return file_name(text, text);
    }
    const std::size_t slash = text.rfind('/');
    const std::string_view folder = text.substr(0, slash);
    const std::size_t above = folder.rfind('/');
    if (above == std::string_view::npos || !is_known_subdir(folder.substr(above + 1))) {
        return wrong(text,
                     "an artifact's URL ends with /subdir/name-version-build.conda, subdir being "
                     "linux-64, noarch, …");
    }
    CHM_CHECK(set_channel(text, folder));
    const std::optional<std::string> decoded = percent_decode(text.substr(slash + 1));
    if (!decoded) {
        return wrong(text.substr(slash + 1), "the file name is not well percent-encoded");
    }
    return file_name(text.substr(slash + 1), *decoded);
}

// As in "@EXPLICIT" files (CEP 23): md5, sha256 or "sha256:" and sha256.
Result<> MatchSpecParser::artifact_hash(std::string_view hash) {
    const bool is_marked = hash.starts_with("sha256:");
    const std::string_view digits = is_marked ? hash.substr(7) : hash;
    if (digits.size() == 32 && !is_marked) {
        if (auto md5 = Md5::from_hex(digits)) {
            spec_.md5 = *md5;
            return {};
        }
    } else if (auto sha256 = Sha256::from_hex(digits)) {
        spec_.sha256 = *sha256;
        return {};
    }
    return wrong(hash, "'#' after an artifact is followed by 32 (md5) or 64 (sha256) hex digits");
}

Result<> MatchSpecParser::file_name(std::string_view at, std::string_view name) {
    std::string_view stem = name;
    for (const std::string_view extension : k_extensions) {
        if (stem.ends_with(extension)) {
            stem.remove_suffix(extension.size());
            break;
        }
    }
    const std::size_t build = stem.rfind('-');
    const std::size_t version = build == std::string_view::npos || build == 0
                                    ? std::string_view::npos
                                    : stem.rfind('-', build - 1);
    if (version == std::string_view::npos || version == 0 || build + 1 == stem.size()) {
        return wrong(at, "an artifact is named name-version-build.conda or .tar.bz2");
    }
    CHM_CHECK(set_name(at, stem.substr(0, version)));
    const std::string_view version_part = stem.substr(version + 1, build - version - 1);
    if (!std::ranges::all_of(version_part,
                             [](char c) { return is_alphanumeric(c) || is_one_of(c, "_.+!"); })) {
        return wrong(at, "a version is letters, digits, '_', '.', '+', '!'");
    }
    CHM_CHECK(set_version(at, fmt::format("=={}", version_part)));
    CHM_CHECK(set_build(at, stem.substr(build + 1)));
    spec_.fn = std::string(name);
    return {};
}

Result<> MatchSpecParser::positional(std::string_view text) {
    CHM_TRY(const std::string_view after_prefix, prefix(text));
    CHM_TRY(const std::string_view after_name, name(after_prefix));
    const std::string_view rest = skip_space(after_name);
    if (rest.empty()) {
        return {};
    }
    return version_and_build(rest, rest.data() != after_name.data());
}

// "channel::", "channel:namespace:" or "namespace:". A namespace MUST be parsed and ignored.
Result<std::string_view> MatchSpecParser::prefix(std::string_view text) {
    std::size_t last = text.rfind("::");
    if (last != std::string_view::npos) {
        CHM_CHECK(set_channel(text, text.substr(0, last)));
        return skip_space(text.substr(last + 2));
    }
    const std::size_t head_end = std::min(text.find_first_of(" \t=<>!~^(,|"), text.size());
    last = text.substr(0, head_end).rfind(':');
    if (last == std::string_view::npos) {
        return text;
    }
    const std::size_t first = last == 0 ? std::string_view::npos : text.rfind(':', last - 1);
    const std::size_t space_start = first == std::string_view::npos ? 0 : first + 1;
    const std::string_view space = text.substr(space_start, last - space_start);
    if (space.find('/') != std::string_view::npos) {
        return wrong(text, "a channel is followed by '::' and a package name");
    }
    if (first != std::string_view::npos) {
        CHM_CHECK(set_channel(text, text.substr(0, first)));
    }
    return skip_space(text.substr(last + 1));
}

Result<std::string_view> MatchSpecParser::name(std::string_view text) {
    std::size_t end = regex_end(text);
    const bool is_regex = end > 0;
    while (!is_regex && end < text.size() &&
           (is_alphanumeric(text[end]) || is_one_of(text[end], "_.-*"))) {
        ++end;
    }
    if (end == 0) {
        return wrong(text, k_name_hint);
    }
    if (end < text.size() && !is_one_of(text[end], k_space) && !is_one_of(text[end], k_operator)) {
        return wrong(text.substr(end),
                     fmt::format("'{}' cannot follow the name; a condition is written [when=\"…\"]",
                                 text[end]));
    }
    CHM_CHECK(set_name(text, text.substr(0, end)));
    return text.substr(end);
}

Result<> MatchSpecParser::set_name(std::string_view at, std::string_view text) {
    const bool is_regex = text.starts_with('^');
    // Canonical text has the name before the brackets, where these would mean something else.
    if (is_regex && (regex_end(text) != text.size() || text.find_first_of("[]#") != text.npos ||
                     text.find("::") != text.npos)) {
        return wrong(at,
                     "a regular expression for a name ends with '$' and has no '[', '#' or '::'");
    }
    if (!is_regex &&
        (text.empty() || is_one_of(text.front(), ".-") || !std::ranges::all_of(text, [](char c) {
             return is_alphanumeric(c) || is_one_of(c, "_.-*");
         }))) {
        return wrong(at, k_name_hint);
    }
    if (has_artifact_extension(lower(text))) {  // as canonical text will have it
        return wrong(at, k_file_name_hint);
    }
    auto match = StringMatch::parse(is_regex ? std::string(text) : lower(text));
    if (!match) {
        return wrong(at, match.error().message);
    }
    spec_.name = match->is_any() ? StringMatch() : *std::move(match);
    has_name_ = true;
    return {};
}

// CEP 29, "Version expression parsing". `text` follows the name; with no space between, an '='
// there separates.
Result<> MatchSpecParser::version_and_build(std::string_view text, bool after_space) {
    std::string_view rest = text;
    std::string_view version = take_word(rest);
    std::string_view build = take_word(rest);
    if (!rest.empty()) {
        return wrong(rest, "a spec has at most a name, a version and a build");
    }
    if (!build.empty() && is_one_of(build.front(), k_operator)) {
        return wrong(build,
                     "a build is expected here; the clauses of a version are joined with ','");
    }
    const bool is_fuzzy = version.starts_with('=') && !version.starts_with("==");
    if (!build.empty() && is_fuzzy && !after_space) {
        return wrong(
            build,
            "'=' and space cannot both separate: write name=version=build or name version build");
    }
    const std::size_t separator = build.empty() ? build_separator(version) : std::string_view::npos;
    if (separator != std::string_view::npos) {
        build = version.substr(separator + 1);
        if (skip_space(build).empty()) {
            return wrong(build, "a build is expected after '='");
        }
        build = skip_space(build);
        version = trim(version.substr(0, separator));
        // In "name=version=build" the first '=' only separates: the version is exact.
        if (is_fuzzy) {
            version.remove_prefix(1);
        }
        if (is_fuzzy && (version.empty() || is_one_of(version.front(), k_operator))) {
            return wrong(version, "a version is expected after '='");
        }
    }
    if (version == "if") {
        return wrong(version, "a condition is written in brackets: name[when=\"python>=3.10\"]");
    }
    if (version == "=" && !after_space) {
        spec_.warnings.push_back(
            fmt::format("'{}': an empty version means any", printable(text_, 80)));
        return {};
    }
    CHM_CHECK(set_version(version, version));
    return build.empty() ? Result<>{} : set_build(build, build);
}

Result<> MatchSpecParser::set_version(std::string_view at, std::string_view text) {
    if (text == "*" || text == "=*" || text == "==*") {
        spec_.version = VersionSpec();
        return {};
    }
    std::string solid(text);
    std::erase_if(solid, [](char c) { return is_one_of(c, k_space); });
    auto version = VersionSpec::parse(solid);
    if (!version) {
        return wrong(at, version.error().message);
    }
    // Canonical text would have it last, and be read as a file name.
    if ((version->is_exact() || version->is_fuzzy()) &&
        has_artifact_extension(version->to_text())) {
        return wrong(at, k_file_name_hint);
    }
    spec_.warnings.insert(
        spec_.warnings.end(), version->warnings().begin(), version->warnings().end());
    spec_.version = *std::move(version);
    return {};
}

Result<> MatchSpecParser::set_build(std::string_view at, std::string_view text) {
    const bool is_regex = text.starts_with('^') && text.ends_with('$');
    const auto bad = std::ranges::find_if(
        text, [](char c) { return !is_alphanumeric(c) && !is_one_of(c, "_.+*-!"); });
    if (!is_regex && bad != text.end()) {
        return wrong(at, fmt::format("'{}' cannot be in a build", *bad));
    }
    if (has_artifact_extension(lower(text))) {
        return wrong(at, k_file_name_hint);
    }
    auto build = StringMatch::parse(text);
    if (!build) {
        return wrong(at, build.error().message);
    }
    spec_.build = build->is_any() ? StringMatch() : *std::move(build);
    return {};
}

Result<> MatchSpecParser::set_channel(std::string_view at, std::string_view text) {
    std::string_view channel = trim(text);
    if (const std::size_t slash = channel.rfind('/');
        slash != std::string_view::npos && is_known_subdir(channel.substr(slash + 1))) {
        spec_.subdir = std::string(channel.substr(slash + 1));
        channel = channel.substr(0, slash);
    }
    spec_.channel.clear();
    if (channel.empty() || channel == "*") {
        return {};
    }
    if (channel.find('*') != std::string_view::npos || channel.starts_with('^')) {
        auto match = StringMatch::parse(channel);
        if (!match) {
            return wrong(at, match.error().message);
        }
        spec_.channel = match->text();
        return {};
    }
    auto parsed = parse_channel(channel);
    if (!parsed) {
        return wrong(at, parsed.error().message);
    }
    // A name where the name says it all, else the URL: "prefix.dev/x" as a name would be below the
    // alias.
    const auto by_name = parse_channel(parsed->name);
    spec_.channel = by_name && *by_name == *parsed ? parsed->name : parsed->url;
    return {};
}

Result<MatchSpec> MatchSpec::parse(std::string_view text) {
    return MatchSpecParser(text, true).parse();
}

std::optional<std::string_view> dependency_name(std::string_view spec) {
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || is_one_of(c, "_.-");
    };
    const std::size_t end =
        static_cast<std::size_t>(std::ranges::find_if_not(spec, is_plain) - spec.begin());
    const std::string_view name = spec.substr(0, end);
    if (name.empty() || is_one_of(name.front(), ".-") || is_artifact(name)) {
        return std::nullopt;
    }
    // "a-1-b!0.conda" is a file name as a whole; no other operator can be in one.
    if (spec.substr(end).starts_with('!') &&
        is_artifact(trim(spec.substr(0, positional_end(spec))))) {
        return std::nullopt;
    }
    // After "name=" or "name " a "::" could still make this the head of a URL; no operator has a
    // colon.
    const bool is_ended = end == spec.size() || is_one_of(spec[end], " \t=<>!~[");
    return is_ended && spec.find("::", end) == std::string_view::npos ? std::optional(name)
                                                                      : std::nullopt;
}

}  // namespace chm::conda
