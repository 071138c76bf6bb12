// Where a command's product goes: standard output, or the file of its -o option.
#pragma once

#include "base/result.hpp"
#include "cli/services.hpp"

#include <string>
#include <string_view>

namespace chm::cli {

/// Before the work: is there a folder for -o? `output` is the option's text; empty and "-" mean
/// standard output.
Result<> require_output_folder(const std::string& output, const Services& services);

/// Writes `text` to where `output` says, and notes the file.
Result<> write_product(const std::string& output, std::string_view text, Services& services);

}  // namespace chm::cli
