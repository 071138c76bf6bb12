// Reads the tables of tests/data/pypi and tests/data/wheels (README.md there says what they hold).
#pragma once

#include "unit/conda/vectors.hpp"

#include <chrono>

namespace chm::test {

/// The text of tests/data/`path`.zst.
inline std::string read_data(std::string_view path) {
    constexpr std::uint64_t k_limit = std::uint64_t{8} << 20;
    const std::filesystem::path file =
        std::filesystem::path(CHM_TEST_DATA) / (std::string(path) + ".zst");
    const auto compressed = read_file(file, k_limit);
    REQUIRE_MESSAGE(compressed.has_value(), file.string());
    auto text = zstd_decompress(*compressed, {.max_output = k_limit});
    REQUIRE_MESSAGE(text.has_value(), file.string());
    return std::move(*text);
}

/// The time that a hostile input of many bytes may take; linear code needs a hundredth of it, also
/// under sanitizers on a busy machine.
inline constexpr std::chrono::seconds k_patience{5};

}  // namespace chm::test
