// This machine: what it is and has, and the virtual packages that follow (CEP 30, CEP 46). Only
// Linux is looked at; on other systems the platform's defaults stand for what is not known.
#pragma once

#include "conda/host/amd_gpu.hpp"
#include "conda/host/cuda_driver.hpp"
#include "conda/platform.hpp"
#include "conda/virtual_package.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace chm::conda {

/// uname(2)'s release of the running kernel: "5.15.0-91-generic"; empty when it does not say.
[[nodiscard]] std::string running_kernel();
/// MAJOR.MINOR of the GNU C library this program runs with: "2.36"; nothing with another C library.
[[nodiscard]] std::optional<std::string> running_glibc();

/// Where the facts come from; by default this machine.
struct HostProbe {
    std::string platform{host_platform()};
    std::string kernel = running_kernel();
    std::optional<std::string> glibc = running_glibc();
    std::filesystem::path cpuinfo = "/proc/cpuinfo";
    CudaProbe cuda;
    AmdProbe amd;
};

struct HostFacts {
    std::string platform;              // conda's name: "linux-64"
    std::string kernel;                // as uname says it; empty: not known
    std::optional<std::string> glibc;  // "2.36"; none: another C library
    std::string microarchitecture;     // archspec's name; empty: not known
    CudaAnswer cuda;
    AmdFacts amd;
};

/// Never fails: what cannot be found out is not known. Takes as long as the CUDA driver needs, at
/// most the time limit of `probe.cuda`.
[[nodiscard]] HostFacts detect_host(const HostProbe& probe = {});

/// What conda would find on this machine, sorted by name. In place of what is not known stands the
/// platform's default; without a driver that answers there is no __cuda.
[[nodiscard]] std::vector<VirtualPackage> host_virtual_packages(const HostFacts& facts);

}  // namespace chm::conda
