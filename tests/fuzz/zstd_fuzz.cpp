// zstd: foreign frames within a limit, and our own frames back.
#include "base/zstd.hpp"
#include "fuzz/fuzz.hpp"

using chm::fuzz::expect;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr chm::DecompressLimits limits{.max_output = std::uint64_t{1} << 20U};
    const std::string_view bytes = chm::fuzz::as_text(data, size);
    if (const auto plain = chm::zstd_decompress(bytes, limits)) {
        expect(plain->size() <= limits.max_output, "the limit holds");
    }
    const auto frame = chm::zstd_compress(bytes, 1);
    expect(frame.has_value(), "everything can be compressed");
    const auto back = chm::zstd_decompress(*frame, limits);
    expect(size > limits.max_output || (back && *back == bytes), "what was compressed comes back");
    return 0;
}
