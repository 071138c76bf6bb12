// Standard output, which carries the product: every failure to write it is an error with a message.
#pragma once

#include "base/result.hpp"

#include <string_view>

namespace chm::cli {

/// Writes all of `text` to file descriptor 1.
Result<> print_to_standard_output(std::string_view text);

}  // namespace chm::cli
