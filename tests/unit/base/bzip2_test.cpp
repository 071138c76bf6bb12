// Tests of base/bzip2.
#include "base/bzip2.hpp"

#include <doctest/doctest.h>

#include <string>

using chm::bzip2_compress;
using chm::bzip2_decompress;

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
    const auto result = bzip2_decompress(compressed, limits);
    if (result) {
        return "(no error)";
    }
    CHECK(result.error().kind == chm::ErrorKind::integrity);
    return result.error().message;
}

}  // namespace

TEST_CASE("bzip2: what is packed is unpacked and packing is repeatable") {
    for (const std::string& text : {std::string(), std::string("a"), sample()}) {
        const std::string packed = bzip2_compress(text, 9).value();
        CHECK(bzip2_compress(text, 9).value() == packed);
        CHECK(bzip2_decompress(packed, k_plenty).value() == text);
    }
    CHECK(bzip2_compress(sample(), 9).value().size() < sample().size() / 5);
    CHECK(bzip2_decompress(bzip2_compress(sample(), 1).value(), k_plenty).value() == sample());
}

TEST_CASE("bzip2: what the bzip2 command wrote is read") {
    // printf '{"packages": {}}' | bzip2
    const std::string packed(
        "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x15\xa0\x51\x77\x00\x00\x06\x19\x80\x50\x00\x00"
        "\x10\x2a\x88\x48\x0a\x20\x00\x31\x03\x40\xd0\x20\x8c\x9a\x7b\x51\xc4\x48\x59\x0a\x8c\xc8"
        "\x5a\x2e\xe4\x8a\x70\xa1\x20\x2b\x40\xa2\xee",
        55);
    CHECK(bzip2_decompress(packed, k_plenty).value() == R"({"packages": {}})");
}

TEST_CASE("bzip2: several streams are read as one") {
    const std::string empty = bzip2_compress("", 9).value();
    const std::string streams =
        empty + bzip2_compress("one ", 1).value() + empty + bzip2_compress("two", 9).value();
    CHECK(bzip2_decompress(streams, k_plenty).value() == "one two");
    CHECK(bzip2_decompress(empty, k_plenty).value().empty());
}

TEST_CASE("bzip2: every truncation is told as such") {
    const std::string packed = bzip2_compress(sample().substr(0, 2000), 9).value();
    for (std::size_t length = 1; length < packed.size(); ++length) {
        CHECK(error_of(packed.substr(0, length)) ==
              "bzip2 data is cut short after " + std::to_string(length) + " bytes");
    }
    const std::string two = packed + packed;
    CHECK(error_of(two.substr(0, two.size() - 1)).find("cut short") != std::string::npos);
}

TEST_CASE("bzip2: no flipped bit goes unnoticed") {
    const std::string plain = sample().substr(0, 2000);
    const std::string packed = bzip2_compress(plain, 9).value();
    for (std::size_t bit = 0; bit < packed.size() * 8; ++bit) {
        std::string damaged = packed;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
        const auto result = bzip2_decompress(damaged, k_plenty);
        CHECK(
            (!result || *result == plain));  // the level is only a size, the last bits are filling
    }
    CHECK(error_of(packed + "tail") == "bzip2 data is damaged (other bytes follow a stream)");
    CHECK(error_of("BZh9 and other things") == "bzip2 data is damaged");
}

TEST_CASE("bzip2: the output limit is exact") {
    const std::string text = sample();
    const std::string packed = bzip2_compress(text, 9).value();
    CHECK(bzip2_decompress(packed, {.max_output = text.size()}).value() == text);
    CHECK(error_of(packed, {.max_output = text.size() - 1}) ==
          "bzip2 data is larger than " + std::to_string(text.size() - 1) + " bytes when decoded");
    CHECK(error_of(packed, {.max_output = 0}) == "bzip2 data is larger than 0 bytes when decoded");
    CHECK(bzip2_decompress(bzip2_compress("", 9).value(), {.max_output = 0}).value().empty());
}

TEST_CASE("bzip2: a bomb stops at the limit") {
    // One gigabyte in some 120 kB.
    const std::string stream = bzip2_compress(std::string(10'000'000, '\0'), 9).value();
    std::string bomb;
    for (int i = 0; i < 100; ++i) {
        bomb += stream;
    }
    CHECK(bomb.size() < 200'000);
    CHECK(error_of(bomb, {.max_output = 20'000'000}) ==
          "bzip2 data is larger than 20000000 bytes when decoded");
}

TEST_CASE("bzip2: the number of streams is bounded") {
    const std::string empty = bzip2_compress("", 1).value();
    std::string many;
    for (int i = 0; i < 100'000; ++i) {
        many += empty;
    }
    CHECK(bzip2_decompress(many, k_plenty).value().empty());
    CHECK(error_of(many + empty) == "bzip2 data consists of more than 100000 streams");
}

TEST_CASE("bzip2: what is not bzip2 is named") {
    CHECK(error_of("") == "bzip2 data is empty");
    CHECK(error_of("\x1f\x8b\x08 gzip") == "not bzip2 data");
    CHECK(error_of("BZh0") == "not bzip2 data");
    CHECK(error_of("  \n<!DOCTYPE html><html>") == "not bzip2 data (it looks like an HTML page)");
    CHECK(error_of(R"({"error": 1})") == "not bzip2 data (it looks like JSON text)");
    CHECK(error_of("BZ") == "bzip2 data is cut short after 2 bytes");
}
