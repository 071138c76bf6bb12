// Edit distance, sizes and durations for people, foreign text made safe. See the header.
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace chm {

namespace {

// Longer than any name or option; keeps the quadratic comparison cheap.
constexpr std::size_t k_longest_word = 100;

/// Optimal string alignment distance; anything above `limit` is only known to be above it.
std::size_t edit_distance(std::string_view from, std::string_view to, std::size_t limit) {
    std::vector<std::size_t> before_last(to.size() + 1);
    std::vector<std::size_t> last(to.size() + 1);
    std::vector<std::size_t> row(to.size() + 1);
    for (std::size_t j = 0; j <= to.size(); ++j) {
        last[j] = j;
    }
    for (std::size_t i = 1; i <= from.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const std::size_t change = from[i - 1] == to[j - 1] ? 0 : 1;
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
        // A row and the one before it hold the way to every later cell.
        if (std::min(*std::min_element(row.begin(), row.end()),
                     *std::min_element(last.begin(), last.end())) > limit) {
            return limit + 1;
        }
        before_last.swap(last);
        last.swap(row);
    }
    return last[to.size()];
}

constexpr bool is_space(char character) {
    return character == ' ' || (character >= '\t' && character <= '\r');
}

constexpr bool is_between(std::uint32_t value, std::uint32_t low, std::uint32_t high) {
    return low <= value && value <= high;
}

std::uint32_t code_point(std::string_view character) {
    constexpr std::array<std::uint32_t, 5> lead_bits{0, 0x7F, 0x1F, 0x0F, 0x07};
    std::uint32_t value = static_cast<unsigned char>(character[0]) & lead_bits[character.size()];
    for (const char next : character.substr(1)) {
        value = (value << 6U) | (static_cast<unsigned char>(next) & 0x3FU);
    }
    return value;
}

// C0, DEL, C1, line and paragraph separators, and the marks that reorder text on the screen
// (Unicode TR 36, 3.2), with which a foreign name could rewrite the message around it.
bool is_unsafe(std::uint32_t code) {
    return code < 0x20 || is_between(code, 0x7F, 0x9F) || is_between(code, 0x200E, 0x200F) ||
           is_between(code, 0x2028, 0x202E) || is_between(code, 0x2066, 0x2069);
}

std::string escaped(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) {
        text += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
    return text;
}

std::uint64_t rounded_quotient(std::uint64_t value, std::uint64_t divisor) {
    const std::uint64_t rest = value % divisor;
    return value / divisor + (rest >= divisor - rest ? 1 : 0);
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
    if (word.size() > k_longest_word) {
        return std::nullopt;
    }
    std::size_t limit = word.size() / 3;
    const std::string* best = nullptr;
    for (const std::string& candidate : candidates) {
        const std::size_t surplus =
            std::max(word.size(), candidate.size()) - std::min(word.size(), candidate.size());
        if (surplus > limit) {
            continue;
        }
        const std::size_t distance = edit_distance(word, candidate, limit);
        if (distance > limit) {
            continue;
        }
        best = &candidate;
        if (distance == 0) {
            break;
        }
        limit = distance - 1;  // only a closer one is better
    }
    return best != nullptr ? std::optional(*best) : std::nullopt;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
    const std::optional<std::string> found = nearest(word, candidates);
    return found ? fmt::format("; did you mean '{}'?", printable(*found)) : "";
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> pieces;
    std::size_t start = 0;
    for (std::size_t end = 0; end != std::string_view::npos; start = end + 1) {
        end = text.find(separator, start);
        pieces.push_back(text.substr(start, end - start));
    }
    return pieces;
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && is_space(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_space(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

std::string human_bytes(std::uint64_t bytes) {
    if (bytes < 1000) {
        return fmt::format("{} B", bytes);
    }
    constexpr std::array<const char*, 6> names{"kB", "MB", "GB", "TB", "PB", "EB"};
    std::uint64_t unit = 1000;
    std::size_t name = 0;
    while (name + 1 < names.size() && rounded_quotient(bytes, unit) >= 1000) {
        unit *= 1000;
        ++name;
    }
    const std::uint64_t tenths = rounded_quotient(bytes, unit / 10);
    if (tenths < 1000) {
        return fmt::format("{}.{} {}", tenths / 10, tenths % 10, names[name]);
    }
    return fmt::format("{} {}", rounded_quotient(bytes, unit), names[name]);
}

std::string human_duration(std::chrono::milliseconds duration) {
    const auto total = static_cast<std::uint64_t>(std::max<std::int64_t>(duration.count(), 0));
    if (total < 1000) {
        return fmt::format("{} ms", total);
    }
    const std::uint64_t tenths = rounded_quotient(total, 100);
    if (tenths < 600) {
        return fmt::format("{}.{} s", tenths / 10, tenths % 10);
    }
    const std::uint64_t seconds = rounded_quotient(total, 1000);
    if (seconds < 3600) {
        return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
    }
    const std::uint64_t minutes = rounded_quotient(total, 60000);
    return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

// The Unicode standard's table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF.
std::size_t utf8_character(std::string_view text) {
    const auto byte = [text](std::size_t at) -> std::uint32_t {
        return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
    };
    const auto continues = [&byte](std::size_t at) { return is_between(byte(at), 0x80, 0xBF); };
    const std::uint32_t lead = byte(0);
    if (lead < 0x80) {
        return text.empty() ? 0 : 1;
    }
    if (is_between(lead, 0xC2, 0xDF)) {
        return continues(1) ? 2 : 0;
    }
    if (is_between(lead, 0xE0, 0xEF)) {
        const std::uint32_t low = lead == 0xE0 ? 0xA0 : 0x80;
        const std::uint32_t high = lead == 0xED ? 0x9F : 0xBF;
        return is_between(byte(1), low, high) && continues(2) ? 3 : 0;
    }
    if (is_between(lead, 0xF0, 0xF4)) {
        const std::uint32_t low = lead == 0xF0 ? 0x90 : 0x80;
        const std::uint32_t high = lead == 0xF4 ? 0x8F : 0xBF;
        return is_between(byte(1), low, high) && continues(2) && continues(3) ? 4 : 0;
    }
    return 0;
}

std::string printable(std::string_view text, std::size_t max_length) {
    std::string safe;
    while (!text.empty()) {
        const std::size_t length = utf8_character(text);
        const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
        const bool is_fine = length > 0 && !is_unsafe(code_point(character));
        const std::string shown = is_fine ? std::string(character) : escaped(character);
        if (safe.size() + shown.size() > max_length) {
            return safe + "…";
        }
        safe += shown;
        text.remove_prefix(character.size());
    }
    return safe;
}

bool may_hold_credentials(std::string_view text) {
    constexpr std::array<std::string_view, 4> k_marks = {"/t/", "%40", "%3A", "%3a"};
    // "pkg@" and "@mkl" are typing mistakes; a password has something on both sides.
    const bool has_at = text.size() > 2 && text.find('@', 1) < text.size() - 1;
    return has_at || text.starts_with("t/") ||
           std::ranges::any_of(k_marks, [&](std::string_view mark) {
               return text.find(mark) != std::string_view::npos;
           });
}

std::string quote_safely(std::string_view text, std::size_t max_length) {
    return may_hold_credentials(text) ? "(not shown: it may hold credentials)"
                                      : fmt::format("'{}'", printable(text, max_length));
}

}  // namespace chm
