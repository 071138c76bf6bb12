// Virtual packages (CEP 30): what the target machine offers, as packages named __cuda, __glibc, …
#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace chm::conda {

struct VirtualPackage {
    std::string name;     // "__cuda"
    std::string version;  // "12.4"
    std::string build;    // "0", or the microarchitecture of __archspec

    bool operator==(const VirtualPackage&) const = default;
};

/// "__cuda=12.4" or "__archspec=1=x86_64_v3". ErrorKind::usage when it is no such thing; "__cuda="
/// (empty version) means that the package is absent and gives an empty version.
Result<VirtualPackage> parse_virtual_package(std::string_view text);

/// Why `version` cannot be the version of the virtual package `name`; empty when it can. It must be
/// a version (CEP 33), for the packages of CEP 30 one that begins with a digit, and for __cuda_arch
/// MAJOR.MINOR (CEP 46).
[[nodiscard]] std::string_view version_fault(std::string_view name, std::string_view version);

/// Why `build` cannot be the build of a virtual package (CEP 26); empty when it can.
[[nodiscard]] std::string_view build_fault(std::string_view build);

/// What __linux has of a kernel's release: "5.15.0" of "5.15.0-91-generic" (CEP 30: two to four
/// numbers, nothing of the distribution). Empty when the release does not begin so.
[[nodiscard]] std::string_view kernel_version(std::string_view release);

/// The stated defaults for solving for `platform` on any machine: nothing of this host enters. No
/// __cuda: a GPU must be asked for. Sorted by name; empty for noarch and for what is no known
/// subdir. The values, and why they are these, are in docs/conda-semantics.md.
[[nodiscard]] std::vector<VirtualPackage> default_virtual_packages(std::string_view platform);

/// `base` with each of `overrides` put in place of the package of its name, or added, or (empty
/// version) removed; the last override of a name counts. Sorted by name. Without __cuda there is no
/// __cuda_arch either (CEP 46).
[[nodiscard]] std::vector<VirtualPackage> with_overrides(
    std::vector<VirtualPackage> base, const std::vector<VirtualPackage>& overrides);

/// "__cuda=12.4=0"; "__cuda=" when absent.
[[nodiscard]] std::string to_text(const VirtualPackage& package);
/// As people write it: "__cuda=12.4", without the build that is understood.
[[nodiscard]] std::string to_short_text(const VirtualPackage& package);

}  // namespace chm::conda
