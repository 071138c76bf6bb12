// The table of known subdirs. A name that is not here is refused: a mistyped platform would
// otherwise be an empty mirror or a solve without virtual packages.
#include "conda/platform.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace chm::conda {

namespace {

// conda 26.7: base/constants.py, KNOWN_SUBDIRS.
constexpr std::array<std::string_view, 19> k_known_subdirs = {
    "emscripten-wasm32", "freebsd-64",    "linux-32",     "linux-64",
    "linux-aarch64",     "linux-armv6l",  "linux-armv7l", "linux-ppc64",
    "linux-ppc64le",     "linux-riscv64", "linux-s390x",  "osx-64",
    "osx-arm64",         "wasi-wasm32",   "win-32",       "win-64",
    "win-arm64",         "zos-z",         k_noarch,
};

}  // namespace

std::span<const std::string_view> known_subdirs() {
    return k_known_subdirs;
}

bool is_known_subdir(std::string_view text) {
    return std::ranges::find(k_known_subdirs, text) != k_known_subdirs.end();
}

Result<std::string> parse_subdir(std::string_view text) {
    if (is_known_subdir(text)) {
        return std::string(text);
    }
    const std::vector<std::string> names(k_known_subdirs.begin(), k_known_subdirs.end());
    return fail(ErrorKind::usage,
                fmt::format("{} is not a platform that conda knows (linux-64, noarch, …){}",
                            quote_safely(text, 40),
                            did_you_mean(text.substr(0, 40), names)));
}

std::string_view host_platform() {
#if defined(__linux__) && defined(__x86_64__)
    return "linux-64";
#elif defined(__linux__) && defined(__aarch64__)
    return "linux-aarch64";
#elif defined(__linux__) && defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
    return "linux-ppc64le";
#elif defined(__linux__) && defined(__riscv) && __riscv_xlen == 64
    return "linux-riscv64";
#elif defined(__linux__) && defined(__s390x__)
    return "linux-s390x";
#elif defined(__APPLE__) && defined(__aarch64__)
    return "osx-arm64";
#elif defined(__APPLE__) && defined(__x86_64__)
    return "osx-64";
#else
#error "name the conda platform of this target here"
#endif
}

}  // namespace chm::conda
