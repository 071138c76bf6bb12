// Splitting URLs; see url.hpp.
#include "conda/url.hpp"

#include "base/ascii.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace chm::conda {

namespace {

constexpr std::size_t k_max_host = 240;  // DNS ends at 253; "host:port" becomes a folder's name

int hex_value(char c) {
    if (is_digit(c)) {
        return c - '0';
    }
    const char letter = to_lower(c);
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/// RFC 3986, section 3.1.
bool is_scheme(std::string_view text) {
    return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, [](char c) {
        return is_alphanumeric(c) || c == '+' || c == '-' || c == '.';
    });
}

/// RFC 3986 §5.2.4, of an absolute path; ".." at the root stays there.
std::string without_dot_segments(std::string_view path) {
    std::string kept;
    const std::vector<std::string_view> segments = split(path.substr(1), '/');
    for (std::size_t i = 0; i < segments.size(); ++i) {
        const bool dots = segments[i] == "." || segments[i] == "..";
        if (segments[i] == "..") {
            kept.resize(kept.empty() ? 0 : kept.rfind('/'));
        }
        if (!dots) {
            kept += fmt::format("/{}", segments[i]);
        } else if (i + 1 == segments.size()) {
            kept += '/';
        }
    }
    return kept;
}

}  // namespace

std::optional<UrlParts> split_url(std::string_view text) {
    const std::size_t colon = text.find("://");
    if (colon == std::string_view::npos || !is_scheme(text.substr(0, colon))) {
        return std::nullopt;
    }
    UrlParts url;
    url.scheme = lower(text.substr(0, colon));
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

bool is_fetchable(std::string_view scheme) {
    return scheme == "http" || scheme == "https" || scheme == "file";
}

std::string normal_authority(const UrlParts& url) {
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

Result<SplitUrl> split_credentials(std::string_view url) {
    const std::optional<UrlParts> parts = split_url(url);
    if (!parts || !is_fetchable(parts->scheme)) {
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

bool is_same_server(std::string_view a, std::string_view b) {
    const auto left = split_url(a);
    const auto right = split_url(b);
    return left && right && left->scheme == right->scheme &&
           normal_authority(*left) == normal_authority(*right) &&
           (left->scheme == "file" || !normal_authority(*left).empty());
}

std::optional<std::string> resolve_reference(std::string_view folder, std::string_view reference) {
    const auto base = split_url(folder);
    const bool odd =
        std::ranges::any_of(reference, [](char c) { return is_control(c) || c == ' '; });
    if (!base || odd) {
        return std::nullopt;
    }
    const std::string_view base_path = base->rest.substr(0, base->rest.find_first_of("?#"));
    std::string url = fmt::format("{}://{}", base->scheme, base->authority);
    if (split_url(reference)) {
        url = reference;
    } else if (reference.starts_with("//")) {
        url = fmt::format("{}:{}", base->scheme, reference);
    } else if (reference.starts_with('/')) {
        url += reference;
    } else {
        url += fmt::format("{}/{}", base_path.substr(0, base_path.rfind('/')), reference);
    }
    const auto parts = split_url(url);
    if (!parts || !is_fetchable(parts->scheme)) {
        return std::nullopt;
    }
    const std::size_t path_size = std::min(parts->rest.find_first_of("?#"), parts->rest.size());
    const std::string_view path = parts->rest.substr(0, path_size);
    const std::string_view before =
        std::string_view(url).substr(0, url.size() - parts->rest.size());
    return fmt::format("{}{}{}",
                       before,
                       path.empty() ? std::string("/") : without_dot_segments(path),
                       parts->rest.substr(path_size));
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

}  // namespace chm::conda
