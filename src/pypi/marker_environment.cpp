#include "pypi/marker_environment.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace chm::pypi {

namespace {

struct VariableName {
    std::string_view name;
    MarkerVariable variable;
};

using V = MarkerVariable;

// By the order of the enumeration; then the names of PEP 345 that old packages still have.
constexpr std::array<VariableName, 18> k_names{
    {{"python_version", V::python_version},
     {"python_full_version", V::python_full_version},
     {"implementation_version", V::implementation_version},
     {"platform_release", V::platform_release},
     {"os_name", V::os_name},
     {"sys_platform", V::sys_platform},
     {"platform_machine", V::platform_machine},
     {"platform_system", V::platform_system},
     {"platform_version", V::platform_version},
     {"platform_python_implementation", V::platform_python_implementation},
     {"implementation_name", V::implementation_name},
     {"extra", V::extra},
     {"os.name", V::os_name},
     {"sys.platform", V::sys_platform},
     {"platform.version", V::platform_version},
     {"platform.machine", V::platform_machine},
     {"platform.python_implementation", V::platform_python_implementation},
     {"python_implementation", V::platform_python_implementation}}};

struct PlatformValues {
    std::string_view platform;
    std::string_view os_name;
    std::string_view sys_platform;
    std::string_view system;
    std::string_view machine;
};

constexpr std::array<PlatformValues, 8> k_platforms{
    {{"linux-64", "posix", "linux", "Linux", "x86_64"},
     {"linux-aarch64", "posix", "linux", "Linux", "aarch64"},
     {"linux-ppc64le", "posix", "linux", "Linux", "ppc64le"},
     {"linux-s390x", "posix", "linux", "Linux", "s390x"},
     {"osx-64", "posix", "darwin", "Darwin", "x86_64"},
     {"osx-arm64", "posix", "darwin", "Darwin", "arm64"},
     {"win-64", "nt", "win32", "Windows", "AMD64"},
     {"win-arm64", "nt", "win32", "Windows", "ARM64"}}};

}  // namespace

std::string_view to_text(MarkerVariable variable) {
    return k_names.at(static_cast<std::size_t>(variable)).name;
}

std::optional<MarkerVariable> find_marker_variable(std::string_view name) {
    const auto* const found = std::ranges::find(k_names, name, &VariableName::name);
    return found != k_names.end() ? std::optional(found->variable) : std::nullopt;
}

Result<MarkerEnvironment> MarkerEnvironment::for_target(std::string_view platform,
                                                        std::string_view python) {
    const auto* const found = std::ranges::find(k_platforms, platform, &PlatformValues::platform);
    if (found == k_platforms.end()) {
        return fail(
            ErrorKind::usage,
            fmt::format("'{}' is no platform that wheels are known for; known are linux-64, "
                        "linux-aarch64, linux-ppc64le, linux-s390x, osx-64, osx-arm64, "
                        "win-64 and win-arm64",
                        printable(platform, 40)));
    }
    const auto version = Version::parse(python);
    const std::string_view base = version ? version->base_text() : "";
    const std::size_t first_dot = base.find('.');
    if (first_dot == std::string_view::npos || base.find('!') != std::string_view::npos ||
        version->has_local()) {
        return fail(ErrorKind::usage,
                    fmt::format("'{}' is no version of Python; write it as 3.12 or 3.12.1",
                                printable(python, 40)));
    }
    const std::size_t second_dot = base.find('.', first_dot + 1);
    std::string full = version->to_text();
    if (second_dot == std::string_view::npos) {
        full.insert(base.size(), ".0");
    }
    MarkerEnvironment environment;
    environment.set(V::python_version, base.substr(0, second_dot));
    environment.set(V::python_full_version, full);
    environment.set(V::implementation_version, full);
    environment.set(V::implementation_name, "cpython");
    environment.set(V::platform_python_implementation, "CPython");
    environment.set(V::os_name, found->os_name);
    environment.set(V::sys_platform, found->sys_platform);
    environment.set(V::platform_system, found->system);
    environment.set(V::platform_machine, found->machine);
    return environment;
}

void MarkerEnvironment::set(MarkerVariable variable, std::string_view value) {
    const auto index = static_cast<std::size_t>(variable);
    values_.at(index) = value;
    if (is_version_variable(variable)) {
        auto version = Version::parse(value);
        versions_.at(index) = version ? std::optional(*std::move(version)) : std::nullopt;
    }
}

const std::string& MarkerEnvironment::value(MarkerVariable variable) const {
    return values_.at(static_cast<std::size_t>(variable));
}

const Version* MarkerEnvironment::version(MarkerVariable variable) const {
    const auto& version = versions_.at(static_cast<std::size_t>(variable));
    return version ? &*version : nullptr;
}

}  // namespace chm::pypi
