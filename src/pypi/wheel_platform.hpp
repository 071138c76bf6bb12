// Platform tags of wheels, taken apart: "manylinux_2_28_x86_64" is Linux with glibc 2.28 on x86_64.
#pragma once

#include "pypi/wheel_target.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chm::pypi {

enum class WheelSystem { plain_linux, glibc_linux, musl_linux, macos, windows };

struct WheelPlatform {
    WheelSystem system = WheelSystem::plain_linux;
    ShortVersion version;  // of glibc, musl or macOS
    std::string_view architecture;
};

/// None for tags of other systems, and "any". The architecture is a view into the tag, or "x86",
/// "x86_64" or "arm64" for Windows.
[[nodiscard]] std::optional<WheelPlatform> parse_platform_tag(std::string_view tag);

/// What conda's subdir is here: the system is plain_linux, macos or windows. None: no wheels are
/// known for it.
[[nodiscard]] std::optional<WheelPlatform> find_platform(std::string_view subdir);

/// The platform tags that a target accepts, the best first; `platform` is find_platform's for it.
[[nodiscard]] std::vector<std::string> platform_tags(const WheelTarget& target,
                                                     const WheelPlatform& platform);

/// True for what runs on the architecture, as "universal2" on arm64.
[[nodiscard]] bool mac_format_fits(std::string_view format, std::string_view architecture);

/// "Linux x86_64".
[[nodiscard]] std::string describe(const WheelPlatform& platform);

}  // namespace chm::pypi
