// One row a variable. There is none for __unix (CEP 30: CONDA_OVERRIDE_UNIX has no effect).
#include "conda/virtual_package_overrides.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <array>

namespace chm::conda {

namespace {

enum class WhenEmpty {
    absent,   // CEP 46 for __cuda_arch; conda and libmamba for __cuda and __glibc
    not_set,  // CEP 30: only a value that is not empty overrides what must always be there
};

struct Variable {
    std::string_view name;
    std::string_view package;
    std::string_view platforms;  // how the platforms begin for which it counts
    WhenEmpty when_empty;
    std::string_view example;
};

constexpr std::array k_variables = {
    Variable{
        "CONDA_OVERRIDE_ARCHSPEC", "__archspec", "", WhenEmpty::not_set, "for example x86_64_v3"},
    Variable{"CONDA_OVERRIDE_CUDA", "__cuda", "", WhenEmpty::absent, "for example 12.4"},
    Variable{"CONDA_OVERRIDE_CUDA_ARCH", "__cuda_arch", "", WhenEmpty::absent, "for example 9.0"},
    Variable{"CONDA_OVERRIDE_GLIBC", "__glibc", "linux-", WhenEmpty::absent, "for example 2.28"},
    Variable{"CONDA_OVERRIDE_LINUX", "__linux", "linux-", WhenEmpty::not_set, "for example 5.15"},
    Variable{"CONDA_OVERRIDE_OSX", "__osx", "osx-", WhenEmpty::not_set, "for example 14.0"},
    Variable{"CONDA_OVERRIDE_WIN", "__win", "win-", WhenEmpty::not_set, "for example 10.0"},
};

Result<VirtualPackage> read_value(const Variable& variable, std::string_view value) {
    VirtualPackage package{std::string(variable.package), std::string(value), "0"};
    std::string_view why;
    if (variable.package == "__archspec") {
        package.version = "1";
        package.build = value;
        why = build_fault(value);
    } else if (variable.package == "__linux") {
        package.version = kernel_version(value);  // so that $(uname -r) may be given
        why = package.version.empty() ? "a kernel has two to four numbers" : "";
    } else {
        why = version_fault(variable.package, value);
    }
    if (!why.empty()) {
        return fail(ErrorKind::config,
                    fmt::format("{}: '{}' cannot be {}'s: {}; set it to what the target machine "
                                "has ({}), or unset it",
                                variable.name,
                                printable(value, 80),
                                variable.package,
                                why,
                                variable.example));
    }
    return package;
}

}  // namespace

Result<std::vector<VariableOverride>> overrides_from(const VariableLookup& lookup,
                                                     std::string_view platform) {
    std::vector<VariableOverride> overrides;
    for (const Variable& variable : k_variables) {
        const auto text =
            platform.starts_with(variable.platforms) ? lookup(variable.name) : std::nullopt;
        if (!text) {
            continue;
        }
        const std::string_view value = trim(*text);  // as conda does
        VirtualPackage package{std::string(variable.package), "", ""};
        if (!value.empty()) {
            CHM_TRY(package, read_value(variable, value));
        } else if (variable.when_empty == WhenEmpty::not_set) {
            continue;
        }
        overrides.push_back({std::move(package), std::string(variable.name)});
    }
    return overrides;
}

}  // namespace chm::conda
