// Channel names and URLs. A channel's name becomes folders on disk and in published URLs, so what
// is accepted here is what is safe there; and a message may be shown to anyone, so no part of a URL
// that could be secret enters one.
#include "conda/channel.hpp"

#include "base/text.hpp"
#include "conda/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace chm::conda {

namespace {

constexpr std::string_view k_token_mark = "/t/";

constexpr std::size_t k_max_component = 128;  // CEP 26: of a path, and of a label as a whole
constexpr std::size_t k_max_host = 240;  // DNS ends at 253; "host:port" becomes a folder's name
constexpr std::size_t k_max_name = 256;  // CEP 26 says so of the base URL

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
char to_lower(char c) {
    return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), to_lower);
    return result;
}

/// The text as a message may show it.
std::string shown(std::string_view text) {
    if (text.find('@') != std::string_view::npos || text.find("/t/") != std::string_view::npos ||
        text.starts_with("t/") || text.find('?') != std::string_view::npos) {
        return "(a URL that may hold credentials, not shown)";
    }
    return fmt::format("'{}'", printable(text, 120));
}

tl::unexpected<Error> refuse(std::string_view text, std::string_view why) {
    return fail(ErrorKind::usage, fmt::format("channel {}: {}", shown(text), why));
}

struct Url {
    std::string scheme;          // lower case
    std::string_view user_info;  // as written, may be empty
    std::string_view authority;  // without user_info
    std::string_view rest;       // path, query and fragment
};

/// Only what splits a URL; what the parts may be is the caller's.
std::optional<Url> split_url(std::string_view text) {
    const std::size_t colon = text.find("://");
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    Url url;
    url.scheme = lower(text.substr(0, colon));
    if (url.scheme != "http" && url.scheme != "https" && url.scheme != "file") {
        return std::nullopt;
    }
    const std::string_view after = text.substr(colon + 3);
    const std::size_t end = std::min(after.find_first_of("/?#"), after.size());
    url.authority = after.substr(0, end);
    url.rest = after.substr(end);
    if (const std::size_t at = url.authority.rfind('@'); at != std::string_view::npos) {
        url.user_info = url.authority.substr(0, at);
        url.authority.remove_prefix(at + 1);
    }
    return url;
}

int hex_value(char c) {
    if (is_digit(c)) {
        return c - '0';
    }
    const char letter = to_lower(c);
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '\x7f';
}

/// "[host][:port]" in lower case without the scheme's own port; empty when it is malformed.
std::string normal_authority(const Url& url) {
    std::string_view host = url.authority;
    std::string_view port;
    const std::size_t bracket = host.rfind(']');
    const std::size_t colon = host.rfind(':');
    if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
        port = host.substr(colon + 1);
        host = host.substr(0, colon);
        if (port.empty() || port.size() > 5 || !std::ranges::all_of(port, is_digit)) {
            return "";
        }
    }
    const bool is_ipv6 = host.size() > 2 && host.front() == '[' && host.back() == ']';
    const std::string_view inner = is_ipv6 ? host.substr(1, host.size() - 2) : host;
    const bool is_well_formed = std::ranges::all_of(inner, [&](char c) {
        return is_digit(c) || is_lower(to_lower(c)) || c == '.' ||
               (is_ipv6 ? c == ':' : c == '-' || c == '_');
    });
    if (inner.empty() || inner.size() > k_max_host || !is_well_formed || inner.front() == '.' ||
        inner.front() == '-') {
        return "";
    }
    if (port.empty() || (url.scheme == "http" && port == "80") ||
        (url.scheme == "https" && port == "443")) {
        return lower(host);
    }
    return fmt::format("{}:{}", lower(host), port);
}

bool is_word(char c) {
    return is_lower(c) || is_digit(c) || c == '_' || c == '.' || c == '-';
}

/// CEP 26's rule for one component of a channel's path; empty when it holds.
std::string_view broken_component_rule(std::string_view component) {
    if (component.empty()) {
        return "it has an empty path segment";
    }
    if (component.size() > k_max_component) {
        return "a path segment is longer than 128 characters (CEP 26)";
    }
    if (component.front() == '.' || component.front() == '-') {
        return "a path segment may not begin with '.' or '-' (CEP 26)";
    }
    if (std::ranges::any_of(component, is_upper)) {
        return "channel names are lower-case (CEP 26): write it so";
    }
    if (!std::ranges::all_of(component, is_word)) {
        return "a path segment may hold only a-z, 0-9, '_', '.', '-' (CEP 26)";
    }
    return "";
}

/// CEP 26's rule for what follows "label/": upper case and slashes are allowed, paths upwards are
/// not.
std::string_view broken_label_rule(std::string_view label) {
    if (label.empty() || label.size() > k_max_component) {
        return "a label is empty or longer than 128 characters (CEP 26)";
    }
    if (!is_lower(to_lower(label.front()))) {
        return "a label begins with a letter (CEP 26)";
    }
    for (const std::string_view part : split(label, '/')) {
        if (!is_safe_path_segment(part)) {
            return "a label has an empty, '.' or '..' segment";
        }
        if (!std::ranges::all_of(part, [](char c) { return is_word(to_lower(c)); })) {
            return "a label may hold only letters, digits, '_', '-', '.', '/' (CEP 26)";
        }
    }
    return "";
}

