// Reporter for logs, pipes and CI: whole lines, no control characters, and a sign of life every ten
// seconds.
#pragma once

#include "base/clock.hpp"
#include "base/progress_state.hpp"
#include "base/reporter.hpp"
#include "base/reporter_output.hpp"

#include <mutex>
#include <string_view>

namespace chm {

class PlainReporter final : public Reporter {
public:
    /// `clock` must outlive the reporter.
    PlainReporter(ByteSink sink, const Clock& clock, Verbosity verbosity = Verbosity::normal);

    void report(const Event& event) override;

    /// Gives a phase that reports nothing its line of progress; call it now and then, from any
    /// thread.
    void tick();

private:
    void write_line(std::string_view text);
    void report_locked(const Event& event);
    void write_progress_if_due(SteadyTime now);

    std::mutex mutex_;
    ByteSink sink_;
    const Clock& clock_;
    Verbosity verbosity_;
    ProgressState state_;
    SteadyTime last_progress_;  // or when the phase began
};

}  // namespace chm
