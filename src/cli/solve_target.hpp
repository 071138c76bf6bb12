// The machine that a solve is for: layers of virtual packages, of which a later one counts more.
#pragma once

#include "base/result.hpp"
#include "cli/services.hpp"
#include "conda/host/host.hpp"
#include "conda/virtual_package.hpp"
#include "conda/virtual_package_overrides.hpp"

#include <optional>
#include <string>
#include <vector>

namespace chm::cli {

struct TargetLayers {
    std::vector<conda::VirtualPackage> base;         // the platform's defaults, or this machine's
    std::vector<conda::VirtualPackage> configured;   // chanmirror.yml
    std::vector<conda::VariableOverride> variables;  // CONDA_OVERRIDE_*
    std::vector<conda::VirtualPackage> flags;        // --virtual
};

/// What the target offers, sorted by name.
[[nodiscard]] std::vector<conda::VirtualPackage> target_packages(const TargetLayers& layers);

/// The variables that have a part in target_packages(): not those that a flag overrules, that say
/// there is no package where there would be none, or that give a __cuda_arch without __cuda.
[[nodiscard]] std::vector<conda::VariableOverride> variables_in_effect(const TargetLayers& layers);

/// "using __cuda=12.4 from CONDA_OVERRIDE_CUDA, no __glibc from CONDA_OVERRIDE_GLIBC"; empty for
/// none.
[[nodiscard]] std::string describe(const std::vector<conda::VariableOverride>& variables);

/// A warning when __archspec has a name that archspec does not know, so that nothing can depend on
/// it.
[[nodiscard]] std::optional<std::string> doubtful_microarchitecture(
    const std::vector<conda::VirtualPackage>& packages);

/// The texts of --virtual. ErrorKind::usage for one that is no virtual package, and for two of a
/// name.
Result<std::vector<conda::VirtualPackage>> parse_virtual_flags(
    const std::vector<std::string>& texts);

/// Everything known of this machine; asks the GPU drivers, which may take a while.
[[nodiscard]] conda::HostFacts look_at_this_machine(Services& services);

/// The virtual packages of `facts`, with a warning when a driver is there but does not answer: a
/// solve would quietly choose builds for the CPU.
[[nodiscard]] std::vector<conda::VirtualPackage> packages_of_this_machine(
    const conda::HostFacts& facts, Reporter& reporter);

}  // namespace chm::cli
