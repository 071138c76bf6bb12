#include "cli/solve_target.hpp"

#include "base/text.hpp"
#include "conda/host/microarchitecture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace chm::cli {

namespace {

using conda::VariableOverride;
using conda::VirtualPackage;

bool has_name(const std::vector<VirtualPackage>& packages, std::string_view name) {
    return std::ranges::find(packages, name, &VirtualPackage::name) != packages.end();
}

}  // namespace

std::vector<VirtualPackage> target_packages(const TargetLayers& layers) {
    // All at once: a __cuda_arch of one layer may belong to the __cuda of another.
    std::vector<VirtualPackage> overrides = layers.configured;
    for (const VariableOverride& variable : layers.variables) {
        overrides.push_back(variable.package);
    }
    overrides.insert(overrides.end(), layers.flags.begin(), layers.flags.end());
    return conda::with_overrides(layers.base, overrides);
}

std::vector<VariableOverride> variables_in_effect(const TargetLayers& layers) {
    const std::vector<VirtualPackage> packages = target_packages(layers);
    const std::vector<VirtualPackage> before =
        conda::with_overrides(layers.base, layers.configured);
    std::vector<VariableOverride> in_effect;
    for (const VariableOverride& variable : layers.variables) {
        const std::string& name = variable.package.name;
        const bool counts =
            variable.package.version.empty() ? has_name(before, name) : has_name(packages, name);
        if (counts && !has_name(layers.flags, name)) {
            in_effect.push_back(variable);
        }
    }
    return in_effect;
}

std::string describe(const std::vector<VariableOverride>& variables) {
    std::string text;
    for (const VariableOverride& variable : variables) {
        const VirtualPackage& package = variable.package;
        text += fmt::format("{}{} from {}",
                            text.empty() ? "using " : ", ",
                            package.version.empty() ? "no " + package.name : to_short_text(package),
                            variable.variable);
    }
    return text;
}

std::optional<std::string> doubtful_microarchitecture(const std::vector<VirtualPackage>& packages) {
    const auto found = std::ranges::find(packages, "__archspec", &VirtualPackage::name);
    if (found == packages.end() || found->version != "1" ||
        conda::is_microarchitecture_name(found->build)) {
        return std::nullopt;
    }
    // libmamba's word for what archspec and the packages call x86_64.
    const std::string hint = found->build == "x86_64_v1"
                                 ? "; did you mean 'x86_64'?"
                                 : did_you_mean(found->build, conda::microarchitecture_names());
    return fmt::format(
        "{}: archspec knows no microarchitecture of this name, and packages ask for "
        "those that it knows{}",
        to_text(*found),
        hint);
}

Result<std::vector<VirtualPackage>> parse_virtual_flags(const std::vector<std::string>& texts) {
    std::vector<VirtualPackage> packages;
    for (const std::string& text : texts) {
        CHM_TRY(VirtualPackage package, conda::parse_virtual_package(text));
        if (has_name(packages, package.name)) {
            return fail(ErrorKind::usage,
                        fmt::format("--virtual: {} is given twice; a target has one of a name",
                                    package.name));
        }
        packages.push_back(std::move(package));
    }
    return packages;
}

conda::HostFacts look_at_this_machine(Services& services) {
    conda::HostProbe probe;
    if (const auto rocm = services.environment("ROCM_PATH"); rocm && !rocm->empty()) {
        probe.amd.rocm = *rocm;
    }
    services.reporter.report(PhaseBegan{"looking at this machine"});
    conda::HostFacts facts = conda::detect_host(probe);
    services.reporter.report(PhaseEnded{});
    return facts;
}

std::vector<VirtualPackage> packages_of_this_machine(const conda::HostFacts& facts,
                                                     Reporter& reporter) {
    if (const auto* broken = std::get_if<conda::BrokenCudaDriver>(&facts.cuda)) {
        reporter.warn(
            fmt::format("the NVIDIA driver does not answer ({}), so this machine counts "
                        "as one without; --virtual __cuda=12.4 says otherwise",
                        broken->why));
    }
    return conda::host_virtual_packages(facts);
}

}  // namespace chm::cli
