// A target's tags are interpreters by platforms, so a wheel's best rank needs no combinations.
#include "pypi/wheel_target.hpp"

#include "base/text.hpp"
#include "pypi/wheel_platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace chm::pypi {

namespace {

constexpr unsigned k_max_minor = 99;  // bounds the lists; no Python, glibc or macOS is near it
constexpr unsigned k_max_number = 9999;

std::optional<unsigned> parse_number(std::string_view text) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_whole = error == std::errc() && end == text.data() + text.size();
    return is_whole && value <= k_max_number ? std::optional(value) : std::nullopt;
}

Result<> check(const WheelTarget& target) {
    const auto refuse = [](std::string_view what, ShortVersion version, std::string_view known) {
        return fail(
            ErrorKind::usage,
            fmt::format(
                "there is no {} {} for wheels; {} is expected", what, to_text(version), known));
    };
    if (target.python.major != 3 || target.python.minor < 2 || target.python.minor > k_max_minor) {
        return refuse("Python", target.python, "3.2 or newer");
    }
    if (target.glibc && (target.glibc->major != 2 || target.glibc->minor > k_max_minor)) {
        return refuse("glibc", *target.glibc, "2.5 or newer");
    }
    if (target.musl && (target.musl->major == 0 || target.musl->major > k_max_minor ||
                        target.musl->minor > k_max_minor)) {
        return refuse("musl", *target.musl, "1.1 or newer");
    }
    if (target.macos && (target.macos->major < 10 || target.macos->major > k_max_minor ||
                         target.macos->minor > k_max_minor)) {
        return refuse("macOS", *target.macos, "10.4 or newer");
    }
    return {};
}

std::string nodot(ShortVersion version) {
    return fmt::format("{}{}", version.major, version.minor);
}

}  // namespace

std::optional<ShortVersion> parse_short_version(std::string_view text) {
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos) {
        return std::nullopt;
    }
    const auto major = parse_number(text.substr(0, dot));
    const auto minor = parse_number(text.substr(dot + 1));
    return major && minor ? std::optional(ShortVersion{*major, *minor}) : std::nullopt;
}

std::string to_text(ShortVersion version) {
    return fmt::format("{}.{}", version.major, version.minor);
}

Result<TargetTags> TargetTags::make(const WheelTarget& target) {
    const auto platform = find_platform(target.platform);
    if (!platform) {
        return fail(ErrorKind::usage,
                    fmt::format("'{}' is no platform that wheels are known for",
                                printable(target.platform, 40)));
    }
    CHM_CHECK(check(target));
    TargetTags tags;
    tags.target_ = target;
    tags.platforms_ = platform_tags(target, *platform);
    tags.add_interpreters();
    const auto rank = [](const auto& list, const auto& name_of) {
        Ranks ranks;
        for (const auto& item : list) {
            ranks.emplace_back(name_of(item), static_cast<std::uint32_t>(ranks.size()));
        }
        std::ranges::sort(ranks);
        return ranks;
    };
    const auto interpreter_name = [](const Interpreter& interpreter) {
        return fmt::format("{}-{}", interpreter.python, interpreter.abi);
    };
    tags.interpreter_ranks_ = rank(tags.interpreters_, interpreter_name);
    tags.pure_ranks_ = rank(tags.pure_interpreters_, interpreter_name);
    tags.platform_ranks_ = rank(tags.platforms_, [](const std::string& name) { return name; });
    return tags;
}

/// In the order of PEP 425 and pypa/packaging: what is made for this Python alone first, what is
/// made for the most Pythons last.
void TargetTags::add_interpreters() {
    const ShortVersion python = target_.python;
    const std::string cpython = "cp" + nodot(python);
    // Free-threaded builds have a stable abi of their own (PEP 803).
    const std::string stable_abi = target_.free_threaded ? "abi3t" : "abi3";
    std::string abi = cpython;
    if (python.minor < 8) {
        abi += 'm';
    }
    if (target_.free_threaded) {
        abi += 't';
    }
    interpreters_ = {{cpython, abi}, {cpython, stable_abi}, {cpython, "none"}};
    for (unsigned minor = python.minor; minor-- > 2;) {
        interpreters_.push_back({fmt::format("cp3{}", minor), stable_abi});
    }
    pure_interpreters_ = {{cpython, "none"}, {"py" + nodot(python), "none"}, {"py3", "none"}};
    for (unsigned minor = python.minor; minor-- > 0;) {
        pure_interpreters_.push_back({fmt::format("py3{}", minor), "none"});
    }
    interpreters_.insert(
        interpreters_.end(), pure_interpreters_.begin() + 1, pure_interpreters_.end());
}

std::optional<std::uint32_t> TargetTags::find(const Ranks& ranks, std::string_view name) {
    const auto found = std::ranges::lower_bound(
        ranks, name, {}, [](const auto& item) { return std::string_view(item.first); });
    return found != ranks.end() && found->first == name ? std::optional(found->second)
                                                        : std::nullopt;
}

std::optional<std::uint32_t> TargetTags::best_interpreter(const WheelTagSet& tags,
                                                          const Ranks& ranks) const {
    std::optional<std::uint32_t> best;
    std::string name;
    for (const std::string& python : tags.pythons()) {
        for (const std::string& abi : tags.abis()) {
            name.assign(python).append(1, '-').append(abi);
            const auto rank = find(ranks, name);
            if (rank && (!best || *rank < *best)) {
                best = rank;
            }
        }
    }
    return best;
}

std::optional<std::uint32_t> TargetTags::best_rank(const WheelTagSet& tags) const {
    const auto platform_count = static_cast<std::uint32_t>(platforms_.size());
    std::optional<std::uint32_t> best_platform;
    bool is_pure = false;
    for (const std::string& name : tags.platforms()) {
        is_pure = is_pure || name == "any";
        const auto rank = find(platform_ranks_, name);
        if (rank && (!best_platform || *rank < *best_platform)) {
            best_platform = rank;
        }
    }
    if (best_platform) {
        if (const auto interpreter = best_interpreter(tags, interpreter_ranks_)) {
            return *interpreter * platform_count + *best_platform;
        }
    }
    if (is_pure) {
        if (const auto interpreter = best_interpreter(tags, pure_ranks_)) {
            return static_cast<std::uint32_t>(interpreters_.size()) * platform_count + *interpreter;
        }
    }
    return std::nullopt;
}

std::vector<WheelTag> TargetTags::list() const {
    std::vector<WheelTag> tags;
    tags.reserve(interpreters_.size() * platforms_.size() + pure_interpreters_.size());
    for (const Interpreter& interpreter : interpreters_) {
        for (const std::string& platform : platforms_) {
            tags.push_back({interpreter.python, interpreter.abi, platform});
        }
    }
    for (const Interpreter& interpreter : pure_interpreters_) {
        tags.push_back({interpreter.python, interpreter.abi, "any"});
    }
    return tags;
}

}  // namespace chm::pypi
