#include "conda/host/host.hpp"

#include "base/text.hpp"
#include "conda/host/fact_file.hpp"
#include "conda/host/microarchitecture.hpp"

#include <array>
#include <cstddef>
#include <string_view>
#include <sys/utsname.h>
#include <unistd.h>
#include <variant>

namespace chm::conda {

namespace {

/// The first processor is told within a few kB; a machine with many has megabytes.
constexpr std::size_t k_cpuinfo_bytes = std::size_t{64} * 1024;

std::string find_microarchitecture(const HostProbe& probe) {
    const std::string_view family = architecture_of(probe.platform);
    const auto text = read_fact(probe.cpuinfo, k_cpuinfo_bytes);
    if (family.empty() || !text) {
        return "";
    }
    return std::string(microarchitecture_of(parse_cpuinfo(*text, family)));
}

}  // namespace

std::string running_kernel() {
    utsname names{};
    return ::uname(&names) == 0 ? std::string(names.release) : "";
}

std::optional<std::string> running_glibc() {
#ifdef _CS_GNU_LIBC_VERSION
    std::array<char, 64> text{};  // "glibc 2.36"
    const std::size_t size = ::confstr(_CS_GNU_LIBC_VERSION, text.data(), text.size());
    if (size > 0 && size <= text.size()) {
        const std::vector<std::string_view> words = split(text.data(), ' ');
        const std::vector<std::string_view> numbers = split(words.back(), '.');
        if (words.front() == "glibc" && numbers.size() >= 2) {
            return std::string(numbers[0]) + "." + std::string(numbers[1]);
        }
    }
#endif
    return std::nullopt;
}

HostFacts detect_host(const HostProbe& probe) {
    return {probe.platform,
            probe.kernel,
            probe.glibc,
            find_microarchitecture(probe),
            ask_cuda_driver(probe.cuda),
            find_amd_gpus(probe.amd)};
}

std::vector<VirtualPackage> host_virtual_packages(const HostFacts& facts) {
    std::vector<VirtualPackage> known;
    if (!facts.microarchitecture.empty()) {
        known.push_back({"__archspec", "1", facts.microarchitecture});
    }
    if (facts.platform.starts_with("linux-")) {
        known.push_back({"__glibc", facts.glibc.value_or(""), "0"});
        if (const std::string_view kernel = kernel_version(facts.kernel); !kernel.empty()) {
            known.push_back({"__linux", std::string(kernel), "0"});
        }
    }
    if (const auto* driver = std::get_if<CudaDriver>(&facts.cuda)) {
        known.push_back({"__cuda", driver->version, "0"});
        if (driver->compute_capability) {
            known.push_back({"__cuda_arch", *driver->compute_capability, "0"});
        }
    }
    return with_overrides(default_virtual_packages(facts.platform), known);
}

}  // namespace chm::conda
