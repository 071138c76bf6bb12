// What the NVIDIA driver itself says: the latest CUDA version that it supports (__cuda, CEP 30) and
// the least compute capability of the devices it shows (__cuda_arch, CEP 46). No toolkit's version
// file and no nvidia-smi: both may tell of something else.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace chm::conda {

struct CudaProbe {
    /// What dlopen(3) tries, in order: the usual search, then places that it may leave out (RHEL's
    /// old packages, WSL, NixOS).
    std::vector<std::string> libraries = {"libcuda.so.1",
                                          "/usr/lib64/nvidia/libcuda.so.1",
                                          "/usr/lib/wsl/lib/libcuda.so.1",
                                          "/run/opengl-driver/lib/libcuda.so.1"};
    /// Waking many GPUs takes its time when no persistence daemon runs.
    std::chrono::milliseconds time_limit{30'000};
};

/// No such library on this machine.
struct NoCudaDriver {
    bool operator==(const NoCudaDriver&) const = default;
};
/// There is a library, but it gives no answer.
struct BrokenCudaDriver {
    std::string why;  // one line, printable: "cuInit: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"

    bool operator==(const BrokenCudaDriver&) const = default;
};
struct CudaDriver {
    std::string version;                            // "12.4"
    unsigned devices = 0;                           // those that CUDA_VISIBLE_DEVICES leaves
    std::optional<std::string> compute_capability;  // "9.0", the least; none without a device

    bool operator==(const CudaDriver&) const = default;
};

using CudaAnswer = std::variant<NoCudaDriver, BrokenCudaDriver, CudaDriver>;

/// Asks the driver in a child process, because a driver that is broken may crash or never answer.
/// Takes at most the time limit and a second.
[[nodiscard]] CudaAnswer ask_cuda_driver(const CudaProbe& probe = {});

}  // namespace chm::conda
