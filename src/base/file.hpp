// Reading files and making folders, with errors that name the path.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace chm {

/// The whole file. Refuses one larger than `limit` bytes (every reader knows how large its input
/// may be). A missing file is ErrorKind::not_found.
Result<std::string> read_file(const std::filesystem::path& path, std::uint64_t limit);

/// mkdir -p.
Result<> make_directories(const std::filesystem::path& path);

/// Hardlinks `existing` as `link` (copies where the file system has no hardlinks or `existing` is
/// on another device). Fails when `link` exists.
Result<> link_or_copy(const std::filesystem::path& existing, const std::filesystem::path& link);

/// rm -rf; a path that is not there is fine.
Result<> remove_tree(const std::filesystem::path& path);

}  // namespace chm
