// What is known of AMD GPUs here. Facts of our own, not a virtual package: no CEP has a __rocm.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace chm::conda {

struct AmdProbe {
    std::filesystem::path root = "/";          // the tree in which /sys is
    std::filesystem::path rocm = "/opt/rocm";  // in that tree; what ROCM_PATH says
};

struct AmdFacts {
    std::vector<std::string> gpus;      // LLVM's name for each GPU, in the driver's order: "gfx942"
    bool has_driver = false;            // the kernel has loaded amdgpu
    std::optional<std::string> driver;  // its version; the kernel's own amdgpu has none
    std::optional<std::string> rocm;    // "6.2.4"

    bool operator==(const AmdFacts&) const = default;
};

/// Reads the kernel's description of compute devices (/sys/class/kfd) and what ROCm's installer
/// left. Whatever is missing or not understood is not known; never fails.
[[nodiscard]] AmdFacts find_amd_gpus(const AmdProbe& probe = {});

/// "gfx942" of 90402, as the kernel's gfx_target_version counts: two digits each for minor and
/// stepping, which the name has in hexadecimal. Empty for 0 (a CPU) and what is no such number.
[[nodiscard]] std::string gfx_target(unsigned version);

}  // namespace chm::conda
