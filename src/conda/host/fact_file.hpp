// The small files in which the kernel and installers say what there is. Reading one never blocks
// and never fails: what cannot be read is not known.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace chm::conda {

/// The first `limit` bytes of a regular file, or of what a symlink leads to; nothing when there is
/// none that can be read (a pipe or device is not opened to wait for).
std::optional<std::string> read_fact(const std::filesystem::path& path, std::size_t limit);

/// The first word of such a file, as a version is written: letters, digits, '.', '-', '_', '+'.
/// Nothing when it is empty, longer than 64 bytes or has other characters.
std::optional<std::string> read_version(const std::filesystem::path& path);

}  // namespace chm::conda
