// Names of Python projects and of their extras: "Torch_Vision" and "torch-vision" are one name.
#pragma once

#include "base/result.hpp"
#include "pypi/text_context.hpp"

#include <string>
#include <string_view>

namespace chm::pypi {

/// PEP 508: ASCII letters, digits, '.', '-' and '_', a letter or digit at both ends.
[[nodiscard]] bool is_valid_name(std::string_view text);

/// PEP 503: lower case, and each run of '-', '_' and '.' a single '-'. For valid names; of other
/// texts only the ASCII part changes.
[[nodiscard]] std::string normalize_name(std::string_view text);

/// The normalized name; ErrorKind::parse with the offset of the first character that is wrong.
Result<std::string> parse_name(std::string_view text);
/// The same for a name within a larger text.
Result<std::string> parse_name(std::string_view name, const TextContext& context);

}  // namespace chm::pypi
