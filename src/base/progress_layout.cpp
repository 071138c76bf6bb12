// Which figures fit a line, and where. Fields have fixed widths, so that a line does not shift as
// its figures change.
#include "base/progress_layout.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace chm {

namespace {

constexpr std::size_t k_gap = 2;
constexpr std::size_t k_bytes_columns = 7;  // "12.3 MB"
constexpr std::size_t k_rate_columns = 9;   // "12.3 MB/s"
constexpr std::size_t k_eta_columns = 15;   // "ETA 59 min 59 s"
constexpr std::size_t k_smallest_bar = 10;
constexpr std::size_t k_largest_bar = 32;
constexpr std::size_t k_name_columns = 16;  // what a phase's name may have before any figure
constexpr std::size_t k_indent = 2;
constexpr std::size_t k_smallest_label = 16;
constexpr std::size_t k_largest_label = 60;
constexpr std::size_t k_transfer_bar = 12;

bool starts_code_point(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

/// Offset of the code point number `index`; the size of the text when there are no more.
std::size_t offset_of(std::string_view text, std::size_t index) {
    std::size_t seen = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (starts_code_point(text[at]) && seen++ == index) {
            return at;
        }
    }
    return text.size();
}

std::string pad_left(const std::string& text, std::size_t columns) {
    const std::size_t have = count_columns(text);
    return have >= columns ? text : std::string(columns - have, ' ') + text;
}

std::string pad_right(const std::string& text, std::size_t columns) {
    const std::size_t have = count_columns(text);
    return have >= columns ? text : text + std::string(columns - have, ' ');
}

std::string count_field(const PhaseView& phase) {
    if (phase.unit == Unit::bytes) {
        const std::string done = pad_left(human_bytes(phase.done), k_bytes_columns);
        return phase.total == 0 ? done : done + " / " + human_bytes(phase.total);
    }
    if (phase.total == 0) {
        return std::to_string(phase.done);
    }
    const std::string total = std::to_string(phase.total);
    return pad_left(std::to_string(phase.done), total.size()) + "/" + total;
}

/// Hands out the columns of one line to its fields.
class Room {
public:
    explicit Room(std::size_t columns) : left_(columns) {}

    /// A field with the gap before it, whole or not at all.
    bool take(std::size_t columns) {
        if (left_ < columns + k_gap) {
            return false;
        }
        left_ -= columns + k_gap;
        return true;
    }
    /// As many of `columns` as there are.
    std::size_t take_up_to(std::size_t columns) {
        const std::size_t given = std::min(columns, left_);
        left_ -= given;
        return given;
    }

private:
    std::size_t left_;
};

void append_field(Line& line, Ink ink, std::string text) {
    line.push_back({Ink::plain, std::string(k_gap, ' ')});
    line.push_back({ink, std::move(text)});
}

/// Blanks at the end would be written in vain.
void trim_end(Line& line) {
    while (!line.empty()) {
        std::string& text = line.back().text;
        text.erase(text.find_last_not_of(' ') + 1);
        if (!text.empty()) {
            return;
        }
        line.pop_back();
    }
}

Line phase_line(const PhaseView& phase, std::size_t columns) {
    Room room(columns);
    const std::size_t whole_name = count_columns(phase.name);
    std::size_t name = room.take_up_to(std::min(whole_name, std::max(k_name_columns, columns / 3)));

    // In the order of what a reader misses most.
    const std::string count = count_field(phase);
    const bool has_total = phase.total > 0;
    const bool shows_count = room.take(count_columns(count));
    const bool shows_bar = has_total && room.take(k_smallest_bar);
    const bool shows_eta = has_total && room.take(k_eta_columns);
    const bool shows_rate = room.take(k_rate_columns);
    name += room.take_up_to(whole_name - name);

    Line line{{Ink::plain, cut_middle(phase.name, name)}};
    if (shows_bar) {
        const std::size_t bar = k_smallest_bar + room.take_up_to(k_largest_bar - k_smallest_bar);
        append_field(line, Ink::bar, bar_text(fraction(phase.done, phase.total), bar));
    }
    if (shows_count) {
        append_field(line, Ink::plain, count);
    }
    if (shows_rate) {
        append_field(
            line, Ink::plain, pad_left(rate_text(phase.rate, phase.rate_unit), k_rate_columns));
    }
    if (shows_eta) {
        append_field(line, Ink::plain, eta_text(phase.eta));
    }
    trim_end(line);
    return line;
}

Line transfer_line(const TransferView& transfer, std::size_t columns) {
    Room room(columns);
    const std::size_t indent = columns > k_smallest_label ? room.take_up_to(k_indent) : 0;
    std::size_t label = room.take_up_to(k_smallest_label);
    const bool shows_progress = room.take(k_transfer_bar);
    const bool shows_rate = room.take(k_rate_columns);
    label += room.take_up_to(k_largest_label - k_smallest_label);

    Line line{{Ink::plain, std::string(indent, ' ')},
              {Ink::plain, pad_right(cut_middle(transfer.label, label), label)}};
    const std::uint64_t expected = transfer.expected_bytes.value_or(0);
    if (shows_progress && expected > 0) {
        append_field(line, Ink::bar, bar_text(fraction(transfer.bytes, expected), k_transfer_bar));
    } else if (shows_progress) {
        append_field(line, Ink::plain, pad_left(human_bytes(transfer.bytes), k_transfer_bar));
    }
    if (shows_rate) {
        append_field(
            line, Ink::faint, pad_left(rate_text(transfer.rate, Unit::bytes), k_rate_columns));
    }
    trim_end(line);
    return line;
}

/// The last word on width: figures beyond all reason are cut rather than wrapped.
void clip(Line& line, std::size_t columns) {
    std::size_t left = columns;
    for (Span& span : line) {
        span.text.resize(offset_of(span.text, left));
        left -= count_columns(span.text);
    }
}

}  // namespace

