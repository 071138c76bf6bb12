#include "bench/bench_data.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/zstd.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace chm::bench {

namespace {

constexpr std::uint64_t k_limit = 1ULL << 30U;

template <class T>
T value_or_abort(Result<T> result) {
    if (!result) {
        std::fprintf(stderr, "bench: %s\n", result.error().message.c_str());
        std::abort();
    }
    return std::move(*result);
}

}  // namespace

std::string read_data(std::string_view path) {
    const std::string packed =
        value_or_abort(read_file(std::string(CHM_TEST_DATA "/").append(path), k_limit));
    return value_or_abort(zstd_decompress(packed, {.max_output = k_limit}));
}

std::vector<std::string> read_lines(std::string_view path) {
    const std::string text = read_data(path);
    std::vector<std::string> lines;
    for (const std::string_view line : split(text, '\n')) {
        if (!line.empty()) {
            lines.emplace_back(line);
        }
    }
    return lines;
}

}  // namespace chm::bench
