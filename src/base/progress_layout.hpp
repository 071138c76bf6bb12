// Progress as text: pure functions from numbers and a width to lines. Widths are counted in code
// points; text that comes in has passed printable() (base/text.hpp), so it holds no control
// characters.
#pragma once

#include "base/progress_state.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chm {

enum class Ink { plain, bar, faint };

/// A stretch of a line in one colour.
struct Span {
    Ink ink = Ink::plain;
    std::string text;

    bool operator==(const Span&) const = default;
};
using Line = std::vector<Span>;

/// Code points in `text`.
[[nodiscard]] std::size_t count_columns(std::string_view text);
[[nodiscard]] std::size_t count_columns(const Line& line);

/// `text`, or its two ends around a "…" when it is longer than `columns`.
[[nodiscard]] std::string cut_middle(std::string_view text, std::size_t columns);

/// "[###---]", `columns` wide with its brackets; empty below 3 columns. Full only when the fraction
/// is 1.
[[nodiscard]] std::string bar_text(double fraction, std::size_t columns);

/// "3.4 MB/s", "120/s"; empty when the rate is not known.
[[nodiscard]] std::string rate_text(std::optional<double> rate, Unit unit);

/// "ETA 1 min 20 s"; empty when not known. Whole seconds: tenths would only flicker.
[[nodiscard]] std::string eta_text(std::optional<std::chrono::seconds> eta);

/// The live area: the phase, then its transfers, no line wider than `columns`.
[[nodiscard]] std::vector<Line> lay_out(const ProgressView& view, std::size_t columns);

/// The same phase for a log: "fetching indexes: 3 of 12, 3.4 MB/s, ETA 20 s".
[[nodiscard]] std::string progress_sentence(const PhaseView& phase);

}  // namespace chm