std::size_t count_columns(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, starts_code_point));
}

std::size_t count_columns(const Line& line) {
    std::size_t columns = 0;
    for (const Span& span : line) {
        columns += count_columns(span.text);
    }
    return columns;
}

std::string cut_middle(std::string_view text, std::size_t columns) {
    const std::size_t whole = count_columns(text);
    if (whole <= columns) {
        return std::string(text);
    }
    if (columns == 0) {
        return {};
    }
    // The odd column goes to the end: file names tell more than channels.
    const std::size_t head = (columns - 1) / 2;
    const std::size_t tail = columns - 1 - head;
    std::string cut(text.substr(0, offset_of(text, head)));
    cut += "…";
    cut += text.substr(offset_of(text, whole - tail));
    return cut;
}

std::string bar_text(double fraction, std::size_t columns) {
    if (columns < 3) {
        return {};
    }
    const std::size_t inner = columns - 2;
    const double share = std::clamp(fraction, 0.0, 1.0);
    const auto filled = static_cast<std::size_t>(std::floor(share * static_cast<double>(inner)));
    return '[' + std::string(filled, '#') + std::string(inner - filled, '-') + ']';
}

std::string rate_text(std::optional<double> rate, Unit unit) {
    constexpr double k_absurd = 1e18;  // keeps the conversion below defined
    if (!rate) {
        return {};
    }
    const double shown = std::clamp(*rate, 0.0, k_absurd);
    if (unit == Unit::bytes) {
        return human_bytes(static_cast<std::uint64_t>(shown)) + "/s";
    }
    return shown < 10 ? fmt::format("{:.1f}/s", shown) : fmt::format("{:.0f}/s", shown);
}

std::string eta_text(std::optional<std::chrono::seconds> eta) {
    if (!eta) {
        return {};
    }
    const auto seconds = eta->count();
    if (seconds < 60) {
        return fmt::format("ETA {} s", seconds);
    }
    if (seconds < 3600) {
        return fmt::format("ETA {} min {:02} s", seconds / 60, seconds % 60);
    }
    return fmt::format("ETA {} h {:02} min", seconds / 3600, seconds / 60 % 60);
}

std::vector<Line> lay_out(const ProgressView& view, std::size_t columns) {
    std::vector<Line> lines;
    if (view.phase) {
        lines.push_back(phase_line(*view.phase, columns));
    }
    for (const TransferView& transfer : view.transfers) {
        lines.push_back(transfer_line(transfer, columns));
    }
    for (Line& line : lines) {
        clip(line, columns);
    }
    return lines;
}

std::string progress_sentence(const PhaseView& phase) {
    const auto amount = [&](std::uint64_t value) {
        return phase.unit == Unit::bytes ? human_bytes(value) : std::to_string(value);
    };
    std::string sentence = phase.name + ": " + amount(phase.done);
    if (phase.total > 0) {
        sentence += " of " + amount(phase.total);
    }
    for (const std::string& figure :
         {rate_text(phase.rate, phase.rate_unit), eta_text(phase.eta)}) {
        if (!figure.empty()) {
            sentence += ", " + figure;
        }
    }
    return sentence;
}

}  // namespace chm
