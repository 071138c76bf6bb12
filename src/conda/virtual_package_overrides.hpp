// The CONDA_OVERRIDE_* variables (CEP 30, CEP 46): what the user says the target machine offers,
// as conda, mamba and pixi read it.
#pragma once

#include "base/result.hpp"
#include "conda/virtual_package.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chm::conda {

/// One variable that is set: what it says (an empty version: absent), and its name for messages.
struct VariableOverride {
    VirtualPackage package;
    std::string variable;

    bool operator==(const VariableOverride&) const = default;
};

/// The value of an environment variable; nothing when it is not set.
using VariableLookup = std::function<std::optional<std::string>(std::string_view name)>;

/// The overrides that count for `platform`, sorted by package. A variable for another system (OSX
/// on linux-64) is not looked at. Set to nothing, CUDA, CUDA_ARCH and GLIBC mean that the package is
/// absent; the others are as if not set. ErrorKind::config, naming the variable, when a value is
/// none that the package can have.
Result<std::vector<VariableOverride>> overrides_from(const VariableLookup& lookup,
                                                     std::string_view platform);

}  // namespace chm::conda
