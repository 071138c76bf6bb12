// When to draw, and in which colours.
#include "base/reporter_terminal.hpp"

#include "base/progress_layout.hpp"

#include <chrono>
#include <utility>
#include <variant>

namespace chm {

namespace {

constexpr auto k_draw_interval = std::chrono::milliseconds(100);
constexpr std::size_t k_transfers_shown = 4;
constexpr unsigned k_default_width = 80;

constexpr const char* k_green = "\x1b[32m";
constexpr const char* k_yellow = "\x1b[33m";
constexpr const char* k_faint = "\x1b[2m";
constexpr const char* k_reset = "\x1b[0m";

std::string coloured(const Span& span) {
    switch (span.ink) {
        case Ink::plain:
            return span.text;
        case Ink::bar:
            return k_green + span.text + k_reset;
        case Ink::faint:
            return k_faint + span.text + k_reset;
    }
    return span.text;
}

}  // namespace

TerminalReporter::TerminalReporter(ByteSink sink, const Clock& clock, Options options)
    : sink_(std::move(sink)), clock_(clock), options_(std::move(options)) {}

TerminalReporter::~TerminalReporter() {
    shielded([&] {
        const std::lock_guard lock(mutex_);
        write(area_.clear(width()));
    });
}

void TerminalReporter::report(const Event& event) {
    shielded([&] {
        const std::lock_guard lock(mutex_);
        report_locked(event);
    });
}

void TerminalReporter::tick() {
    shielded([&] {
        const std::lock_guard lock(mutex_);
        redraw_if_due(clock_.steady());
    });
}

void TerminalReporter::report_locked(const Event& event) {
    const SteadyTime now = clock_.steady();
    const std::optional<LogLine> line = log_line(event, options_.verbosity, state_, now);
    state_.apply(event, now);
    if (!state_.is_active()) {
        write(area_.clear(width()));
    }
    if (line) {
        write(area_.print_above(text_of(*line), width()));
    }
    if (std::holds_alternative<PhaseBegan>(event)) {
        redraw(now);
    } else {
        redraw_if_due(now);
    }
}

void TerminalReporter::redraw_if_due(SteadyTime now) {
    if (!last_draw_ || now - *last_draw_ >= k_draw_interval) {
        redraw(now);
    }
}

void TerminalReporter::redraw(SteadyTime now) {
    if (options_.verbosity == Verbosity::quiet || !state_.is_active()) {
        return;
    }
    last_draw_ = now;
    const std::size_t columns = width();
    write(area_.draw(rows(now, columns), columns));
}

std::vector<LiveArea::Row> TerminalReporter::rows(SteadyTime now, std::size_t width) {
    std::vector<LiveArea::Row> rows;
    // The last column stays free: terminals differ in where the cursor is once it is filled.
    for (const Line& line : lay_out(state_.view(now, k_transfers_shown), width - 1)) {
        LiveArea::Row row{{}, count_columns(line)};
        for (const Span& span : line) {
            row.bytes += options_.colour ? coloured(span) : span.text;
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string TerminalReporter::text_of(const LogLine& line) const {
    if (!line.is_warning) {
        return line.text;
    }
    const std::string prefix = "warning:";
    return (options_.colour ? k_yellow + prefix + k_reset : prefix) + " " + line.text;
}

std::size_t TerminalReporter::width() const {
    const unsigned width = options_.width ? options_.width() : 0;
    return width == 0 ? k_default_width : width;
}

void TerminalReporter::write(const std::string& bytes) {
    if (!bytes.empty()) {
        sink_(bytes);
    }
}

}  // namespace chm
