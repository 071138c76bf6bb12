// The known subdirs and the errors for unknown ones.
#include "conda/platform.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace std::string_view_literals;
namespace conda = chm::conda;

TEST_CASE("platform: known names parse to themselves, noarch is last") {
    for (const std::string_view name : conda::known_subdirs()) {
        CHECK(conda::parse_subdir(name).value_or("") == name);
        CHECK(conda::is_known_subdir(name));
    }
    CHECK(conda::known_subdirs().back() == conda::k_noarch);
    CHECK(std::ranges::is_sorted(conda::known_subdirs().first(conda::known_subdirs().size() - 1)));
}

TEST_CASE("platform: a mistyped name is refused with the nearest one") {
    const auto subdir = conda::parse_subdir("linux64");
    REQUIRE_FALSE(subdir);
    CHECK(subdir.error().kind == chm::ErrorKind::usage);
    CHECK(subdir.error().message.find("'linux-64'") != std::string::npos);
    for (const std::string_view text :
         {""sv, "Linux-64"sv, "linux-64 "sv, "linux"sv, "../noarch"sv, "a\0b"sv}) {
        CHECK_FALSE(conda::parse_subdir(text));
    }
}

TEST_CASE("platform: the host is a known platform, not noarch") {
    CHECK(conda::is_known_subdir(conda::host_platform()));
    CHECK(conda::host_platform() != conda::k_noarch);
}
