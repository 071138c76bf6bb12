// The processor under the name that archspec has for it, which is the build of __archspec
// (CEP 30): "zen3", "skylake_avx512", "neoverse_v2".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace chm::conda {

/// What /proc/cpuinfo says of the first processor, as far as names depend on it.
struct CpuFacts {
    std::string family;                 // archspec's name of the architecture: "x86_64", "aarch64"
    std::string vendor;                 // "GenuineIntel"; of Arm the implementer: "0x41"
    std::string part;                   // of Arm: "0xd4f"
    int generation = 0;                 // of Power: 9
    std::string model;                  // of RISC-V: archspec's name for it
    std::vector<std::string> features;  // sorted
};

/// archspec's name for the architecture of a conda platform; empty for one that it does not look
/// into.
[[nodiscard]] std::string_view architecture_of(std::string_view platform);

/// Reads the text of /proc/cpuinfo; what is missing or garbage stays empty. `family` is
/// architecture_of(platform).
[[nodiscard]] CpuFacts parse_cpuinfo(std::string_view text, std::string_view family);

/// The most specific name that fits, at least the family's own; empty for a family that archspec
/// does not have. One that the vendor makes comes before a general level, if it has all of that
/// level.
[[nodiscard]] std::string_view microarchitecture_of(const CpuFacts& cpu);

/// Every name that archspec has, of all architectures.
[[nodiscard]] std::span<const std::string> microarchitecture_names();
[[nodiscard]] bool is_microarchitecture_name(std::string_view name);

}  // namespace chm::conda
