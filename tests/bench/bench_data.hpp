// What the benchmarks run on: files of tests/data, unpacked once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace chm::bench {

/// The unpacked text of tests/data/`path`, a .zst file. Aborts when it cannot be read.
std::string read_data(std::string_view path);
/// Its lines.
std::vector<std::string> read_lines(std::string_view path);

}  // namespace chm::bench
