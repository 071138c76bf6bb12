// Why a wheel does not fit, in the words that users read.
#include "pypi/wheel_target.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using chm::pypi::ShortVersion;
using chm::pypi::TargetTags;
using chm::pypi::WheelTagSet;
using chm::pypi::WheelTarget;

namespace {

std::string why(const WheelTarget& target, std::string_view tags) {
    const auto parsed = WheelTagSet::parse(tags);
    REQUIRE_MESSAGE(parsed.has_value(), tags);
    return TargetTags::make(target)->mismatch(*parsed);
}

WheelTarget linux_64() {
    WheelTarget target;
    target.python = {3, 12};
    target.platform = "linux-64";
    target.glibc = ShortVersion{2, 17};
    return target;
}

WheelTarget free_threaded() {
    WheelTarget target = linux_64();
    target.python = {3, 13};
    target.free_threaded = true;
    return target;
}

WheelTarget mac() {
    WheelTarget target;
    target.python = {3, 12};
    target.platform = "osx-arm64";
    target.macos = ShortVersion{13, 0};
    return target;
}

}  // namespace

TEST_CASE("pypi wheel mismatch: nothing where the wheel fits") {
    CHECK(why(linux_64(), "cp312-cp312-manylinux2014_x86_64") == "");
    CHECK(why(linux_64(), "py3-none-any") == "");
    CHECK(why(mac(), "cp312-none-macosx_11_0_universal2") == "");
}

TEST_CASE("pypi wheel mismatch: another Python") {
    CHECK(why(linux_64(), "cp311-cp311-linux_x86_64") == "for Python 3.11, not 3.12");
    CHECK(why(linux_64(), "cp39.cp310.cp311-none-any") == "for Python 3.9, 3.10 or 3.11, not 3.12");
    CHECK(why(linux_64(), "py2-none-any") == "for Python 2, not 3.12");
    CHECK(why(linux_64(), "pp310-pypy310_pp73-linux_x86_64") == "for PyPy 3.10, not CPython 3.12");
    CHECK(why(linux_64(), "graalpy311-x-linux_x86_64") == "for graalpy311, not CPython 3.12");
    CHECK(why(linux_64(), "cp313-abi3-linux_x86_64") ==
          "needs Python 3.13 or newer; the target has 3.12");
    CHECK(why(linux_64(), "py314-none-any") == "needs Python 3.14 or newer; the target has 3.12");
}

TEST_CASE("pypi wheel mismatch: another build of Python") {
    WheelTarget with_gil = free_threaded();
    with_gil.free_threaded = false;
    CHECK(why(with_gil, "cp313-cp313t-linux_x86_64") ==
          "for free-threaded Python, not Python 3.13 with the GIL");
    CHECK(why(free_threaded(), "cp313-cp313-linux_x86_64") ==
          "for Python with the GIL, not free-threaded Python 3.13");
    CHECK(why(free_threaded(), "cp39-abi3-linux_x86_64") ==
          "for Python with the GIL, not free-threaded Python 3.13");
    CHECK(why(linux_64(), "cp312-cp312d-linux_x86_64") ==
          "for abi cp312d, which Python 3.12 does not have");
    CHECK(why(linux_64(), "py3-cp39-linux_x86_64") ==
          "for abi cp39, which Python 3.12 does not have");
    CHECK(why(linux_64(), "cp312-cp312-any") ==
          "its tag cp312-cp312-any fits no Python: only abi 'none' goes with platform 'any'");
}

TEST_CASE("pypi wheel mismatch: a newer system") {
    CHECK(why(linux_64(), "cp312-cp312-manylinux_2_28_x86_64") ==
          "needs glibc 2.28; the target has 2.17");
    CHECK(why(linux_64(), "cp312-cp312-manylinux_2_35_x86_64.manylinux_2_28_x86_64") ==
          "needs glibc 2.28; the target has 2.17");
    CHECK(why(linux_64(), "cp312-cp312-musllinux_1_2_x86_64") ==
          "needs musl 1.2; the target has glibc");
    CHECK(why(linux_64(), "cp312-cp312-musllinux_1_2_x86_64.manylinux_2_28_x86_64") ==
          "needs glibc 2.28; the target has 2.17");
    CHECK(why(linux_64(), "cp312-cp312-manylinux_2_28_x86_64.musllinux_1_2_x86_64") ==
          "needs glibc 2.28; the target has 2.17");
    CHECK(why(mac(), "cp312-none-macosx_14_0_arm64") == "needs macOS 14.0; the target has 13.0");
    WheelTarget bare = linux_64();
    bare.glibc.reset();
    CHECK(why(bare, "cp312-cp312-manylinux1_x86_64") == "needs glibc 2.5; the target has none");
}

TEST_CASE("pypi wheel mismatch: another platform") {
    CHECK(why(linux_64(), "cp312-cp312-win_amd64") == "for Windows x86_64, not linux-64");
    CHECK(why(linux_64(), "cp312-cp312-manylinux_2_28_aarch64.manylinux2014_aarch64") ==
          "for Linux aarch64, not linux-64");
    CHECK(why(mac(), "cp312-cp312-macosx_10_9_x86_64") == "for macOS x86_64, not osx-arm64");
    CHECK(why(linux_64(), "cp312-cp312-macosx_11_0_arm64.win_amd64") ==
          "for macOS arm64 or Windows x86_64, not linux-64");
    CHECK(why(linux_64(), "cp312-cp312-android_21_x86_64") ==
          "for android_21_x86_64, not linux-64");
    CHECK(why(mac(), "cp312-cp312-macosx_11_1_arm64") == "for macosx_11_1_arm64, not osx-arm64");
}
