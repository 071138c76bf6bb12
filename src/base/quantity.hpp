// Durations and sizes as people type them behind a flag, and counts as they read them.
#pragma once

#include "base/result.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace chm {

/// "90s", "30m", "12h", "7d", "2w", or "0". At most 100 years. ErrorKind::usage.
Result<std::chrono::seconds> parse_duration(std::string_view text);

/// "750k", "50M", "1.5GB", or plain bytes: powers of 1000, or of 1024 with an i ("64MiB"). At most 10^15.
/// ErrorKind::usage.
Result<std::uint64_t> parse_byte_count(std::string_view text);

/// "1 file", "2 files".
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view noun);

}  // namespace chm
