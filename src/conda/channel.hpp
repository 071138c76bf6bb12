// Channels by name or URL (CEP 26). Inside the program a channel is its canonical name and its
// canonical URL without credentials; where its bytes are fetched from is configuration, not
// identity.
#pragma once

#include "base/result.hpp"
#include "conda/url.hpp"

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

/// One place, whether http or https: the same channel, as conda has it.
[[nodiscard]] bool is_same_place(const Channel& a, const Channel& b);

/// How a user names the channel on a command line: its name where that means this channel, else its
/// URL.
[[nodiscard]] std::string to_argument(const Channel& channel);

/// One path segment may name a subdir, file or directory of ours: not empty, not "." or "..", no
/// '/', '\', NUL or control characters, at most 255 bytes.
[[nodiscard]] bool is_safe_path_segment(std::string_view segment);

}  // namespace chm::conda
