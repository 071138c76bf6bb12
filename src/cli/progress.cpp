#include "cli/progress.hpp"

#include "base/reporter_json.hpp"
#include "base/reporter_output.hpp"
#include "base/reporter_plain.hpp"
#include "base/reporter_terminal.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>

namespace chm::cli {
namespace {

constexpr std::chrono::milliseconds k_tick{200};

unsigned terminal_width() {
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/// Forwards to a face that draws by time, and ticks it so that a stall shows.
template <class Face>
class TickingReporter final : public Reporter {
public:
    template <class... Arguments>
    explicit TickingReporter(Arguments&&... arguments)
        : face_(std::forward<Arguments>(arguments)...),
          ticker_([this](const std::stop_token& stop) { tick_until(stop); }) {}

    void report(const Event& event) override { face_.report(event); }

private:
    void tick_until(const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any wake;
        std::unique_lock lock(mutex);
        while (!wake.wait_for(lock, stop, k_tick, [&] { return stop.stop_requested(); })) {
            face_.tick();
        }
    }

    Face face_;
    std::jthread ticker_;  // last: joined before the face goes
};

Verbosity verbosity_of(const GlobalOptions& options) {
    if (options.quiet) {
        return Verbosity::quiet;
    }
    return options.verbose ? Verbosity::verbose : Verbosity::normal;
}

}  // namespace

std::unique_ptr<Reporter> make_reporter(const GlobalOptions& options,
                                        const config::Environment& environment,
                                        const Clock& clock) {
    const Verbosity verbosity = verbosity_of(options);
    const ByteSink sink = descriptor_sink(STDERR_FILENO);
    if (options.json) {
        return std::make_unique<JsonReporter>(sink, clock, verbosity);
    }
    const auto terminal = environment("TERM");
    const bool can_draw =
        isatty(STDERR_FILENO) == 1 && terminal && !terminal->empty() && *terminal != "dumb";
    if (!can_draw || options.no_progress) {
        return std::make_unique<TickingReporter<PlainReporter>>(sink, clock, verbosity);
    }
    const auto no_color = environment("NO_COLOR");
    const bool colour =
        options.color == "always" || (options.color == "auto" && (!no_color || no_color->empty()));
    return std::make_unique<TickingReporter<TerminalReporter>>(
        sink, clock, TerminalReporter::Options{verbosity, colour, terminal_width});
}

}  // namespace chm::cli
