#include "cli/interrupt.hpp"

#include <chrono>
#include <ctime>
#include <unistd.h>

namespace chm::cli {
namespace {

constexpr timespec k_poll{0, 50'000'000};
constexpr std::chrono::milliseconds k_grace{800};

}  // namespace

InterruptWatch::InterruptWatch() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction inherited {};
        sigaction(signal, nullptr, &inherited);
        if (inherited.sa_handler !=
            SIG_IGN) {  // nohup, and jobs that a script runs in the background
            sigaddset(&signals_, signal);
        }
    }
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, nullptr);  // a closed pipe is a write error with a message
    sigaction(SIGXFSZ, &ignore, nullptr);  // so is a file-size limit
    watcher_ = std::jthread([this](const std::stop_token& ended) { watch(ended); });
}

InterruptWatch::~InterruptWatch() = default;

void InterruptWatch::watch(const std::stop_token& ended) {
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
    while (!ended.stop_requested()) {
        const int signal = sigtimedwait(&signals_, nullptr, &k_poll);
        const bool second = signal > 0 && signal_.load() != 0;
        if (second || std::chrono::steady_clock::now() > deadline) {
            _exit(128 + signal_.load());
        }
        if (signal > 0) {
            signal_ = signal;
            deadline = std::chrono::steady_clock::now() + k_grace;
            stop_.request_stop();
        }
    }
}

}  // namespace chm::cli
