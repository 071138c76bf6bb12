// bzip2 streams in bounded memory. The only file that sees libbz2 is bzip2.cpp.
#pragma once

#include "base/compressed_data.hpp"
#include "base/result.hpp"

#include <string>
#include <string_view>

namespace chm {

/// All streams of `compressed`, decoded; at most 100,000 of them. Memory beside the output is what
/// the format asks for at most, 4 MB. Errors (ErrorKind::integrity) say which it was: not bzip2 at
/// all, cut short, damaged (each block has a checksum), or larger than max_output.
Result<std::string> bzip2_decompress(std::string_view compressed, DecompressLimits limits);

/// One stream in blocks of `level` × 100,000 bytes, 1 to 9. The same input and level give the same
/// bytes.
Result<std::string> bzip2_compress(std::string_view plain, int level);

}  // namespace chm
