// Platforms: conda's subdir names ("linux-64", "noarch") and what is known of each.
#pragma once

#include "base/result.hpp"

#include <span>
#include <string>
#include <string_view>

namespace chm::conda {

inline constexpr std::string_view k_noarch = "noarch";

/// The subdirs conda knows by name, sorted, noarch last. CEP 26 gives only the form of a name; the
/// list decides where "channel/subdir" splits (CEP 29) and which defaults a solve has.
[[nodiscard]] std::span<const std::string_view> known_subdirs();

[[nodiscard]] bool is_known_subdir(std::string_view text);

/// ErrorKind::usage with the nearest known name when the text is none of them.
Result<std::string> parse_subdir(std::string_view text);

/// The platform this binary was built for: "linux-64", "linux-aarch64", …
[[nodiscard]] std::string_view host_platform();

}  // namespace chm::conda
