// What the decompressors (base/zstd.hpp, base/bzip2.hpp) share.
#pragma once

#include <cstdint>
#include <string_view>

namespace chm {

/// Limits for untrusted data: output beyond `max_output` is an error.
struct DecompressLimits {
    std::uint64_t max_output;
};

/// For an error about bytes of another format, what a server or proxy likely sent instead:
/// " (it looks like an HTML page)"; else empty.
[[nodiscard]] std::string_view likely_content(std::string_view data);

}  // namespace chm
