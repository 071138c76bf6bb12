// File names of wheels (PEP 427): name-version[-build]-python-abi-platform.whl.
#pragma once

#include "base/result.hpp"
#include "pypi/version.hpp"
#include "pypi/wheel_tag.hpp"

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>

namespace chm::pypi {

/// Breaks ties between wheels of one version: "2_cuda" is number "2", suffix "_cuda".
struct BuildTag {
    std::string number;  // digits without leading zeros; empty: there is no build tag
    std::string suffix;

    /// A wheel without one comes first.
    std::strong_ordering operator<=>(const BuildTag& other) const;
    bool operator==(const BuildTag& other) const = default;
};

struct WheelFilename {
    static constexpr std::size_t k_max_length = 1024;

    /// `text` is the file's name, without a folder and with '%' escapes undone: "+", not "%2B".
    /// ErrorKind::parse with the offset of what is wrong.
    static Result<WheelFilename> parse(std::string_view text);

    std::string text;  // as it was written
    std::string name;  // normalized
    Version version;
    BuildTag build;
    WheelTagSet tags;
};

}  // namespace chm::pypi
