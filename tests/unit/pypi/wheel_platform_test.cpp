#include "pypi/wheel_platform.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using chm::pypi::find_platform;
using chm::pypi::parse_platform_tag;
using chm::pypi::platform_tags;
using chm::pypi::ShortVersion;
using chm::pypi::WheelSystem;
using chm::pypi::WheelTarget;

TEST_CASE("pypi wheel platform: tags are taken apart") {
    const auto modern = parse_platform_tag("manylinux_2_28_x86_64");
    REQUIRE(modern.has_value());
    CHECK(modern->system == WheelSystem::glibc_linux);
    CHECK(modern->version == ShortVersion{2, 28});
    CHECK(modern->architecture == "x86_64");
    CHECK(parse_platform_tag("manylinux1_i686")->version == ShortVersion{2, 5});
    CHECK(parse_platform_tag("manylinux2010_x86_64")->version == ShortVersion{2, 12});
    CHECK(parse_platform_tag("manylinux2014_aarch64")->version == ShortVersion{2, 17});
    CHECK(parse_platform_tag("musllinux_1_2_aarch64")->system == WheelSystem::musl_linux);
    CHECK(parse_platform_tag("macosx_11_0_arm64")->version == ShortVersion{11, 0});
    CHECK(parse_platform_tag("macosx_10_9_x86_64")->architecture == "x86_64");
    CHECK(parse_platform_tag("linux_x86_64")->system == WheelSystem::plain_linux);
    CHECK(parse_platform_tag("win_amd64")->architecture == "x86_64");
    CHECK(parse_platform_tag("win32")->architecture == "x86");
    for (const std::string tag : {"any",
                                  "",
                                  "manylinux_2",
                                  "manylinux_2_28_",
                                  "manylinux_2_x_x86_64",
                                  "manylinux_99999999999_1_x86_64",
                                  "android_21_arm64_v8a"}) {
        CAPTURE(tag);
        CHECK_FALSE(parse_platform_tag(tag).has_value());
    }
}

TEST_CASE("pypi wheel platform: linux_ARCH comes last, old names beside their new ones") {
    const WheelTarget target{.python = {3, 12},
                             .platform = "linux-64",
                             .glibc = ShortVersion{2, 17},
                             .musl = {},
                             .macos = {}};
    const auto tags = platform_tags(target, *find_platform("linux-64"));
    CHECK(tags.front() == "manylinux_2_17_x86_64");
    CHECK(tags[1] == "manylinux2014_x86_64");
    CHECK(std::ranges::find(tags, "manylinux_2_5_x86_64") + 1 ==
          std::ranges::find(tags, "manylinux1_x86_64"));
    CHECK(std::ranges::find(tags, "manylinux_2_4_x86_64") == tags.end());
    CHECK(tags.back() == "linux_x86_64");
    CHECK(tags.size() == 13 + 3 + 1);
}

TEST_CASE("pypi wheel platform: words for people") {
    CHECK(describe(*parse_platform_tag("win_amd64")) == "Windows x86_64");
    CHECK(describe(*parse_platform_tag("macosx_11_0_arm64")) == "macOS arm64");
    CHECK(describe(*parse_platform_tag("manylinux2014_s390x")) == "Linux s390x");
    CHECK(chm::pypi::mac_format_fits("universal2", "arm64"));
    CHECK_FALSE(chm::pypi::mac_format_fits("x86_64", "arm64"));
    CHECK_FALSE(find_platform("linux-128").has_value());
}
