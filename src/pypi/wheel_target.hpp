// Which wheels an interpreter on a platform accepts, in which order it likes them (PEP 425, PEP
// 600, PEP 656), and why it does not accept one.
#pragma once

#include "base/result.hpp"
#include "pypi/wheel_tag.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chm::pypi {

/// "2.28": of Python, glibc, musl or macOS.
struct ShortVersion {
    unsigned major = 0;
    unsigned minor = 0;

    std::strong_ordering operator<=>(const ShortVersion& other) const = default;
};

/// "2.28"; none: the text is anything else, or a number is above 9999.
[[nodiscard]] std::optional<ShortVersion> parse_short_version(std::string_view text);
[[nodiscard]] std::string to_text(ShortVersion version);

/// CPython on a platform.
struct WheelTarget {
    ShortVersion python;         // 3.2 to 3.99
    bool free_threaded = false;  // the build without the GIL, "3.13t"
    std::string platform;        // by conda's name: "linux-64"
    // None: wheels that need it do not fit. Only what the platform can have counts.
    std::optional<ShortVersion> glibc;
    std::optional<ShortVersion> musl;
    std::optional<ShortVersion> macos;
};

/// The tags of a target.
class TargetTags {
public:
    /// ErrorKind::usage when the target does not exist.
    static Result<TargetTags> make(const WheelTarget& target);

    /// The rank of the best of the tags, 0 being what the target likes most; none: it accepts none.
    [[nodiscard]] std::optional<std::uint32_t> best_rank(const WheelTagSet& tags) const;

    /// Why the target accepts none of the tags, in words that go on from "torch-2.7.1…whl: ":
    /// "needs glibc 2.28; the target has 2.17". Empty when it accepts one.
    [[nodiscard]] std::string mismatch(const WheelTagSet& tags) const;

    /// All it accepts, the best first: the tag at [r] has rank r.
    [[nodiscard]] std::vector<WheelTag> list() const;
    [[nodiscard]] const WheelTarget& target() const { return target_; }

private:
    struct Interpreter {
        std::string python;
        std::string abi;
    };
    using Ranks = std::vector<std::pair<std::string, std::uint32_t>>;  // sorted by name

    TargetTags() = default;
    void add_interpreters();
    static std::optional<std::uint32_t> find(const Ranks& ranks, std::string_view name);
    [[nodiscard]] std::optional<std::uint32_t> best_interpreter(const WheelTagSet& tags,
                                                                const Ranks& ranks) const;

    WheelTarget target_;
    std::vector<Interpreter> interpreters_;       // for wheels of a platform
    std::vector<Interpreter> pure_interpreters_;  // for platform "any"
    std::vector<std::string> platforms_;
    Ranks interpreter_ranks_;
    Ranks pure_ranks_;
    Ranks platform_ranks_;
};

}  // namespace chm::pypi
