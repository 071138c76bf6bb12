// TargetTags::mismatch: in plain words, what keeps a wheel from a target.
#include "pypi/wheel_platform.hpp"
#include "pypi/wheel_target.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace chm::pypi {

namespace {

constexpr std::size_t k_max_named = 4;  // names that a reason lists

/// A Python tag taken apart: "cp312", "py3", "pp310".
struct PythonTag {
    std::string_view implementation;
    std::optional<ShortVersion> version;
    bool has_minor = false;
};

PythonTag parse_python_tag(std::string_view tag) {
    const auto* const digits = std::ranges::find_if(tag, is_digit);
    const auto length = static_cast<std::size_t>(digits - tag.begin());
    const std::string_view number = tag.substr(length);
    PythonTag python{tag.substr(0, length), std::nullopt, number.size() > 1};
    if (!number.empty()) {
        python.version = parse_short_version(
            fmt::format("{}.{}", number.substr(0, 1), python.has_minor ? number.substr(1) : "0"));
    }
    return python;
}

bool is_cpython(const PythonTag& python) {
    return (python.implementation == "cp" || python.implementation == "py") && python.version;
}

/// "3.12", "3", "PyPy 3.10", or the tag itself.
std::string describe_python(std::string_view tag) {
    const PythonTag python = parse_python_tag(tag);
    const bool is_pypy = python.implementation == "pp" && python.version;
    if (!is_cpython(python) && !is_pypy) {
        return std::string(tag);
    }
    return fmt::format(
        "{}{}",
        is_pypy ? "PyPy " : "",
        python.has_minor ? to_text(*python.version) : std::to_string(python.version->major));
}

/// "A, B or C", each once, in order.
std::string list_of(std::vector<std::string> names) {
    std::vector<std::string> distinct;
    for (std::string& name : names) {
        if (std::ranges::find(distinct, name) == distinct.end()) {
            distinct.push_back(std::move(name));
        }
    }
    if (distinct.size() > k_max_named) {
        distinct.resize(k_max_named);
        distinct.emplace_back("others");
    }
    const std::string last = std::move(distinct.back());
    distinct.pop_back();
    return distinct.empty() ? last : fmt::format("{} or {}", fmt::join(distinct, ", "), last);
}

bool contains(std::span<const std::string> names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

/// The least version of the Python tags that count from a version on: py3X, or cp3X with a stable
/// abi.
std::optional<ShortVersion> least_python(const WheelTagSet& tags, bool has_stable_abi) {
    std::optional<ShortVersion> least;
    for (const std::string& tag : tags.pythons()) {
        const PythonTag python = parse_python_tag(tag);
        const bool counts = python.implementation == (has_stable_abi ? "cp" : "py") &&
                            python.has_minor && python.version && python.version->major == 3;
        if (counts && (!least || *python.version < *least)) {
            least = python.version;
        }
    }
    return least;
}

std::string python_mismatch(const WheelTagSet& tags, const WheelTarget& target) {
    const std::string has = to_text(target.python);
    const std::string this_python = "cp3" + std::to_string(target.python.minor);
    const bool has_stable_abi = contains(tags.abis(), "abi3") || contains(tags.abis(), "abi3t");
    const auto least = least_python(tags, has_stable_abi);
    if (least && target.python < *least) {
        return fmt::format("needs Python {} or newer; the target has {}", to_text(*least), has);
    }
    const bool is_threaded =
        contains(tags.abis(), "abi3t") || contains(tags.abis(), this_python + "t");
    if ((least && has_stable_abi) || contains(tags.pythons(), this_python) ||
        contains(tags.pythons(), "py3")) {
        if (is_threaded && !target.free_threaded) {
            return fmt::format("for free-threaded Python, not Python {} with the GIL", has);
        }
        if (target.free_threaded &&
            (contains(tags.abis(), "abi3") || contains(tags.abis(), this_python))) {
            return fmt::format("for Python with the GIL, not free-threaded Python {}", has);
        }
        return fmt::format("for abi {}, which Python {} does not have",
                           list_of({tags.abis().begin(), tags.abis().end()}),
                           has);
    }
    std::vector<std::string> pythons;
    bool all_cpython = true;
    for (const std::string& tag : tags.pythons()) {
        pythons.push_back(describe_python(tag));
        all_cpython = all_cpython && is_cpython(parse_python_tag(tag));
    }
    return fmt::format("for {}{}, not {}{}",
                       all_cpython ? "Python " : "",
                       list_of(std::move(pythons)),
                       all_cpython ? "" : "CPython ",
                       has);
}

bool is_same_machine(const WheelPlatform& wheel, const WheelPlatform& target) {
    if (target.system == WheelSystem::macos) {
        return wheel.system == WheelSystem::macos &&
               mac_format_fits(wheel.architecture, target.architecture);
    }
    const bool is_linux = wheel.system == WheelSystem::plain_linux ||
                          wheel.system == WheelSystem::glibc_linux ||
                          wheel.system == WheelSystem::musl_linux;
    return is_linux && target.system == WheelSystem::plain_linux &&
           wheel.architecture == target.architecture;
}

/// What a wheel's platform needs in a version, and which the target has.
struct Need {
    std::string_view what;
    ShortVersion version;
    std::optional<ShortVersion> has;
};

std::optional<Need> need_of(const WheelPlatform& wheel, const WheelTarget& target) {
    switch (wheel.system) {
        case WheelSystem::glibc_linux:
            return Need{"glibc", wheel.version, target.glibc};
        case WheelSystem::musl_linux:
            return Need{"musl", wheel.version, target.musl};
        case WheelSystem::macos:
            return Need{"macOS", wheel.version, target.macos};
        case WheelSystem::plain_linux:
        case WheelSystem::windows:
            break;
    }
    return std::nullopt;
}

/// The better reason: what the target has, only too old; and of that the lesser.
bool is_nearer(const Need& one, const Need& two) {
    return one.has.has_value() == two.has.has_value() ? one.version < two.version
                                                      : one.has.has_value();
}

std::string platform_mismatch(const WheelTagSet& tags, const WheelTarget& target) {
    const WheelPlatform own = find_platform(target.platform).value_or(WheelPlatform{});
    std::vector<std::string> names;
    std::optional<Need> nearest;
    for (const std::string& tag : tags.platforms()) {
        const auto platform = parse_platform_tag(tag);
        const bool is_same = platform && is_same_machine(*platform, own);
        // A tag for this machine that is not too new is none that anything accepts.
        names.push_back(platform && !is_same ? describe(*platform) : tag);
        const auto need = is_same ? need_of(*platform, target) : std::nullopt;
        const bool is_unmet = need && (!need->has || *need->has < need->version);
        if (is_unmet && (!nearest || is_nearer(*need, *nearest))) {
            nearest = need;
        }
    }
    if (!nearest) {
        return fmt::format("for {}, not {}", list_of(std::move(names)), target.platform);
    }
    const bool has_other_libc = nearest->what == "musl" && target.glibc;
    return fmt::format("needs {} {}; the target has {}",
                       nearest->what,
                       to_text(nearest->version),
                       nearest->has     ? to_text(*nearest->has)
                       : has_other_libc ? "glibc"
                                        : "none");
}

}  // namespace

std::string TargetTags::mismatch(const WheelTagSet& tags) const {
    if (best_rank(tags)) {
        return "";
    }
    if (!best_interpreter(tags, interpreter_ranks_)) {
        return python_mismatch(tags, target_);
    }
    const bool has_platform = std::ranges::any_of(tags.platforms(), [&](const std::string& name) {
        return name == "any" || find(platform_ranks_, name);
    });
    if (!has_platform) {
        return platform_mismatch(tags, target_);
    }
    return fmt::format("its tag {} fits no Python: only abi 'none' goes with platform 'any'",
                       tags.to_text());
}

}  // namespace chm::pypi