/// The rule that a name below an alias breaks; empty when it is well-formed.
std::string_view broken_name_rule(std::string_view name) {
    if (name.empty()) {
        return "it names no channel";
    }
    if (name.size() > k_max_name) {
        return "it is longer than 256 characters (CEP 26)";
    }
    if (name.ends_with("/label")) {
        return "'label/' is followed by no label";
    }
    std::string_view path = name;
    if (const std::size_t at = name.find("/label/"); at != std::string_view::npos) {
        const std::string_view label = name.substr(at + 7);
        if (const std::string_view rule = broken_label_rule(label); !rule.empty()) {
            return rule;
        }
        path = name.substr(0, at);
    }
    for (const std::string_view component : split(path, '/')) {
        if (const std::string_view rule = broken_component_rule(component); !rule.empty()) {
            return rule;
        }
    }
    return "";
}

/// The same for a path elsewhere. Real servers (Artifactory, Nexus) have upper-case repository
/// names, and local folders may be hidden, so only what would not be a plain folder name in our
/// tree is refused.
std::string_view broken_foreign_rule(std::string_view path, bool is_file) {
    if (path.size() > k_max_name) {
        return "its path is longer than 256 characters (CEP 26)";
    }
    for (const std::string_view segment : split(path, '/')) {
        if (segment.empty()) {
            return "it has an empty path segment";
        }
        if (segment.size() > k_max_component) {
            return "a path segment is longer than 128 characters (CEP 26)";
        }
        if (!is_safe_path_segment(segment) || segment.front() == '-' ||
            (segment.front() == '.' && !is_file)) {
            return "a path segment may not be '..' or begin with '.' or '-' (CEP 26)";
        }
        if (!std::ranges::all_of(
                segment, [](char c) { return is_word(to_lower(c)) || c == '+' || c == '~'; })) {
            return "a path segment may hold only letters, digits, '_', '.', '-', '+', '~', because "
                   "it becomes a "
                   "folder of the mirror";
        }
    }
    return "";
}

std::string_view last_segment(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view without_trailing_slashes(std::string_view text) {
    while (text.ends_with('/')) {
        text.remove_suffix(1);
    }
    return text;
}

/// What is wrong with the end of a name or path: a subdir or an index file is no channel. Empty
/// when nothing is.
std::string broken_end_rule(std::string_view path) {
    const std::string_view last = last_segment(path);
    if (is_known_subdir(last)) {
        return fmt::format(
            "'{}' is a subdir, not part of the channel: leave it away and use --subdir {}",
            last,
            last);
    }
    if (last.starts_with("repodata.json") || last.starts_with("current_repodata.json")) {
        return "it is an index file: give the URL of the channel above its subdirs";
    }
    return "";
}

Result<Channel> channel_of_name(std::string_view text,
                                std::string_view name,
                                std::string_view base_url) {
    if (const std::string_view rule = broken_name_rule(name); !rule.empty()) {
        return refuse(text, rule);
    }
    if (const std::string rule = broken_end_rule(name); !rule.empty()) {
        return refuse(text, rule);
    }
    return Channel{std::string(name), fmt::format("{}/{}", base_url, name)};
}

/// "host/path" of two URLs is compared, so http and https of one place are one channel, as conda
/// has it.
std::optional<std::string_view> name_below(std::string_view location, std::string_view base_url) {
    const std::size_t colon = base_url.find("://");
    const std::string_view base =
        colon == std::string_view::npos ? base_url : base_url.substr(colon + 3);
    if (base.empty() || !location.starts_with(base)) {
        return std::nullopt;
    }
    const std::string_view name = location.substr(base.size());
    return name.starts_with('/') ? std::optional(name.substr(1)) : std::nullopt;
}

Result<Channel> channel_of_file_url(std::string_view text, const Url& url) {
    if (!url.authority.empty() && lower(url.authority) != "localhost") {
        return refuse(text, "a file URL has three slashes and no host: file:///path/of/channel");
    }
    const std::string_view path = without_trailing_slashes(url.rest);
    if (path.empty()) {
        return refuse(text, "it names no channel");
    }
    if (const std::string_view rule = broken_foreign_rule(path.substr(1), true); !rule.empty()) {
        return refuse(text, rule);
    }
    if (const std::string rule = broken_end_rule(path); !rule.empty()) {
        return refuse(text, rule);
    }
    return Channel{fmt::format("file{}", path), fmt::format("file://{}", path)};
}

/// Below an alias or not; a URL there is a name in disguise.
Result<Channel> channel_of_http_url(std::string_view text, const Url& url, std::string_view alias) {
    const std::string authority = normal_authority(url);
    if (authority.empty()) {
        return refuse(text, "its host or port is malformed");
    }
    const std::string location = authority + std::string(without_trailing_slashes(url.rest));
    if (const auto name = name_below(location, alias)) {
        return channel_of_name(text, *name, alias);
    }
    if (const auto name = name_below(location, k_pkgs_url);
        alias == k_default_channel_alias && name && name->starts_with("pkgs/")) {
        return channel_of_name(text, *name, k_pkgs_url);
    }
    if (location.size() > authority.size()) {
        const std::string_view path = std::string_view(location).substr(authority.size() + 1);
        if (const std::string_view rule = broken_foreign_rule(path, false); !rule.empty()) {
            return refuse(text, rule);
        }
        if (const std::string rule = broken_end_rule(path); !rule.empty()) {
            return refuse(text, rule);
        }
    } else if (name_below(location + "/x", alias)) {
        return refuse(text, "it is where channels live, not a channel: add a name");
    }
    return Channel{location, fmt::format("{}://{}", url.scheme, location)};
}

Result<Channel> channel_of_url(std::string_view text, const Url& url, std::string_view alias) {
    if (!url.user_info.empty() || text.find('@') != std::string_view::npos) {
        return refuse(
            text,
            "it holds credentials: put them in ~/.netrc or the configuration's upstreams, "
            "and leave them out here");
    }
    if (url.rest.find("/t/") != std::string_view::npos) {
        return refuse(
            text,
            "it holds a token (/t/…/): put it in the configuration's upstreams, and leave "
            "it out here");
    }
    if (url.rest.find_first_of("?#") != std::string_view::npos) {
        return refuse(text, "a channel's URL has no '?' or '#' part");
    }
    return url.scheme == "file" ? channel_of_file_url(text, url)
                                : channel_of_http_url(text, url, alias);
}

}  // namespace

