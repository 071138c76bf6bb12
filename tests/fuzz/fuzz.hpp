// What the fuzz targets share. Each target is one file with LLVMFuzzerTestOneInput: libFuzzer
// drives it in the fuzz preset, replay_main.cpp in every other build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace chm::fuzz {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as characters
    return {reinterpret_cast<const char*>(data), size};
}

/// Aborts, in every build type: the fuzzer keeps the input, the replay names its file.
inline void expect(bool holds, const char* fact) {
    if (!holds) {
        std::fprintf(stderr, "fuzz: does not hold: %s\n", fact);
        std::abort();
    }
}

}  // namespace chm::fuzz
