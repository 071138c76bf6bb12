// The lines that stay, and the way to a file descriptor.
#include "base/reporter_output.hpp"

#include "base/text.hpp"

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <unistd.h>
#include <variant>

namespace chm {

namespace {

constexpr std::size_t k_longest_message = 4000;

struct LineOf {
    Verbosity verbosity;
    const ProgressState& state;
    SteadyTime now;

    using Maybe = std::optional<LogLine>;

    Maybe operator()(const Warned& event) const {
        return LogLine{true, safe_message(event.message)};
    }
    Maybe operator()(const Noted& event) const {
        return line_from(Verbosity::normal, safe_message(event.message));
    }
    Maybe operator()(const Detailed& event) const {
        return line_from(Verbosity::verbose, safe_message(event.message));
    }
    Maybe operator()(const PhaseEnded& event) const {
        return line_from(Verbosity::normal, safe_message(event.summary));
    }
    Maybe operator()(const TransferEnded& event) const {
        const std::optional<SteadyTime> began = state.began(event.id);
        if (!began || verbosity < Verbosity::verbose) {
            return std::nullopt;
        }
        std::string text = state.label(event.id) + ": " + std::string(outcome_text(event.outcome));
        if (event.bytes > 0) {
            text += ", " + human_bytes(event.bytes);
        }
        text += ", " +
                human_duration(std::chrono::duration_cast<std::chrono::milliseconds>(now - *began));
        return LogLine{false, text};
    }
    Maybe operator()(const auto& /*other*/) const { return std::nullopt; }

private:
    [[nodiscard]] Maybe line_from(Verbosity needed, std::string text) const {
        if (verbosity < needed || text.empty()) {
            return std::nullopt;
        }
        return LogLine{false, std::move(text)};
    }
};

void write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return;
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace

ByteSink descriptor_sink(int descriptor) {
    return [descriptor](std::string_view bytes) { write_all(descriptor, bytes); };
}

std::optional<LogLine> log_line(const Event& event,
                                Verbosity verbosity,
                                const ProgressState& state,
                                SteadyTime now) {
    return std::visit(LineOf{verbosity, state, now}, event);
}

std::string safe_message(std::string_view text) {
    return printable(text, k_longest_message);
}

std::string_view outcome_text(TransferOutcome outcome) {
    switch (outcome) {
        case TransferOutcome::done:
            return "done";
        case TransferOutcome::unchanged:
            return "unchanged";
        case TransferOutcome::missing:
            return "missing";
        case TransferOutcome::failed:
            return "failed";
    }
    return "unknown";
}

}  // namespace chm
