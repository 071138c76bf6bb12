// Streaming zstd decoding with limits, one-shot encoding. See the header.
#include "base/zstd.hpp"

#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace chm {

namespace {

constexpr int k_window_log = 27;
// No more memory is set aside on a frame's word than this many times its compressed size;
// conda's indexes shrink 6 to 20 times.
constexpr std::uint64_t k_trusted_ratio = 32;

struct FreeDecoder {
    void operator()(ZSTD_DCtx* decoder) const { ZSTD_freeDCtx(decoder); }
};
struct FreeEncoder {
    void operator()(ZSTD_CCtx* encoder) const { ZSTD_freeCCtx(encoder); }
};

tl::unexpected<Error> bad_data(std::string message) {
    return fail(ErrorKind::integrity, std::move(message));
}

tl::unexpected<Error> too_large(std::uint64_t max_output) {
    return bad_data(fmt::format("zstd data is larger than {} bytes when decoded", max_output));
}

// RFC 8878, 3.1.1 and 3.1.2: a frame, or a skippable frame (the low four bits are free). Input
// shorter than a magic number is judged by what is there.
bool begins_like_zstd(std::string_view data) {
    constexpr std::string_view frame = "\x28\xB5\x2F\xFD";
    constexpr std::string_view skippable_tail = "\x2A\x4D\x18";
    if (frame.starts_with(data.substr(0, frame.size()))) {
        return true;
    }
    return !data.empty() && (static_cast<unsigned char>(data[0]) & 0xF0U) == 0x50U &&
           skippable_tail.starts_with(data.substr(1, skippable_tail.size()));
}

tl::unexpected<Error> decoding_error(std::size_t code) {
    switch (ZSTD_getErrorCode(code)) {
        case ZSTD_error_frameParameter_windowTooLarge:
            return bad_data(
                fmt::format("zstd data needs a window of more than 2^{} bytes", k_window_log));
        case ZSTD_error_memory_allocation:
            return fail(ErrorKind::internal, "out of memory while decoding zstd data");
        case ZSTD_error_checksum_wrong:
            return bad_data("zstd data is damaged (its checksum does not match)");
        case ZSTD_error_prefix_unknown:
            return bad_data("zstd data is damaged (other bytes follow a frame)");
        default:
            return bad_data(fmt::format("zstd data is damaged ({})", ZSTD_getErrorName(code)));
    }
}

std::uint64_t worth_reserving(std::string_view compressed, std::uint64_t max_output) {
    const unsigned long long declared =
        ZSTD_getFrameContentSize(compressed.data(), compressed.size());
    if (declared == ZSTD_CONTENTSIZE_UNKNOWN || declared == ZSTD_CONTENTSIZE_ERROR) {
        return 0;
    }
    return std::min({std::uint64_t{declared}, max_output, compressed.size() * k_trusted_ratio});
}

}  // namespace

Result<std::string> zstd_decompress(std::string_view compressed, DecompressLimits limits) {
    if (compressed.empty()) {
        return bad_data("zstd data is empty");
    }
    if (!begins_like_zstd(compressed)) {
        return bad_data(fmt::format("not zstd data{}", likely_content(compressed)));
    }
    const std::unique_ptr<ZSTD_DCtx, FreeDecoder> decoder(ZSTD_createDCtx());
    if (decoder == nullptr) {
        return fail(ErrorKind::internal, "out of memory while decoding zstd data");
    }
    ZSTD_DCtx_setParameter(decoder.get(), ZSTD_d_windowLogMax, k_window_log);

    std::string plain;
    plain.reserve(worth_reserving(compressed, limits.max_output));
    std::vector<char> buffer(ZSTD_DStreamOutSize());
    ZSTD_inBuffer input{compressed.data(), compressed.size(), 0};
    std::size_t expected = 1;  // bytes the decoder still wants; 0 at the end of a frame
    bool buffer_was_full = false;
    while (input.pos < input.size || (buffer_was_full && expected != 0)) {
        ZSTD_outBuffer output{buffer.data(), buffer.size(), 0};
        expected = ZSTD_decompressStream(decoder.get(), &output, &input);
        if (ZSTD_isError(expected) != 0) {
            return decoding_error(expected);
        }
        if (output.pos > limits.max_output - plain.size()) {
            return too_large(limits.max_output);
        }
        plain.append(buffer.data(), output.pos);
        buffer_was_full = output.pos == output.size;
    }
    if (expected != 0) {
        return bad_data(fmt::format("zstd data is cut short after {} bytes", compressed.size()));
    }
    return plain;
}

Result<std::string> zstd_compress(std::string_view plain, int level) {
    const std::unique_ptr<ZSTD_CCtx, FreeEncoder> encoder(ZSTD_createCCtx());
    if (encoder == nullptr) {
        return fail(ErrorKind::internal, "out of memory while encoding zstd data");
    }
    ZSTD_CCtx_setParameter(encoder.get(), ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(encoder.get(), ZSTD_c_contentSizeFlag, 1);
    ZSTD_CCtx_setParameter(encoder.get(), ZSTD_c_checksumFlag, 1);
    std::string compressed(ZSTD_compressBound(plain.size()), '\0');
    const std::size_t size = ZSTD_compress2(
        encoder.get(), compressed.data(), compressed.size(), plain.data(), plain.size());
    if (ZSTD_isError(size) != 0) {
        return fail(ErrorKind::internal,
                    fmt::format("encoding zstd data: {}", ZSTD_getErrorName(size)));
    }
    compressed.resize(size);
    return compressed;
}

}  // namespace chm
