// Channels by name or URL (CEP 26). Inside the program a channel is its canonical name and its
// canonical URL without credentials; where its bytes are fetched from is configuration, not
// identity.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace chm::conda {

/// Where channels named without a URL live, as conda's channel_alias.
inline constexpr std::string_view k_default_channel_alias = "https://conda.anaconda.org";
/// Where conda looks for the "pkgs/…" channels (custom_channels and default_channels of its
/// configuration).
inline constexpr std::string_view k_pkgs_url = "https://repo.anaconda.com";

struct Channel {
    std::string name;  // "conda-forge", "nvidia/label/cuda-12.4.1"; elsewhere "host[:port]/path",
                       // "file/path"
    std::string url;   // "https://conda.anaconda.org/conda-forge": no credentials, no trailing
                       // slash, no subdir

    bool operator==(const Channel&) const = default;
};

/// Accepts a CEP 26 name (labels, slashes), or an http, https or file URL. A URL below `alias` gets
/// the name that conda would show; "pkgs/…" and k_pkgs_url belong together while `alias` is the
/// default one. Every name is a safe relative path. Errors (ErrorKind::usage) name the text and the
/// rule it breaks: "..", empty segments, characters outside the CEP's set, over-long names, a
/// subdir at the end, "defaults" (several channels in one). Credentials,
/// "/t/TOKEN/" and queries in a URL are refused with a message that does not repeat them.
Result<Channel> parse_channel(std::string_view text,
                              std::string_view alias = k_default_channel_alias);

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

/// "%2B" becomes "+"; none when a '%' is not followed by two hex digits.
std::optional<std::string> percent_decode(std::string_view text);

/// One path segment may name a subdir, file or directory of ours: not empty, not "." or "..", no
/// '/', '\', NUL or control characters, at most 255 bytes.
[[nodiscard]] bool is_safe_path_segment(std::string_view segment);

}  // namespace chm::conda
