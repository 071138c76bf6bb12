// What the variables of markers (PEP 508) stand for on the machine that a solve is for, which is
// never asked of the machine that runs it.
#pragma once

#include "base/result.hpp"
#include "pypi/version.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace chm::pypi {

enum class MarkerVariable {
    python_version,  // the first four are compared as versions
    python_full_version,
    implementation_version,
    platform_release,
    os_name,
    sys_platform,
    platform_machine,
    platform_system,
    platform_version,
    platform_python_implementation,
    implementation_name,
    extra,  // the only one without a value in the environment
};

/// "python_version", …
[[nodiscard]] std::string_view to_text(MarkerVariable variable);

/// Also by the old names ("os.name", "python_implementation"). None: there is no such variable.
[[nodiscard]] std::optional<MarkerVariable> find_marker_variable(std::string_view name);

/// True where the values are versions.
[[nodiscard]] constexpr bool is_version_variable(MarkerVariable variable) {
    return variable <= MarkerVariable::platform_release;
}

class MarkerEnvironment {
public:
    /// CPython on a platform by conda's name ("linux-64"). `python` is a version of two numbers or
    /// more: "3.12" is read as "3.12.0". platform_release and platform_version are empty. Errors:
    /// ErrorKind::usage for a platform or version that is none of these.
    static Result<MarkerEnvironment> for_target(std::string_view platform, std::string_view python);

    void set(MarkerVariable variable, std::string_view value);
    /// "" for `extra`.
    [[nodiscard]] const std::string& value(MarkerVariable variable) const;
    /// The value of a version variable as a version; null when it is none.
    [[nodiscard]] const Version* version(MarkerVariable variable) const;

private:
    static constexpr std::size_t k_version_variables = 4;
    static constexpr std::size_t k_variables = 12;

    std::array<std::string, k_variables> values_;
    std::array<std::optional<Version>, k_version_variables> versions_;
};

}  // namespace chm::pypi
