// What the faces of Reporter share: where bytes go, how much is wanted, and the lines that stay in
// a log.
#pragma once

#include "base/clock.hpp"
#include "base/progress_state.hpp"
#include "base/reporter.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace chm {

/// Takes bytes in the order they are to appear. Called under the reporter's mutex: it must not
/// report in turn.
using ByteSink = std::function<void(std::string_view)>;

/// Writes to an open file descriptor; bytes that cannot be written are lost, for progress cannot
/// break a run.
[[nodiscard]] ByteSink descriptor_sink(int descriptor);

enum class Verbosity { quiet, normal, verbose };

struct LogLine {
    bool is_warning = false;
    std::string text;  // no control characters, no newline; a warning's has not the word "warning"

    bool operator==(const LogLine&) const = default;
};

/// The line an event leaves behind, if any: messages, summaries of phases and, when verbose, ended
/// transfers. `state` must not have seen the event yet: an end is told by the name of what ends.
[[nodiscard]] std::optional<LogLine> log_line(const Event& event,
                                              Verbosity verbosity,
                                              const ProgressState& state,
                                              SteadyTime now);

/// Foreign text for a log line or a JSON string, bounded generously: URLs in warnings are wanted
/// whole.
[[nodiscard]] std::string safe_message(std::string_view text);

[[nodiscard]] std::string_view outcome_text(TransferOutcome outcome);

/// Runs `body` and drops what it throws (no memory, a sink of a caller's making).
template <class Body>
void shielded(const Body& body) noexcept {
    try {
        body();
    } catch (...) {
        return;
    }
}

}  // namespace chm