Result<Channel> parse_channel(std::string_view text, std::string_view alias) {
    const std::string_view trimmed = trim(text);
    const std::string_view base = without_trailing_slashes(alias);
    if (trimmed.find("://") != std::string_view::npos) {
        const std::optional<Url> url = split_url(trimmed);
        if (!url) {
            return refuse(trimmed, "only http, https and file URLs can be mirrored");
        }
        return channel_of_url(trimmed, *url, base);
    }
    if (trimmed.find('@') != std::string_view::npos) {
        return refuse(trimmed, "'@' is in no channel's name; a URL begins with https://");
    }
    if (trimmed.starts_with('/') || trimmed.starts_with("./") || trimmed.starts_with("../") ||
        trimmed.starts_with('~') || trimmed.find('\\') != std::string_view::npos) {
        return refuse(trimmed, "it is a path: write file:///path/of/channel");
    }
    const std::string_view name = without_trailing_slashes(trimmed);
    if (name == "defaults") {
        return refuse(
            trimmed,
            "it stands for several channels: name pkgs/main, pkgs/r (and pkgs/msys2 for Windows)");
    }
    if (fmt::format("/{}", name).find(k_token_mark) != std::string::npos) {
        return refuse(trimmed, "'t/' in it would be taken for a token (/t/…/) in its URL");
    }
    const bool is_pkgs = base == k_default_channel_alias && name.starts_with("pkgs/");
    return channel_of_name(trimmed, name, is_pkgs ? k_pkgs_url : base);
}

Result<SplitUrl> split_credentials(std::string_view url) {
    const std::optional<Url> parts = split_url(url);
    if (!parts) {
        return fail(ErrorKind::usage,
                    "not an http, https or file URL (not shown: it may hold credentials)");
    }
    if (std::ranges::any_of(url, is_control)) {
        return fail(ErrorKind::usage,
                    "a URL has control characters (not shown: it may hold credentials)");
    }
    SplitUrl result;
    std::string_view rest = parts->rest;
    if (parts->scheme != "file" && rest.starts_with(k_token_mark)) {
        rest.remove_prefix(k_token_mark.size());
        const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
        result.credentials.token.emplace(std::string(rest.substr(0, end)));
        rest.remove_prefix(end);
        if (rest.starts_with(k_token_mark)) {
            return fail(ErrorKind::usage,
                        "a URL has two tokens (/t/…/t/…; not shown: they are credentials)");
        }
    }
    result.url = fmt::format("{}://{}{}", parts->scheme, parts->authority, rest);
    if (parts->user_info.empty()) {
        return result;
    }
    std::optional<std::string> decoded = percent_decode(parts->user_info);
    if (!decoded || std::ranges::any_of(*decoded, is_control)) {
        return fail(
            ErrorKind::usage,
            fmt::format("the credentials in the URL of host '{}' are not well percent-encoded",
                        printable(parts->authority, 80)));
    }
    result.credentials.user_password.emplace(std::move(*decoded));
    return result;
}

std::optional<std::string> percent_decode(std::string_view text) {
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            decoded.push_back(text[i]);
            continue;
        }
        const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
        const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
        if (high < 0 || low < 0) {
            return std::nullopt;
        }
        decoded.push_back(static_cast<char>(high * 16 + low));
        i += 2;
    }
    return decoded;
}

bool is_safe_path_segment(std::string_view segment) {
    return !segment.empty() && segment.size() <= 255 && segment != "." && segment != ".." &&
           std::ranges::none_of(segment,
                                [](char c) { return c == '/' || c == '\\' || is_control(c); });
}

}  // namespace chm::conda
