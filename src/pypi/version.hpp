// Python versions as PEP 440 defines them: [epoch!]release[{a|b|rc}N][.postN][.devN][+local].
// Unlike conda's (src/conda/version.hpp), a local version is greater than the public one.
#pragma once

#include "base/result.hpp"
#include "pypi/text_context.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace chm::pypi {

/// A parsed version. "1.0" == "1.0.0" although their texts differ.
class Version {
public:
    /// Surrounding white space, letter case, a leading 'v' and all spellings of PEP 440 ("1.0-1",
    /// "1.0.alpha_2") are accepted. ErrorKind::parse with the offset of what is wrong.
    static Result<Version> parse(std::string_view text);
    /// The same for a literal within a larger text.
    static Result<Version> parse(std::string_view literal, const TextContext& context);

    /// As it was written, without surrounding white space.
    [[nodiscard]] const std::string& text() const { return written_.empty() ? normal_ : written_; }
    /// PEP 440's normal form; zeros at the end of the release stay.
    [[nodiscard]] const std::string& to_text() const { return normal_; }
    /// The normal form without the local part.
    [[nodiscard]] std::string_view public_text() const {
        return std::string_view(normal_).substr(0, public_length_);
    }
    /// Epoch and release alone.
    [[nodiscard]] std::string_view base_text() const {
        return std::string_view(normal_).substr(0, base_length_);
    }
    /// "cu121"; empty when there is none.
    [[nodiscard]] std::string_view local() const {
        return std::string_view(normal_).substr(has_local() ? public_length_ + 1 : public_length_);
    }
    [[nodiscard]] bool has_local() const { return public_length_ < normal_.size(); }
    [[nodiscard]] bool has_dev() const { return has_dev_; }
    [[nodiscard]] bool has_post() const { return ends_.post > ends_.pre; }
    /// A dev, alpha, beta or candidate release.
    [[nodiscard]] bool is_prerelease() const { return is_prerelease_; }

    std::strong_ordering operator<=>(const Version& other) const { return key_ <=> other.key_; }
    bool operator==(const Version& other) const { return key_ == other.key_; }

    /// Bytes whose order is the versions' order; version.cpp says how they are laid out.
    [[nodiscard]] const std::string& key() const { return key_; }

    /// How long the key is up to the end of a part; a part that is missing ends where the one
    /// before it does. Ranges of versions are made from this (version_specifier).
    struct KeyEnds {
        std::uint32_t release = 0;
        std::uint32_t pre = 0;
        std::uint32_t post = 0;
        std::uint32_t dev = 0;  // the end of the public part
    };
    [[nodiscard]] const KeyEnds& key_ends() const { return ends_; }

private:
    friend class VersionReader;
    Version() = default;

    std::string normal_;
    std::string written_;  // empty: the same as normal_
    std::string key_;
    std::uint32_t base_length_ = 0;    // in normal_
    std::uint32_t public_length_ = 0;  // in normal_
    KeyEnds ends_;
    bool has_dev_ = false;
    bool is_prerelease_ = false;
};

/// In the order of versions this byte is above all that follows in a key.
inline constexpr char k_above_all = '\xff';

}  // namespace chm::pypi
