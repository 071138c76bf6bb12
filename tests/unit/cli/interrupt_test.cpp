// Signals end processes: each case runs in a child and looks at how it ended.
#include "cli/interrupt.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

using namespace std::chrono_literals;

struct Ended {
    int code = -1;
    std::chrono::milliseconds after{0};
};

/// Runs `body` in a child that watches for interrupts, sends `signals` once it is ready, and waits.
Ended interrupt_child(const std::function<int(const chm::cli::InterruptWatch&)>& body,
                      const std::vector<int>& signals) {
    int ready[2] = {-1, -1};
    REQUIRE(pipe(ready) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        for (const int signal : {SIGINT, SIGTERM}) {
            std::signal(signal, SIG_DFL);
        }
        const chm::cli::InterruptWatch watch;
        static_cast<void>(write(ready[1], "r", 1));
        _exit(body(watch));
    }
    char byte = 0;
    REQUIRE(read(ready[0], &byte, 1) == 1);
    close(ready[0]);
    close(ready[1]);
    const auto begun = std::chrono::steady_clock::now();
    for (const int signal : signals) {
        kill(child, signal);
        std::this_thread::sleep_for(200ms);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                                  begun)};
}

}  // namespace

TEST_CASE("interrupt: a signal requests a stop and is remembered") {
    const auto stops = [](const chm::cli::InterruptWatch& watch) {
        while (!watch.token().stop_requested()) {
            std::this_thread::sleep_for(1ms);
        }
        return watch.signal();
    };
    CHECK(interrupt_child(stops, {SIGINT}).code == SIGINT);
    CHECK(interrupt_child(stops, {SIGTERM}).code == SIGTERM);
}

TEST_CASE("interrupt: work that does not stop is ended within a second") {
    const auto goes_on = [](const chm::cli::InterruptWatch&) {
        std::this_thread::sleep_for(30s);
        return 0;
    };
    const Ended ended = interrupt_child(goes_on, {SIGINT});
    CHECK(ended.code == 130);
    CHECK(ended.after >= 700ms);
    CHECK(ended.after < 5s);  // a second on a machine that is not busy
}

TEST_CASE("interrupt: a second signal ends at once") {
    const auto goes_on = [](const chm::cli::InterruptWatch&) {
        std::this_thread::sleep_for(30s);
        return 0;
    };
    CHECK(interrupt_child(goes_on, {SIGTERM, SIGTERM}).code == 143);
}

TEST_CASE("interrupt: an ignored signal stays ignored, as under nohup") {
    const auto ignores = [](const chm::cli::InterruptWatch& watch) {
        std::this_thread::sleep_for(300ms);
        return watch.signal();
    };
    std::signal(SIGHUP, SIG_IGN);  // the child inherits it
    const Ended ended = interrupt_child(ignores, {SIGHUP});
    std::signal(SIGHUP, SIG_DFL);
    CHECK(ended.code == 0);
}
