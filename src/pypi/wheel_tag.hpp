// Tags of wheels (PEP 425): "cp312-abi3-manylinux2014_x86_64.manylinux_2_17_x86_64", for which
// Pythons and platforms a wheel is.
#pragma once

#include "base/result.hpp"
#include "pypi/text_context.hpp"

#include <compare>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace chm::pypi {

/// One combination.
struct WheelTag {
    std::string python;
    std::string abi;
    std::string platform;

    [[nodiscard]] std::string to_text() const;
    std::strong_ordering operator<=>(const WheelTag& other) const = default;
};

/// A compressed set: all combinations of its Pythons, abis and platforms.
class WheelTagSet {
public:
    /// No published wheel comes near it; what has more is refused.
    static constexpr std::size_t k_max_combinations = 1024;

    /// ErrorKind::parse with the offset of what is wrong.
    static Result<WheelTagSet> parse(std::string_view text);
    /// The same for a literal within a larger text.
    static Result<WheelTagSet> parse(std::string_view literal, const TextContext& context);

    // In lower case, in the order as written.
    [[nodiscard]] std::span<const std::string> pythons() const { return pythons_; }
    [[nodiscard]] std::span<const std::string> abis() const { return abis_; }
    [[nodiscard]] std::span<const std::string> platforms() const { return platforms_; }

    /// All combinations, sorted, each once.
    [[nodiscard]] std::vector<WheelTag> expand() const;
    [[nodiscard]] std::string to_text() const;

private:
    std::vector<std::string> pythons_;
    std::vector<std::string> abis_;
    std::vector<std::string> platforms_;
};

}  // namespace chm::pypi
