// SHA-256 and MD5 as strong types, computed by OpenSSL's EVP (which picks SHA-NI or AVX2 at run
// time). The only file that sees OpenSSL is digest.cpp.
#pragma once

#include "base/result.hpp"

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace chm {

template <std::size_t N, class Tag>
struct Digest {
    std::array<std::byte, N> bytes{};

    /// Lower-case hex, 2·N characters.
    [[nodiscard]] std::string hex() const;
    /// Accepts 2·N hex digits of either case, nothing else.
    static Result<Digest> from_hex(std::string_view text);

    auto operator<=>(const Digest&) const = default;
};
using Sha256 = Digest<32, struct Sha256Tag>;
using Md5 = Digest<16, struct Md5Tag>;

/// Hashes a stream piece by piece; one object, one stream.
template <class D>
class Hasher {
public:
    Hasher();
    Hasher(Hasher&&) noexcept;
    Hasher& operator=(Hasher&&) noexcept;
    Hasher(const Hasher&) = delete;
    Hasher& operator=(const Hasher&) = delete;
    ~Hasher();

    void update(std::span<const std::byte> bytes);
    void update(std::string_view text);
    /// Ends the stream; the hasher is then as new.
    [[nodiscard]] D finish();

private:
    struct Context;
    std::unique_ptr<Context> context_;
};

[[nodiscard]] Sha256 sha256(std::string_view bytes);
[[nodiscard]] Md5 md5(std::string_view bytes);
/// Reads the file once in pieces of bounded size.
Result<Sha256> sha256_of_file(const std::filesystem::path& path);

}  // namespace chm
