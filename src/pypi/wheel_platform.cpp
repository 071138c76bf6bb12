#include "pypi/wheel_platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace chm::pypi {

namespace {

struct Subdir {
    std::string_view name;
    WheelSystem system;
    std::string_view architecture;
};

constexpr std::array<Subdir, 10> k_subdirs{{{"linux-64", WheelSystem::plain_linux, "x86_64"},
                                            {"linux-aarch64", WheelSystem::plain_linux, "aarch64"},
                                            {"linux-ppc64le", WheelSystem::plain_linux, "ppc64le"},
                                            {"linux-s390x", WheelSystem::plain_linux, "s390x"},
                                            {"linux-riscv64", WheelSystem::plain_linux, "riscv64"},
                                            {"osx-64", WheelSystem::macos, "x86_64"},
                                            {"osx-arm64", WheelSystem::macos, "arm64"},
                                            {"win-64", WheelSystem::windows, "x86_64"},
                                            {"win-32", WheelSystem::windows, "x86"},
                                            {"win-arm64", WheelSystem::windows, "arm64"}}};

struct NamedGlibc {
    std::string_view prefix;
    ShortVersion version;
};

// The tags before PEP 600: PEP 513, PEP 571, PEP 599.
constexpr std::array<NamedGlibc, 3> k_named_glibcs{
    {{"manylinux2014_", {2, 17}}, {"manylinux2010_", {2, 12}}, {"manylinux1_", {2, 5}}}};

struct WindowsTag {
    std::string_view tag;
    std::string_view architecture;
};

constexpr std::array<WindowsTag, 3> k_windows_tags{
    {{"win_amd64", "x86_64"}, {"win32", "x86"}, {"win_arm64", "arm64"}}};

// Formats of several architectures hold for older systems (PEP 425's list is CPython's).
constexpr std::array<std::string_view, 6> k_x86_64_formats{
    "x86_64", "intel", "fat64", "fat3", "universal2", "universal"};
constexpr std::array<std::string_view, 2> k_arm64_formats{"arm64", "universal2"};

constexpr unsigned k_last_macos_10 = 16;
constexpr unsigned k_first_x86_64_minor = 4;  // macOS 10.4

std::span<const std::string_view> mac_formats(std::string_view architecture) {
    if (architecture == "arm64") {
        return k_arm64_formats;
    }
    return k_x86_64_formats;
}

/// Takes "2_28_" off the front.
std::optional<ShortVersion> take_version(std::string_view& text) {
    const std::size_t first = text.find('_');
    const std::size_t second = first == std::string_view::npos ? first : text.find('_', first + 1);
    if (second == std::string_view::npos) {
        return std::nullopt;
    }
    std::string version(text.substr(0, second));
    version[first] = '.';
    text.remove_prefix(second + 1);
    return parse_short_version(version);
}

std::optional<WheelPlatform> parse_versioned(std::string_view rest, WheelSystem system) {
    const auto version = take_version(rest);
    if (!version || rest.empty()) {
        return std::nullopt;
    }
    return WheelPlatform{system, *version, rest};
}

void add_manylinux(std::vector<std::string>& tags,
                   ShortVersion glibc,
                   std::string_view architecture) {
    const unsigned oldest = architecture == "x86_64" ? 5 : 17;
    for (unsigned minor = glibc.minor + 1; minor-- > oldest;) {
        tags.push_back(fmt::format("manylinux_{}_{}_{}", glibc.major, minor, architecture));
        for (const NamedGlibc& named : k_named_glibcs) {
            if (named.version == ShortVersion{glibc.major, minor}) {
                tags.push_back(fmt::format("{}{}", named.prefix, architecture));
            }
        }
    }
}

/// From macOS 11 on a release's minor updates do not count.
void add_macos(std::vector<std::string>& tags, ShortVersion macos, std::string_view architecture) {
    for (unsigned major = macos.major; major > 10; --major) {
        for (const std::string_view format : mac_formats(architecture)) {
            tags.push_back(fmt::format("macosx_{}_0_{}", major, format));
        }
    }
    const unsigned newest = macos.major > 10 ? k_last_macos_10 : macos.minor;
    for (unsigned minor = newest + 1; minor-- > k_first_x86_64_minor;) {
        if (architecture == "arm64") {
            tags.push_back(fmt::format("macosx_10_{}_universal2", minor));
            continue;
        }
        for (const std::string_view format : mac_formats(architecture)) {
            tags.push_back(fmt::format("macosx_10_{}_{}", minor, format));
        }
    }
}

}  // namespace

std::optional<WheelPlatform> parse_platform_tag(std::string_view tag) {
    for (const WindowsTag& windows : k_windows_tags) {
        if (tag == windows.tag) {
            return WheelPlatform{WheelSystem::windows, {}, windows.architecture};
        }
    }
    for (const NamedGlibc& named : k_named_glibcs) {
        if (tag.starts_with(named.prefix)) {
            return WheelPlatform{
                WheelSystem::glibc_linux, named.version, tag.substr(named.prefix.size())};
        }
    }
    const auto after = [&](std::string_view prefix) { return tag.substr(prefix.size()); };
    if (tag.starts_with("manylinux_")) {
        return parse_versioned(after("manylinux_"), WheelSystem::glibc_linux);
    }
    if (tag.starts_with("musllinux_")) {
        return parse_versioned(after("musllinux_"), WheelSystem::musl_linux);
    }
    if (tag.starts_with("macosx_")) {
        return parse_versioned(after("macosx_"), WheelSystem::macos);
    }
    if (tag.starts_with("linux_")) {
        return WheelPlatform{WheelSystem::plain_linux, {}, after("linux_")};
    }
    return std::nullopt;
}

std::optional<WheelPlatform> find_platform(std::string_view subdir) {
    const auto* const found = std::ranges::find(k_subdirs, subdir, &Subdir::name);
    if (found == k_subdirs.end()) {
        return std::nullopt;
    }
    return WheelPlatform{found->system, {}, found->architecture};
}

std::vector<std::string> platform_tags(const WheelTarget& target, const WheelPlatform& platform) {
    std::vector<std::string> tags;
    if (platform.system == WheelSystem::windows) {
        tags.emplace_back(
            std::ranges::find(k_windows_tags, platform.architecture, &WindowsTag::architecture)
                ->tag);
        return tags;
    }
    if (platform.system == WheelSystem::macos) {
        if (target.macos) {
            add_macos(tags, *target.macos, platform.architecture);
        }
        return tags;
    }
    if (target.glibc) {
        add_manylinux(tags, *target.glibc, platform.architecture);
    }
    if (target.musl) {
        for (unsigned minor = target.musl->minor + 1; minor-- > 0;) {
            tags.push_back(fmt::format(
                "musllinux_{}_{}_{}", target.musl->major, minor, platform.architecture));
        }
    }
    // It promises nothing of the system below, so it comes last.
    tags.push_back(fmt::format("linux_{}", platform.architecture));
    return tags;
}

bool mac_format_fits(std::string_view format, std::string_view architecture) {
    const auto formats = mac_formats(architecture);
    return std::ranges::find(formats, format) != formats.end();
}

std::string describe(const WheelPlatform& platform) {
    switch (platform.system) {
        case WheelSystem::windows:
            return fmt::format("Windows {}", platform.architecture);
        case WheelSystem::macos:
            return fmt::format("macOS {}", platform.architecture);
        case WheelSystem::plain_linux:
        case WheelSystem::glibc_linux:
        case WheelSystem::musl_linux:
            break;
    }
    return fmt::format("Linux {}", platform.architecture);
}

}  // namespace chm::pypi
