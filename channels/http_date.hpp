// Dates as HTTP writes them.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace chm::channels {

/// RFC 9110 §5.6.7: "Sun, 06 Nov 1994 08:49:37 GMT", or one of the two older forms that a recipient
/// must know. None when it is no such date.
[[nodiscard]] std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text);

}  // namespace chm::channels
