// Channel names and URLs. A channel's name becomes folders on disk and in published URLs, so what
// is accepted here is what is safe there; and a message may be shown to anyone, so no part of a URL
// that could be secret enters one.
#include "conda/channel.hpp"

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "conda/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace chm::conda {

namespace {

constexpr std::size_t k_max_component = 128;  // CEP 26: of a path, and of a label as a whole
constexpr std::size_t k_max_name = 256;       // CEP 26 says so of the base URL

/// The text as a message may show it.
std::string shown(std::string_view text) {
    return text.find_first_of("?#") != std::string_view::npos
               ? "(not shown: it may hold credentials)"
               : quote_safely(text, 120);
}

tl::unexpected<Error> refuse(std::string_view text, std::string_view why) {
    return fail(ErrorKind::usage, fmt::format("channel {}: {}", shown(text), why));
}

bool is_word(char c) {
    return is_lower_or_digit(c) || c == '_' || c == '.' || c == '-';
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

Result<Channel> channel_of_file_url(std::string_view text, const UrlParts& url) {
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
Result<Channel> channel_of_http_url(std::string_view text,
                                    const UrlParts& url,
                                    std::string_view alias) {
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

Result<Channel> channel_of_url(std::string_view text, const UrlParts& url, std::string_view alias) {
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
        const std::optional<UrlParts> url = split_url(trimmed);
        if (!url || !is_fetchable(url->scheme)) {
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

bool is_same_place(const Channel& a, const Channel& b) {
    const auto place = [](std::string_view url) {
        const std::size_t mark = url.find("://");
        const bool is_http = url.starts_with("http:") || url.starts_with("https:");
        return is_http ? url.substr(mark) : url;
    };
    return place(a.url) == place(b.url);
}

std::string to_argument(const Channel& channel) {
    const auto named = parse_channel(channel.name);
    return named && *named == channel ? channel.name : channel.url;
}

bool is_safe_path_segment(std::string_view segment) {
    return !segment.empty() && segment.size() <= 255 && segment != "." && segment != ".." &&
           std::ranges::none_of(segment,
                                [](char c) { return c == '/' || c == '\\' || is_control(c); });
}

}  // namespace chm::conda
