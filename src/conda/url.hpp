// URLs as channels use them: split into parts, and into what may be shown and what may not. Nothing
// here repeats a URL in a message, since any part of one may be secret.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace chm::conda {

/// Where conda puts a token: "https://HOST/t/TOKEN/PATH".
inline constexpr std::string_view k_token_mark = "/t/";

/// "SCHEME://[USER_INFO@]AUTHORITY[REST]"; views into the text.
struct UrlParts {
    std::string scheme;          // lower case
    std::string_view user_info;  // as written, may be empty
    std::string_view authority;  // "host", "host:port", or empty
    std::string_view rest;  // path, query and fragment: empty or beginning with '/', '?' or '#'
};
/// None without "://" or with something else than a scheme (RFC 3986) before it. Nothing else is
/// checked: which schemes and parts will do is the caller's.
std::optional<UrlParts> split_url(std::string_view text);

/// The schemes that can be mirrored: http, https, file.
[[nodiscard]] bool is_fetchable(std::string_view scheme);

/// "host[:port]" in lower case without the scheme's own port; empty when it is malformed.
[[nodiscard]] std::string normal_authority(const UrlParts& url);

/// Of one scheme, host and port. False when one of them is malformed.
[[nodiscard]] bool is_same_server(std::string_view a, std::string_view b);

/// `reference` as seen from `folder` (a URL that ends with '/'): absolute, "//host/…", "/path" or
/// relative, without "." and ".." segments (RFC 3986 §5.2). None when the folder is no URL, when what
/// comes out has a scheme that cannot be fetched, or for white space and control characters.
std::optional<std::string> resolve_reference(std::string_view folder, std::string_view reference);

/// "%2B" becomes "+"; none when a '%' is not followed by two hex digits.
std::optional<std::string> percent_decode(std::string_view text);

/// What a server may want to see. Never part of a channel's identity, never printed or stored.
struct Credentials {
    std::optional<Secret> user_password = {};  // "user:password"
    std::optional<Secret> token = {};          // conda's: sent as https://HOST/t/TOKEN/PATH

    [[nodiscard]] bool empty() const { return !user_password && !token; }
    bool operator==(const Credentials&) const = default;
};

/// A URL split into what may be shown and what may not.
struct SplitUrl {
    std::string url;  // without user:password and /t/TOKEN
    Credentials credentials;
};
/// ErrorKind::usage when the text is no http, https or file URL, or its credentials are not well
/// percent-encoded; the message never repeats the text. A token is taken where conda puts it: at the
/// beginning of an http or https URL's path.
Result<SplitUrl> split_credentials(std::string_view url);

}  // namespace chm::conda
