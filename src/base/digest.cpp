// Digests by OpenSSL's EVP interface, in a library context of our own.
#include "base/digest.hpp"

#include "base/file_descriptor.hpp"
#include "base/text.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace chm {

namespace {

constexpr std::size_t k_read_size = std::size_t{256} * 1024;

// Hashing has no failure a caller could handle: it is out of memory or a broken OpenSSL. Going on
// would give a wrong digest.
void require(bool fine) {
    if (!fine) {
        std::fputs("chanmirror: OpenSSL cannot compute digests (out of memory?)\n", stderr);
        std::abort();
    }
}

// The built-in provider of a private context: neither a system in FIPS mode, which forbids the MD5
// that conda's indexes still carry, nor a broken openssl.cnf can get in the way.
EVP_MD* fetch(const char* name) {
    static OSSL_LIB_CTX* const context = [] {
        OSSL_LIB_CTX* created = OSSL_LIB_CTX_new();
        require(created != nullptr && OSSL_PROVIDER_load(created, "default") != nullptr);
        return created;
    }();
    EVP_MD* algorithm = EVP_MD_fetch(context, name, nullptr);
    require(algorithm != nullptr);
    return algorithm;
}

template <class D>
const EVP_MD* algorithm();

template <>
const EVP_MD* algorithm<Sha256>() {
    static const EVP_MD* const found = fetch("SHA256");
    return found;
}

template <>
const EVP_MD* algorithm<Md5>() {
    static const EVP_MD* const found = fetch("MD5");
    return found;
}

struct FreeState {
    void operator()(EVP_MD_CTX* state) const { EVP_MD_CTX_free(state); }
};

int hex_value(char digit) {
    if (digit >= '0' && digit <= '9') {
        return digit - '0';
    }
    if (digit >= 'a' && digit <= 'f') {
        return digit - 'a' + 10;
    }
    if (digit >= 'A' && digit <= 'F') {
        return digit - 'A' + 10;
    }
    return -1;
}

template <class D>
D digest_of(std::string_view bytes) {
    Hasher<D> hasher;
    hasher.update(bytes);
    return hasher.finish();
}

}  // namespace

template <std::size_t N, class Tag>
std::string Digest<N, Tag>::hex() const {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * N);
    for (const std::byte byte : bytes) {
        const auto value = std::to_integer<unsigned>(byte);
        text += digits[value >> 4U];
        text += digits[value & 0xFU];
    }
    return text;
}

template <std::size_t N, class Tag>
Result<Digest<N, Tag>> Digest<N, Tag>::from_hex(std::string_view text) {
    Digest digest;
    bool valid = text.size() == 2 * N;
    for (std::size_t i = 0; valid && i < N; ++i) {
        const int high = hex_value(text[2 * i]);
        const int low = hex_value(text[2 * i + 1]);
        valid = high >= 0 && low >= 0;
        digest.bytes[i] = static_cast<std::byte>(high * 16 + low);
    }
    if (!valid) {
        return fail(ErrorKind::parse,
                    fmt::format("expected {} hex digits, got '{}'", 2 * N, printable(text, 80)));
    }
    return digest;
}

template <class D>
struct Hasher<D>::Context {
    std::unique_ptr<EVP_MD_CTX, FreeState> state{EVP_MD_CTX_new()};

    Context() { begin(); }

    void begin() const {
        require(state != nullptr && EVP_DigestInit_ex2(state.get(), algorithm<D>(), nullptr) == 1);
    }
};

template <class D>
Hasher<D>::Hasher() : context_(std::make_unique<Context>()) {}
template <class D>
Hasher<D>::Hasher(Hasher&&) noexcept = default;
template <class D>
Hasher<D>& Hasher<D>::operator=(Hasher&&) noexcept = default;
template <class D>
Hasher<D>::~Hasher() = default;

template <class D>
void Hasher<D>::update(std::span<const std::byte> bytes) {
    require(EVP_DigestUpdate(context_->state.get(), bytes.data(), bytes.size()) == 1);
}

template <class D>
void Hasher<D>::update(std::string_view text) {
    update(std::as_bytes(std::span(text)));
}

template <class D>
D Hasher<D>::finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> buffer{};
    unsigned size = 0;
    require(EVP_DigestFinal_ex(context_->state.get(), buffer.data(), &size) == 1);
    D digest;
    require(size == digest.bytes.size());
    for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
        digest.bytes[i] = std::byte{buffer[i]};
    }
    context_->begin();
    return digest;
}

template struct Digest<32, Sha256Tag>;
template struct Digest<16, Md5Tag>;
template class Hasher<Sha256>;
template class Hasher<Md5>;

Sha256 sha256(std::string_view bytes) {
    return digest_of<Sha256>(bytes);
}

Md5 md5(std::string_view bytes) {
    return digest_of<Md5>(bytes);
}

Result<Sha256> sha256_of_file(const std::filesystem::path& path) {
    CHM_TRY(const FileDescriptor file, open_to_read(path));
    Hasher<Sha256> hasher;
    std::vector<std::byte> buffer(k_read_size);
    while (true) {
        CHM_TRY(const std::size_t count, read_some(file, buffer, path));
        if (count == 0) {
            return hasher.finish();
        }
        hasher.update(std::span<const std::byte>(buffer).first(count));
    }
}

}  // namespace chm
