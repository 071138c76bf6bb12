// Virtual packages. The defaults are constants: a lock for a platform must be the same whichever
// machine makes it.
#include "conda/virtual_package.hpp"

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "conda/platform.hpp"
#include "conda/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace chm::conda {

namespace {

constexpr std::size_t k_max_field = 64;  // CEP 26, for names, versions and builds alike

bool is_separator(char c) {
    return c == '-' || c == '.' || c == '_';
}

/// CEP 26: two underscores, then lower-case words with single separators between them.
bool is_virtual_name(std::string_view name) {
    if (!name.starts_with("__") || name.size() < 3 || name.size() > k_max_field) {
        return false;
    }
    bool after_separator = true;
    for (const char c : name.substr(2)) {
        if (!is_lower_or_digit(c) && (!is_separator(c) || after_separator)) {
            return false;
        }
        after_separator = is_separator(c);
    }
    return true;
}

bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, is_digit);
}

bool is_build(std::string_view build) {
    return !build.empty() && build.size() <= k_max_field && std::ranges::all_of(build, [](char c) {
        return is_alphanumeric(c) || c == '_' || c == '.' || c == '+';
    });
}

/// The names of CEP 30. Their versions are counted by a system, so a word is a mistake, although
/// CEP 33 would take it for a version.
bool is_standard_name(std::string_view name) {
    constexpr std::array<std::string_view, 7> k_names = {
        "__archspec", "__cuda", "__glibc", "__linux", "__osx", "__unix", "__win"};
    return std::ranges::find(k_names, name) != k_names.end();
}

tl::unexpected<Error> refuse(std::string_view text, std::string_view why) {
    return fail(ErrorKind::usage,
                fmt::format("{} is not a virtual package: {}; write __cuda=12.4, "
                            "__archspec=1=x86_64_v3, or __cuda= for none",
                            quote_safely(text, 80),
                            why));
}

/// The build of __archspec when all that is known is the platform. Version 1 is for names that
/// archspec's own database has, version 0 for the platform's word as it is (CEP 30).
VirtualPackage archspec_of(std::string_view platform) {
    const std::string_view word = platform.substr(platform.find('-') + 1);
    if (word == "64") {
        return {"__archspec", "1", "x86_64"};
    }
    if (word == "32") {
        return {"__archspec", "1", "x86"};
    }
    if (platform == "osx-arm64") {
        return {"__archspec", "1", "m1"};  // the least of Apple's own processors
    }
    if (word == "aarch64" || word == "arm64") {
        return {"__archspec", "1", "aarch64"};
    }
    if (word == "ppc64" || word == "ppc64le" || word == "riscv64") {
        return {"__archspec", "1", std::string(word)};
    }
    return {"__archspec", "0", std::string(word)};
}

}  // namespace

Result<VirtualPackage> parse_virtual_package(std::string_view text) {
    const std::vector<std::string_view> fields = split(trim(text), '=');
    if (!is_virtual_name(fields.front())) {
        return refuse(text, "the name must be '__' and lower-case letters, digits, '.', '-', '_'");
    }
    if (fields.size() < 2) {
        return refuse(text, "it has no version");
    }
    if (fields.size() > 3) {
        return refuse(text, "there is more than name, version and build");
    }
    const std::string_view version = fields[1];
    if (version.empty() && fields.size() == 2) {
        return VirtualPackage{std::string(fields[0]), "", ""};
    }
    if (const std::string_view why = version_fault(fields[0], version); !why.empty()) {
        return refuse(text, why);
    }
    if (fields.size() == 3 && !is_build(fields[2])) {
        return refuse(text, build_fault(fields[2]));
    }
    return VirtualPackage{std::string(fields[0]),
                          std::string(version),
                          std::string(fields.size() == 3 ? fields[2] : "0")};
}

std::string_view version_fault(std::string_view name, std::string_view version) {
    if (version.size() > k_max_field || version.find_first_of(" \t") != std::string_view::npos ||
        !Version::parse(version)) {
        return "the version is none";
    }
    if (name == "__cuda_arch") {
        const std::vector<std::string_view> parts = split(version, '.');
        if (parts.size() != 2 || !std::ranges::all_of(parts, is_number)) {
            return "the version must be a compute capability, such as 9.0, without letters";
        }
    }
    if (is_standard_name(name) && !is_digit(version.front())) {
        return "the version must begin with a digit";
    }
    return "";
}

std::string_view build_fault(std::string_view build) {
    return is_build(build) ? "" : "the build must be letters, digits, '_', '.', '+'";
}

std::string_view kernel_version(std::string_view release) {
    constexpr int k_most_numbers = 4;
    std::size_t end = 0;
    int numbers = 0;
    for (const std::string_view piece : split(release, '.')) {
        const auto digits =
            static_cast<std::size_t>(std::ranges::find_if_not(piece, is_digit) - piece.begin());
        if (digits == 0) {
            break;
        }
        end = static_cast<std::size_t>(piece.data() - release.data()) + digits;
        if (++numbers == k_most_numbers || digits < piece.size()) {
            break;
        }
    }
    return release.substr(0, numbers >= 2 && end <= k_max_field ? end : 0);
}

std::vector<VirtualPackage> default_virtual_packages(std::string_view platform) {
    if (platform == k_noarch || !is_known_subdir(platform)) {
        return {};
    }
    std::vector<VirtualPackage> packages = {archspec_of(platform)};
    if (platform.starts_with("linux-")) {
        packages.push_back({"__glibc", "2.28", "0"});
        packages.push_back({"__linux", "5.15", "0"});
    }
    if (platform.starts_with("osx-")) {
        packages.push_back({"__osx", "14.0", "0"});
    }
    if (platform.starts_with("win-")) {
        packages.push_back({"__win", "10.0", "0"});
    }
    if (platform.starts_with("linux-") || platform.starts_with("osx-") ||
        platform.starts_with("freebsd-") || platform.starts_with("emscripten-")) {
        packages.push_back({"__unix", "0", "0"});  // the four that CEP 30 names
    }
    std::ranges::sort(packages, {}, &VirtualPackage::name);
    return packages;
}

std::vector<VirtualPackage> with_overrides(std::vector<VirtualPackage> base,
                                           const std::vector<VirtualPackage>& overrides) {
    for (const VirtualPackage& package : overrides) {
        std::erase_if(base, [&](const VirtualPackage& p) { return p.name == package.name; });
        if (!package.version.empty()) {
            base.push_back(package);
        }
    }
    // CEP 46: __cuda_arch MUST be absent when __cuda is.
    if (std::ranges::find(base, "__cuda", &VirtualPackage::name) == base.end()) {
        std::erase_if(base, [](const VirtualPackage& p) { return p.name == "__cuda_arch"; });
    }
    std::ranges::sort(base, {}, &VirtualPackage::name);
    return base;
}

std::string to_text(const VirtualPackage& package) {
    if (package.version.empty()) {
        return package.name + "=";
    }
    return fmt::format("{}={}={}", package.name, package.version, package.build);
}

std::string to_short_text(const VirtualPackage& package) {
    return package.build == "0" ? fmt::format("{}={}", package.name, package.version)
                                : to_text(package);
}

}  // namespace chm::conda
