// Lines for a log.
#include "base/reporter_plain.hpp"

#include "base/progress_layout.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace chm {

namespace {

constexpr auto k_progress_interval = std::chrono::seconds(10);

}  // namespace

PlainReporter::PlainReporter(ByteSink sink, const Clock& clock, Verbosity verbosity)
    : sink_(std::move(sink)), clock_(clock), verbosity_(verbosity) {}

void PlainReporter::report(const Event& event) {
    shielded([&] {
        const std::lock_guard lock(mutex_);
        report_locked(event);
    });
}

void PlainReporter::tick() {
    shielded([&] {
        const std::lock_guard lock(mutex_);
        write_progress_if_due(clock_.steady());
    });
}

void PlainReporter::report_locked(const Event& event) {
    const SteadyTime now = clock_.steady();
    if (const std::optional<LogLine> line = log_line(event, verbosity_, state_, now)) {
        write_line(line->is_warning ? "warning: " + line->text : line->text);
    }
    state_.apply(event, now);
    if (std::holds_alternative<PhaseBegan>(event)) {
        last_progress_ = now;
        if (const std::optional<PhaseView> phase = state_.phase_view(now);
            phase && !phase->name.empty() && verbosity_ != Verbosity::quiet) {
            write_line(phase->name + " ...");
        }
        return;
    }
    write_progress_if_due(now);
}

void PlainReporter::write_progress_if_due(SteadyTime now) {
    if (verbosity_ == Verbosity::quiet || now - last_progress_ < k_progress_interval) {
        return;
    }
    if (const std::optional<PhaseView> phase = state_.phase_view(now)) {
        last_progress_ = now;
        write_line(progress_sentence(*phase));
    }
}

void PlainReporter::write_line(std::string_view text) {
    std::string line(text);
    line += '\n';
    sink_(line);
}

}  // namespace chm
