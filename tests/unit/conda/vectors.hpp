// Reads the tables of tests/data/vectors (README.md there says what they hold).
#pragma once

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/zstd.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace chm::test {

/// The text of `name`.zst.
inline std::string read_vectors(std::string_view name) {
    constexpr std::uint64_t k_limit = std::uint64_t{8} << 20;
    const std::filesystem::path path =
        std::filesystem::path(CHM_TEST_DATA) / "vectors" / (std::string(name) + ".zst");
    const auto compressed = read_file(path, k_limit);
    REQUIRE_MESSAGE(compressed.has_value(), path.string());
    auto text = zstd_decompress(*compressed, {.max_output = k_limit});
    REQUIRE_MESSAGE(text.has_value(), path.string());
    return std::move(*text);
}

/// The lines of a text, without the empty one after the last newline.
inline std::vector<std::string_view> lines_of(std::string_view text) {
    auto lines = split(text, '\n');
    if (!lines.empty() && lines.back().empty()) {
        lines.pop_back();
    }
    return lines;
}

/// The rows below the header line; each has `columns` fields.
inline std::vector<std::vector<std::string_view>> rows_of(std::string_view text,
                                                          std::size_t columns) {
    std::vector<std::vector<std::string_view>> rows;
    for (const std::string_view line : lines_of(text)) {
        rows.push_back(split(line, '\t'));
        REQUIRE(rows.back().size() == columns);
    }
    rows.erase(rows.begin());
    return rows;
}

}  // namespace chm::test
