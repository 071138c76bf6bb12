// The values of markers' variables: for every platform, by documents alone, never by this machine.
#include "pypi/marker_environment.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

using chm::pypi::find_marker_variable;
using chm::pypi::MarkerEnvironment;
using V = chm::pypi::MarkerVariable;

TEST_CASE("pypi environment: each platform has its words") {
    struct Row {
        const char* platform;
        const char* os_name;
        const char* sys_platform;
        const char* system;
        const char* machine;
    };
    const std::array<Row, 8> rows{{{"linux-64", "posix", "linux", "Linux", "x86_64"},
                                   {"linux-aarch64", "posix", "linux", "Linux", "aarch64"},
                                   {"linux-ppc64le", "posix", "linux", "Linux", "ppc64le"},
                                   {"linux-s390x", "posix", "linux", "Linux", "s390x"},
                                   {"osx-64", "posix", "darwin", "Darwin", "x86_64"},
                                   {"osx-arm64", "posix", "darwin", "Darwin", "arm64"},
                                   {"win-64", "nt", "win32", "Windows", "AMD64"},
                                   {"win-arm64", "nt", "win32", "Windows", "ARM64"}}};
    for (const Row& row : rows) {
        CAPTURE(row.platform);
        const auto environment = MarkerEnvironment::for_target(row.platform, "3.12.1");
        REQUIRE(environment.has_value());
        CHECK(environment->value(V::os_name) == row.os_name);
        CHECK(environment->value(V::sys_platform) == row.sys_platform);
        CHECK(environment->value(V::platform_system) == row.system);
        CHECK(environment->value(V::platform_machine) == row.machine);
        CHECK(environment->value(V::platform_release).empty());
        CHECK(environment->value(V::platform_version).empty());
        CHECK(environment->value(V::implementation_name) == "cpython");
        CHECK(environment->value(V::platform_python_implementation) == "CPython");
    }
}

TEST_CASE("pypi environment: python_version has two numbers, python_full_version all") {
    const auto full = MarkerEnvironment::for_target("linux-64", "3.12.1");
    CHECK(full->value(V::python_version) == "3.12");
    CHECK(full->value(V::python_full_version) == "3.12.1");
    CHECK(full->value(V::implementation_version) == "3.12.1");
    CHECK(*full->version(V::python_version) == *chm::pypi::Version::parse("3.12"));
    CHECK(full->version(V::platform_release) == nullptr);
    const auto brief = MarkerEnvironment::for_target("linux-64", "3.9");
    CHECK(brief->value(V::python_version) == "3.9");
    CHECK(brief->value(V::python_full_version) == "3.9.0");
    const auto candidate = MarkerEnvironment::for_target("linux-64", "3.14rc2");
    CHECK(candidate->value(V::python_version) == "3.14");
    CHECK(candidate->value(V::python_full_version) == "3.14.0rc2");
}

TEST_CASE("pypi environment: unknown platforms and Pythons are usage errors") {
    for (const char* platform : {"", "noarch", "linux", "freebsd-64", "linux-64 "}) {
        const auto result = MarkerEnvironment::for_target(platform, "3.12");
        REQUIRE_FALSE(result.has_value());
        CHECK(result.error().kind == chm::ErrorKind::usage);
    }
    for (const char* python : {"", "3", "x", "1!3.12", "3.12+a", "3.12.*"}) {
        CAPTURE(python);
        const auto result = MarkerEnvironment::for_target("linux-64", python);
        REQUIRE_FALSE(result.has_value());
        CHECK(result.error().kind == chm::ErrorKind::usage);
    }
}

TEST_CASE("pypi environment: variables by their names, old ones too") {
    CHECK(find_marker_variable("python_version") == V::python_version);
    CHECK(find_marker_variable("os.name") == V::os_name);
    CHECK(find_marker_variable("python_implementation") == V::platform_python_implementation);
    CHECK(find_marker_variable("extra") == V::extra);
    CHECK_FALSE(find_marker_variable("extras").has_value());
    CHECK_FALSE(find_marker_variable("").has_value());
    for (int i = 0; i <= static_cast<int>(V::extra); ++i) {
        const auto variable = static_cast<V>(i);
        CHECK(find_marker_variable(to_text(variable)) == variable);
    }
}
