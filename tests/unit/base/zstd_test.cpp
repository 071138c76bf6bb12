// Tests of base/zstd.
#include "base/zstd.hpp"

#include <doctest/doctest.h>

#include <string>

using chm::zstd_compress;
using chm::zstd_decompress;

namespace {

constexpr chm::DecompressLimits k_plenty{.max_output = 100'000'000};

std::string sample() {
    std::string text;
    for (int i = 0; i < 20'000; ++i) {
        text += "\"numpy-1." + std::to_string(i * 7919 % 20'011) + "-py312.conda\",";
    }
    return text;
}

std::string error_of(std::string_view compressed, chm::DecompressLimits limits = k_plenty) {
    const auto result = zstd_decompress(compressed, limits);
    if (result) {
        return "(no error)";
    }
    CHECK(result.error().kind == chm::ErrorKind::integrity);
    return result.error().message;
}

}  // namespace

TEST_CASE("zstd: what is packed is unpacked and packing is repeatable") {
    for (const std::string& text : {std::string(), std::string("a"), sample()}) {
        const std::string packed = zstd_compress(text, 3).value();
        CHECK(zstd_compress(text, 3).value() == packed);
        CHECK(zstd_decompress(packed, k_plenty).value() == text);
    }
    CHECK(zstd_decompress(zstd_compress(sample(), 19).value(), k_plenty).value() == sample());
}

TEST_CASE("zstd: several frames and skippable frames are read as one") {
    const std::string skippable("\x5A\x2A\x4D\x18\x03\x00\x00\x00xyz", 11);
    const std::string frames =
        skippable + zstd_compress("one ", 1).value() + skippable + zstd_compress("two", 1).value();
    CHECK(zstd_decompress(frames, k_plenty).value() == "one two");
    CHECK(zstd_decompress(skippable, k_plenty).value().empty());
}

TEST_CASE("zstd: output left in the decoder after the last input byte is not lost") {
    // No checksum, a window of 2^20 bytes; 100 times 'a', then 2^17 times 'b' (RFC 8878, 3.1.1.2).
    const std::string frame(
        "\x28\xB5\x2F\xFD\x00\x50\x22\x03\x00"
        "a\x03\x00\x10"
        "b",
        14);
    CHECK(zstd_decompress(frame, k_plenty).value() ==
          std::string(100, 'a') + std::string(1U << 17U, 'b'));
}

TEST_CASE("zstd: every truncation is told as such") {
    const std::string packed = zstd_compress(sample().substr(0, 2000), 3).value();
    for (std::size_t length = 1; length < packed.size(); ++length) {
        CHECK(error_of(packed.substr(0, length)) ==
              "zstd data is cut short after " + std::to_string(length) + " bytes");
    }
    const std::string two = packed + packed;
    CHECK(error_of(two.substr(0, two.size() - 1)).find("cut short") != std::string::npos);
}

TEST_CASE("zstd: no flipped bit goes unnoticed") {
    const std::string plain = sample().substr(0, 2000);
    const std::string packed = zstd_compress(plain, 3).value();
    for (std::size_t bit = 0; bit < packed.size() * 8; ++bit) {
        std::string damaged = packed;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
        const auto result = zstd_decompress(damaged, k_plenty);
        // Clearing the header's checksum flag makes the checksum trailing bytes: still an error.
        CHECK((!result || *result == plain));
    }
    std::string damaged = packed;
    damaged[damaged.size() - 1] = static_cast<char>(damaged.back() ^ 1);
    CHECK(error_of(damaged) == "zstd data is damaged (its checksum does not match)");
    CHECK(error_of(packed + "tail") == "zstd data is damaged (other bytes follow a frame)");
}

TEST_CASE("zstd: the output limit is exact") {
    const std::string text = sample();
    const std::string packed = zstd_compress(text, 3).value();
    CHECK(zstd_decompress(packed, {.max_output = text.size()}).value() == text);
    CHECK(error_of(packed, {.max_output = text.size() - 1}) ==
          "zstd data is larger than " + std::to_string(text.size() - 1) + " bytes when decoded");
    CHECK(error_of(packed, {.max_output = 0}) == "zstd data is larger than 0 bytes when decoded");
    CHECK(zstd_decompress(zstd_compress("", 3).value(), {.max_output = 0}).value().empty());
}

TEST_CASE("zstd: a bomb stops at the limit") {
    // One gigabyte as many frames of a megabyte, in some 60 kB.
    const std::string frame = zstd_compress(std::string(1'000'000, '\0'), 3).value();
    std::string bomb;
    for (int i = 0; i < 1000; ++i) {
        bomb += frame;
    }
    CHECK(bomb.size() < 100'000);
    CHECK(error_of(bomb, {.max_output = 10'000'000}) ==
          "zstd data is larger than 10000000 bytes when decoded");
}

TEST_CASE("zstd: a frame that declares a huge size or window does not get it") {
    // RFC 8878, 3.1.1.1: descriptor 0xE0 = single segment, 8-byte content size (here 2^40).
    const std::string huge("\x28\xB5\x2F\xFD\xE0\x00\x00\x00\x00\x00\x01\x00\x00\x01\x00\x00", 16);
    CHECK(error_of(huge, {.max_output = ~std::uint64_t{0}}) ==
          "zstd data needs a window of more than 2^27 bytes");
    // Descriptor 0, window descriptor 0x90: exponent 18, 2^28 bytes.
    const std::string window("\x28\xB5\x2F\xFD\x00\x90\x01\x00\x00", 9);
    CHECK(error_of(window) == "zstd data needs a window of more than 2^27 bytes");
}

TEST_CASE("zstd: what is not zstd is named") {
    CHECK(error_of("") == "zstd data is empty");
    CHECK(error_of("\x1f\x8b\x08 gzip") == "not zstd data");
    CHECK(error_of("plain text") == "not zstd data");
    CHECK(error_of("  \n<!DOCTYPE html><html>") == "not zstd data (it looks like an HTML page)");
    CHECK(error_of("\xEF\xBB\xBF{\"error\": 1}") == "not zstd data (it looks like JSON text)");
    CHECK(error_of("P") == "zstd data is cut short after 1 bytes");
    CHECK(error_of(std::string(5000, ' ')) == "not zstd data");
}
