// Text helpers with no better home: nearest names for "did you mean", sizes and durations for
// people.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace chm {

/// The candidate a mistyped `word` most likely means: smallest edit distance (a swap of neighbours
/// counts 1), at most a third of the word's length; none otherwise. Ties go to the first candidate.
/// A word of more than 100 bytes has none.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// "; did you mean 'X'?" or "" : ready to append to a message.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// The pieces between separators, empty ones too; "" is one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);
/// Without ASCII white space at both ends.
std::string_view trim(std::string_view text);

/// "1.2 GB", "340 kB": powers of 1000, as download sizes are given.
std::string human_bytes(std::uint64_t bytes);
/// "850 ms", "12.3 s", "4 min 05 s", "2 h 10 min".
std::string human_duration(std::chrono::milliseconds duration);

/// How many bytes the well-formed UTF-8 character at the start of `text` has; 0 when there is none.
std::size_t utf8_character(std::string_view text);

/// Foreign text made safe for a terminal or a log: control characters (also those that turn the
/// direction of writing) and invalid UTF-8 become \xNN, cut at `max_length` bytes with "…".
std::string printable(std::string_view text, std::size_t max_length = 200);

/// Whether a text that should have been something else may be a URL with a password or token in it:
/// '@' (also encoded) or conda's "/t/".
[[nodiscard]] bool may_hold_credentials(std::string_view text);

/// Foreign text for a message: printable and in quotes, or, where it may hold credentials, only that
/// it is not shown.
std::string quote_safely(std::string_view text, std::size_t max_length = 200);

}  // namespace chm
