// bzip2: foreign streams within a limit, and our own streams back.
#include "base/bzip2.hpp"
#include "fuzz/fuzz.hpp"

using chm::fuzz::expect;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr chm::DecompressLimits limits{.max_output = std::uint64_t{1} << 20U};
    const std::string_view bytes = chm::fuzz::as_text(data, size);
    if (const auto plain = chm::bzip2_decompress(bytes, limits)) {
        expect(plain->size() <= limits.max_output, "the limit holds");
    }
    const auto stream = chm::bzip2_compress(bytes, 1);
    expect(stream.has_value(), "everything can be compressed");
    const auto back = chm::bzip2_decompress(*stream, limits);
    expect(size > limits.max_output || (back && *back == bytes), "what was compressed comes back");
    return 0;
}
