// Reporter for a person at a terminal: messages scroll by, progress is redrawn below them. No
// thread of its own: it draws when something is reported, or when tick() is called.
#pragma once

#include "base/clock.hpp"
#include "base/progress_state.hpp"
#include "base/reporter.hpp"
#include "base/reporter_live_area.hpp"
#include "base/reporter_output.hpp"

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace chm {

class TerminalReporter final : public Reporter {
public:
    struct Options {
        Verbosity verbosity = Verbosity::normal;  // quiet: warnings only, no live area
        bool colour = false;
        std::function<unsigned()> width;  // columns of the terminal now; 0 or no function: 80
    };

    /// `clock` must outlive the reporter.
    TerminalReporter(ByteSink sink, const Clock& clock, Options options);
    TerminalReporter(const TerminalReporter&) = delete;
    TerminalReporter& operator=(const TerminalReporter&) = delete;
    /// Removes the live area.
    ~TerminalReporter() override;

    /// Redraws at most ten times a second, and at the start of a phase. Messages are written at
    /// once and whole: the terminal wraps those that are wider than it.
    void report(const Event& event) override;

    /// Redraws when due, so that a stall shows; call it a few times a second, from any thread.
    void tick();

private:
    void report_locked(const Event& event);
    void redraw(SteadyTime now);
    void redraw_if_due(SteadyTime now);
    [[nodiscard]] std::vector<LiveArea::Row> rows(SteadyTime now, std::size_t width);
    [[nodiscard]] std::string text_of(const LogLine& line) const;
    [[nodiscard]] std::size_t width() const;
    void write(const std::string& bytes);

    std::mutex mutex_;
    ByteSink sink_;
    const Clock& clock_;
    Options options_;
    ProgressState state_;
    LiveArea area_;
    std::optional<SteadyTime> last_draw_;
};

}  // namespace chm
