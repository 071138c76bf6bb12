#include "base/quantity.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <system_error>
#include <utility>

namespace chm {
namespace {

constexpr std::int64_t k_longest = std::int64_t{100} * 365 * 24 * 60 * 60;
constexpr double k_most_bytes = 1e15;

constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> k_units = {
    {{"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86'400}, {"w", 604'800}}};

constexpr std::array<std::pair<std::string_view, double>, 8> k_prefixes = {{{"", 1},
                                                                            {"k", 1e3},
                                                                            {"M", 1e6},
                                                                            {"G", 1e9},
                                                                            {"Ki", 1024},
                                                                            {"Mi", 1048576},
                                                                            {"Gi", 1073741824},
                                                                            {"K", 1e3}}};

}  // namespace

Result<std::chrono::seconds> parse_duration(std::string_view text) {
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    const std::string_view unit(stop, static_cast<std::size_t>(end - stop));
    if (error == std::errc() && number == 0 && unit.empty()) {
        return std::chrono::seconds(0);
    }
    for (const auto& [name, seconds] : k_units) {
        const bool fits = error == std::errc() && number >= 0 && number <= k_longest / seconds;
        if (fits && unit == name) {
            return std::chrono::seconds(number * seconds);
        }
    }
    return fail(ErrorKind::usage,
                fmt::format("'{}' is no duration: expected a whole number and one of s, m, h, d, w "
                            "(12h, 7d), or 0",
                            printable(text, 80)));
}

Result<std::uint64_t> parse_byte_count(std::string_view text) {
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
    std::string_view unit(stop, static_cast<std::size_t>(end - stop));
    if (unit.ends_with('B')) {
        unit.remove_suffix(1);
    }
    for (const auto& [name, factor] : k_prefixes) {
        const bool fits = error == std::errc() && number >= 0 && number * factor <= k_most_bytes;
        if (fits && unit == name) {
            return static_cast<std::uint64_t>(number * factor);
        }
    }
    return fail(ErrorKind::usage,
                fmt::format("'{}' is no number of bytes: expected a number and one of k, M, G "
                            "(750k, 1.5G)",
                            printable(text, 80)));
}

std::string counted(std::uint64_t number, std::string_view noun) {
    return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

}  // namespace chm
