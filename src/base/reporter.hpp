// Reporter: the edge through which stages say what they are doing. Stages emit events and never
// draw; the three faces (terminal, plain lines, JSON lines) live beside this file and are chosen in
// src/cli.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace chm {

enum class Unit { bytes, items };

/// Names a transfer for as long as it runs; unique within one Reporter's life, given out by the
/// stage.
using TransferId = std::uint64_t;

/// A stretch of work begins ("fetching indexes"). Phases do not nest; a new one ends the last.
struct PhaseBegan {
    std::string name;
    std::uint64_t expected_items = 0;  // 0: not known
    Unit unit = Unit::items;           // what PhaseAdvanced counts
};
struct PhaseAdvanced {
    std::uint64_t done = 0;  // items or bytes since PhaseBegan, absolute
};
struct PhaseEnded {
    std::string summary;  // one line for the log; may be empty
};

struct TransferBegan {
    TransferId id = 0;
    std::string label;                            // "conda-forge/linux-64/repodata.json.zst"
    std::optional<std::uint64_t> expected_bytes;  // none: not known yet
};
struct TransferMoved {
    TransferId id = 0;
    std::uint64_t bytes = 0;  // received so far, absolute; a retry may go back to 0
    std::optional<std::uint64_t> expected_bytes;  // set once the server has said it
};
enum class TransferOutcome { done, unchanged, missing, failed };
struct TransferEnded {
    TransferId id = 0;
    TransferOutcome outcome = TransferOutcome::done;
    std::uint64_t bytes = 0;
};

/// Trouble the run recovered from; shown in every mode, also with --quiet.
struct Warned {
    std::string message;
};
/// A line the user wants by default ("published snapshot …"); hidden by --quiet.
struct Noted {
    std::string message;
};
/// A line for -v.
struct Detailed {
    std::string message;
};

using Event = std::variant<PhaseBegan,
                           PhaseAdvanced,
                           PhaseEnded,
                           TransferBegan,
                           TransferMoved,
                           TransferEnded,
                           Warned,
                           Noted,
                           Detailed>;

/// Implementations are safe to call from several threads at once and never fail: progress cannot
/// break a run.
class Reporter {
public:
    Reporter() = default;
    Reporter(const Reporter&) = delete;
    Reporter& operator=(const Reporter&) = delete;
    virtual ~Reporter() = default;

    virtual void report(const Event& event) = 0;

    void warn(std::string message) { report(Warned{std::move(message)}); }
    void note(std::string message) { report(Noted{std::move(message)}); }
    void detail(std::string message) { report(Detailed{std::move(message)}); }
};

}  // namespace chm
