// zstd frames in bounded memory. The only file that sees libzstd is zstd.cpp.
#pragma once

#include "base/compressed_data.hpp"
#include "base/result.hpp"

#include <string>
#include <string_view>

namespace chm {

/// All frames of `compressed`, decoded; their window is capped at 2^27 bytes (what conda's own writers
/// use at most). Errors (ErrorKind::integrity) say which it was: not zstd at
/// all, cut short, damaged (checksum), or larger than max_output.
Result<std::string> zstd_decompress(std::string_view compressed, DecompressLimits limits);

/// One frame with content size and checksum. The same input and level give the same bytes on one
/// libzstd version.
Result<std::string> zstd_compress(std::string_view plain, int level);

}  // namespace chm
