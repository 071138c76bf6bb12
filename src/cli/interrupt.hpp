// Ctrl-C and SIGTERM as a stop_token. A thread of its own waits for the signals, so nothing runs in
// a signal handler.
#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace chm::cli {

/// Made first in main, before any other thread: they inherit the blocked signals. The first signal
/// requests a stop, and the run ends by itself. When it does not within 0.8 s (a solve cannot be
/// interrupted), or at a second signal, the process exits at once: everything on disk is made so
/// that a kill at any moment is harmless.
class InterruptWatch {
public:
    InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;
    ~InterruptWatch();

    [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }
    /// The signal that came, 0 if none.
    [[nodiscard]] int signal() const { return signal_.load(); }

private:
    void watch(const std::stop_token& ended);

    sigset_t signals_{};
    std::stop_source stop_;
    std::atomic<int> signal_ = 0;
    std::jthread watcher_;  // last: uses the others
};

}  // namespace chm::cli
