// Streaming bzip2 decoding with limits, one-shot encoding. See the header.
#include "base/bzip2.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bzlib.h>
#include <cstdint>
#include <vector>

namespace chm {

namespace {

constexpr std::size_t k_buffer_bytes = 256 << 10;
constexpr std::size_t k_max_piece = 1 << 30;  // libbz2 counts what it is given in 32 bits
/// Parallel writers make one stream a block. Each costs the decoder a set-up, also an empty one of 14
/// bytes, so their number is bounded.
constexpr unsigned k_max_streams = 100'000;

tl::unexpected<Error> bad_data(std::string message) {
    return fail(ErrorKind::integrity, std::move(message));
}

bool begins_like_bzip2(std::string_view data) {
    constexpr std::string_view magic = "BZh";
    return magic.starts_with(data.substr(0, magic.size())) &&
           (data.size() <= magic.size() ||
            (data[magic.size()] >= '1' && data[magic.size()] <= '9'));
}

tl::unexpected<Error> out_of_memory(std::string_view doing) {
    return fail(ErrorKind::internal, fmt::format("out of memory while {} bzip2 data", doing));
}

/// libbz2 reads through a pointer to char that is not const, and does not write there.
char* readable(const char* bytes) {
    return const_cast<char*>(bytes);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

class Decoder {
public:
    Decoder(std::string_view compressed, DecompressLimits limits)
        : rest_(compressed), limits_(limits), buffer_(k_buffer_bytes) {}
    Decoder(const Decoder&) = delete;
    Decoder& operator=(const Decoder&) = delete;
    ~Decoder() { close(); }

    Result<std::string> run() {
        const std::size_t size = rest_.size();
        for (unsigned streams = 0; !rest_.empty(); ++streams) {
            if (streams == k_max_streams) {
                return bad_data(
                    fmt::format("bzip2 data consists of more than {} streams", k_max_streams));
            }
            if (streams > 0 && !begins_like_bzip2(rest_)) {
                return bad_data("bzip2 data is damaged (other bytes follow a stream)");
            }
            CHM_TRY(const bool whole, read_stream());
            if (!whole) {
                return bad_data(fmt::format("bzip2 data is cut short after {} bytes", size));
            }
        }
        return std::move(plain_);
    }

private:
    void close() {
        if (open_) {
            BZ2_bzDecompressEnd(&stream_);
            open_ = false;
        }
    }

    /// Takes one stream off rest_; false: it is not all there.
    Result<bool> read_stream() {
        stream_ = {};
        if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) {
            return out_of_memory("decoding");
        }
        open_ = true;
        while (true) {
            CHM_TRY(const int code, step());
            if (code == BZ_STREAM_END) {
                close();
                return true;
            }
            if (rest_.empty() && stream_.avail_out > 0) {
                return false;
            }
        }
    }

    Result<int> step() {
        const std::size_t given = std::min(rest_.size(), k_max_piece);
        stream_.next_in = readable(rest_.data());
        stream_.avail_in = static_cast<unsigned>(given);
        stream_.next_out = buffer_.data();
        stream_.avail_out = static_cast<unsigned>(buffer_.size());
        const int code = BZ2_bzDecompress(&stream_);
        if (code == BZ_MEM_ERROR) {
            return out_of_memory("decoding");
        }
        if (code != BZ_OK && code != BZ_STREAM_END) {
            return bad_data("bzip2 data is damaged");
        }
        rest_.remove_prefix(given - stream_.avail_in);
        const std::size_t made = buffer_.size() - stream_.avail_out;
        if (made > limits_.max_output - plain_.size()) {
            return bad_data(
                fmt::format("bzip2 data is larger than {} bytes when decoded", limits_.max_output));
        }
        plain_.append(buffer_.data(), made);
        return code;
    }

    std::string_view rest_;
    DecompressLimits limits_;
    std::vector<char> buffer_;
    std::string plain_;
    bz_stream stream_{};
    bool open_ = false;
};

}  // namespace

Result<std::string> bzip2_decompress(std::string_view compressed, DecompressLimits limits) {
    if (compressed.empty()) {
        return bad_data("bzip2 data is empty");
    }
    if (!begins_like_bzip2(compressed)) {
        return bad_data(fmt::format("not bzip2 data{}", likely_content(compressed)));
    }
    return Decoder(compressed, limits).run();
}

Result<std::string> bzip2_compress(std::string_view plain, int level) {
    bz_stream stream{};
    if (BZ2_bzCompressInit(&stream, level, 0, 0) != BZ_OK) {
        return out_of_memory("encoding");
    }
    std::string compressed;
    std::vector<char> buffer(k_buffer_bytes);
    int code = BZ_RUN_OK;
    while (code != BZ_STREAM_END) {
        const std::size_t given = std::min(plain.size(), k_max_piece);
        const bool last = given == plain.size();
        stream.next_in = readable(plain.data());
        stream.avail_in = static_cast<unsigned>(given);
        stream.next_out = buffer.data();
        stream.avail_out = static_cast<unsigned>(buffer.size());
        code = BZ2_bzCompress(&stream, last ? BZ_FINISH : BZ_RUN);
        if (code < 0) {
            BZ2_bzCompressEnd(&stream);
            return fail(ErrorKind::internal, fmt::format("encoding bzip2 data: error {}", code));
        }
        plain.remove_prefix(given - stream.avail_in);
        compressed.append(buffer.data(), buffer.size() - stream.avail_out);
    }
    BZ2_bzCompressEnd(&stream);
    return compressed;
}

}  // namespace chm
