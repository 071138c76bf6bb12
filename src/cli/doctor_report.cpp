#include "cli/doctor_report.hpp"

#include "base/json.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

namespace chm::cli {

namespace {

using conda::VariableOverride;
using conda::VirtualPackage;

constexpr std::size_t k_longest_path = 4096;

std::string line(std::string_view what, std::string_view text) {
    return fmt::format("{:<19}{}\n", what, text);
}

std::string driver_text(const conda::CudaAnswer& answer) {
    if (const auto* broken = std::get_if<conda::BrokenCudaDriver>(&answer)) {
        return fmt::format("driver does not answer ({})", broken->why);
    }
    const auto* driver = std::get_if<conda::CudaDriver>(&answer);
    if (driver == nullptr) {
        return "no NVIDIA driver found (libcuda.so.1)";
    }
    if (!driver->compute_capability) {
        return fmt::format("CUDA {}, no device", driver->version);
    }
    return driver->devices == 1 ? fmt::format("CUDA {}, 1 device of compute capability {}",
                                              driver->version,
                                              *driver->compute_capability)
                                : fmt::format(
                                      "CUDA {}, {} devices, the least of compute "
                                      "capability {}",
                                      driver->version,
                                      driver->devices,
                                      *driver->compute_capability);
}

/// "gfx942 (4), gfx90a": each name once, in order of first appearance.
std::string gpus_text(const std::vector<std::string>& gpus) {
    std::string text;
    for (auto gpu = gpus.begin(); gpu != gpus.end(); ++gpu) {
        if (std::find(gpus.begin(), gpu, *gpu) == gpu) {
            const auto count = std::count(gpu, gpus.end(), *gpu);
            text += (text.empty() ? "" : ", ") + *gpu;
            text += count > 1 ? fmt::format(" ({})", count) : "";
        }
    }
    return text.empty() ? "no AMD GPU found (/sys/class/kfd)" : text;
}

std::string amd_driver_text(const conda::AmdFacts& amd) {
    if (amd.driver) {
        return "amdgpu " + *amd.driver;
    }
    return amd.has_driver ? "amdgpu of the kernel" : "amdgpu is not loaded";
}

std::string facts_text(const Examination& examination) {
    const conda::HostFacts& facts = examination.facts;
    const std::string unknown = "not known";
    return line("platform", facts.platform) +
           line("kernel", facts.kernel.empty() ? unknown : printable(facts.kernel)) +
           line("glibc", facts.glibc.value_or("none (another C library)")) +
           line("microarchitecture",
                facts.microarchitecture.empty() ? unknown : facts.microarchitecture) +
           line("NVIDIA driver", driver_text(facts.cuda)) +
           line("AMD GPU", gpus_text(facts.amd.gpus)) +
           line("AMD driver", amd_driver_text(facts.amd)) +
           line("ROCm",
                facts.amd.rocm.value_or(fmt::format(
                    "not found ({})", printable(examination.rocm_path, k_longest_path))));
}

/// Where a package of the target comes from when it is not from the machine; else empty.
std::string origin_of(const VirtualPackage& package,
                      const Examination& examination,
                      const std::vector<VariableOverride>& variables) {
    for (const VariableOverride& variable : variables) {
        if (variable.package.name == package.name) {
            return variable.variable;
        }
    }
    const auto& configured = examination.layers.configured;
    const bool from_file = std::ranges::find(configured, package) != configured.end();
    return from_file ? examination.configured_where : "";
}

std::string packages_text(const Examination& examination) {
    const std::vector<VariableOverride> variables = variables_in_effect(examination.layers);
    std::string text = "\nvirtual packages of this machine\n";
    for (const VirtualPackage& package : target_packages(examination.layers)) {
        const std::string origin = origin_of(package, examination, variables);
        text += origin.empty() ? fmt::format("  {}\n", to_short_text(package))
                               : fmt::format("  {:<28} from {}\n", to_short_text(package), origin);
    }
    for (const VariableOverride& variable : variables) {
        if (variable.package.version.empty()) {
            text +=
                fmt::format("  {:<28} from {}\n", "no " + variable.package.name, variable.variable);
        }
    }
    return text;
}

/// The flags that make a solve anywhere one for this machine.
std::vector<std::string> target_flags(const Examination& examination) {
    const std::string& platform = examination.facts.platform;
    const std::vector<VirtualPackage> packages = target_packages(examination.layers);
    std::vector<std::string> flags = {"--platform", platform};
    const auto add = [&flags](const std::string& text) {
        flags.emplace_back("--virtual");
        flags.push_back(text);
    };
    for (const VirtualPackage& package : packages) {
        if (package.name != "__unix") {  // it is always the same
            add(to_short_text(package));
        }
    }
    for (const VirtualPackage& usual : conda::default_virtual_packages(platform)) {
        if (std::ranges::find(packages, usual.name, &VirtualPackage::name) == packages.end()) {
            add(usual.name + "=");
        }
    }
    return flags;
}

bool has_cuda(const Examination& examination) {
    const std::vector<VirtualPackage> packages = target_packages(examination.layers);
    return std::ranges::find(packages, "__cuda", &VirtualPackage::name) != packages.end();
}

std::string advice_text(const Examination& examination) {
    std::string text =
        "\nto solve for this machine here:  chanmirror solve --this-machine ...\n"
        "and elsewhere:                   chanmirror solve";
    for (const std::string& flag : target_flags(examination)) {
        text += " " + flag;
    }
    text += " ...\n";
    if (!examination.facts.amd.gpus.empty()) {
        text += "AMD GPUs have no virtual package, so nothing of them enters a solve.\n";
    } else if (!has_cuda(examination)) {
        text +=
            "To solve for a machine with an NVIDIA GPU, say what its driver supports:  "
            "--virtual __cuda=12.4\n";
    }
    return text;
}

std::string configuration_text(const Examination& examination) {
    const std::string file = examination.config_file
                                 ? printable(*examination.config_file, k_longest_path)
                                 : "no file, built-in defaults";
    if (!examination.root) {
        return "\n" + line("configuration", "does not load, see below");
    }
    return "\n" + line("configuration", file) +
           line("mirror root", printable(*examination.root, k_longest_path));
}

Json nvidia_json(const conda::CudaAnswer& answer) {
    if (const auto* broken = std::get_if<conda::BrokenCudaDriver>(&answer)) {
        return Json::Object{{"state", "broken"}, {"why", broken->why}};
    }
    const auto* driver = std::get_if<conda::CudaDriver>(&answer);
    if (driver == nullptr) {
        return Json::Object{{"state", "absent"}};
    }
    return Json::Object{{"state", "found"},
                        {"cuda", driver->version},
                        {"devices", driver->devices},
                        {"compute_capability",
                         driver->compute_capability ? Json(*driver->compute_capability) : Json()}};
}

Json text_or_null(const std::optional<std::string>& text) {
    return text && !text->empty() ? Json(*text) : Json();
}

Json::Array texts(const std::vector<std::string>& items) {
    Json::Array array;
    for (const std::string& item : items) {
        array.emplace_back(item);
    }
    return array;
}

Json::Array packages_json(const Examination& examination) {
    const std::vector<VariableOverride> variables = variables_in_effect(examination.layers);
    Json::Array packages;
    for (const VirtualPackage& package : target_packages(examination.layers)) {
        const std::string origin = origin_of(package, examination, variables);
        packages.push_back(Json::Object{{"name", package.name},
                                        {"version", package.version},
                                        {"build", package.build},
                                        {"origin", origin.empty() ? "machine" : origin}});
    }
    return packages;
}

}  // namespace

std::string doctor_text(const Examination& examination) {
    std::string text = facts_text(examination) + packages_text(examination) +
                       advice_text(examination) + configuration_text(examination);
    for (const std::string& problem : examination.problems) {
        text += fmt::format("problem: {}\n", printable(problem, k_longest_path));
    }
    return text;
}

std::string doctor_json(const Examination& examination) {
    const conda::HostFacts& facts = examination.facts;
    const Json document = Json::Object{{"platform", facts.platform},
                                       {"kernel", text_or_null(facts.kernel)},
                                       {"glibc", text_or_null(facts.glibc)},
                                       {"microarchitecture", text_or_null(facts.microarchitecture)},
                                       {"nvidia", nvidia_json(facts.cuda)},
                                       {"amd",
                                        Json::Object{{"gpus", texts(facts.amd.gpus)},
                                                     {"driver_loaded", facts.amd.has_driver},
                                                     {"driver", text_or_null(facts.amd.driver)},
                                                     {"rocm", text_or_null(facts.amd.rocm)}}},
                                       {"virtual_packages", packages_json(examination)},
                                       {"solve_flags", texts(target_flags(examination))},
                                       {"config_file", text_or_null(examination.config_file)},
                                       {"root", text_or_null(examination.root)},
                                       {"problems", texts(examination.problems)}};
    return to_json(document, 2) + "\n";
}

}  // namespace chm::cli
