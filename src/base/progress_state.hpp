// What a run's progress amounts to: events in, numbers out. Knows nothing of terminals; the faces
// of Reporter draw what view() returns. Not thread-safe: each face holds one under its own mutex.
#pragma once

#include "base/clock.hpp"
#include "base/reporter.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace chm {

/// Speed of an absolute counter, averaged over the last four seconds. Steps back (a retry) count as
/// no movement, so a rate is never negative; a counter that stands still falls to 0.
class RateMeter {
public:
    explicit RateMeter(SteadyTime began);

    void set(std::uint64_t total, SteadyTime now);
    /// Units per second; none until half a second has been seen.
    [[nodiscard]] std::optional<double> per_second(SteadyTime now) const;

private:
    struct Sample {
        SteadyTime at;
        double gained = 0;
    };

    std::deque<Sample> samples_;  // oldest first, never empty, spaced by k_sample_spacing
    SteadyTime last_gain_;
    double gained_ = 0;  // a double, since retries may add up beyond any integer
    std::uint64_t total_ = 0;
};

/// done / total within 0..1; 0 when the total is 0.
[[nodiscard]] double fraction(std::uint64_t done, std::uint64_t total);

/// Time for `left` more units at `rate` a second; none when that is not known or beyond four days.
[[nodiscard]] std::optional<std::chrono::seconds> time_left(std::uint64_t left,
                                                            std::optional<double> rate);

struct PhaseView {
    std::string name;
    Unit unit = Unit::items;
    std::uint64_t done = 0;
    std::uint64_t total = 0;  // 0: not known
    std::optional<double> rate;
    Unit rate_unit = Unit::items;  // bytes also for a phase of items, once its transfers move
    std::optional<std::chrono::seconds> eta;
};

struct TransferView {
    std::string label;
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> expected_bytes;
    std::optional<double> rate;
};

struct ProgressView {
    std::optional<PhaseView> phase;
    std::vector<TransferView> transfers;  // in the order they began
};

class ProgressState {
public:
    /// Takes in phase and transfer events and ignores the rest. The end of a phase forgets its
    /// transfers; news of a transfer that is not running is ignored.
    void apply(const Event& event, SteadyTime now);

    [[nodiscard]] bool is_active() const { return phase_.has_value() || !transfers_.empty(); }

    /// The phase and the `max_transfers` slowest transfers. The choice of transfers is kept for a
    /// second, lest lines jump about; that is why this is not const.
    [[nodiscard]] ProgressView view(SteadyTime now, std::size_t max_transfers);
    [[nodiscard]] std::optional<PhaseView> phase_view(SteadyTime now) const;

    /// What a running transfer is called, fit for a terminal; empty when it is not running.
    [[nodiscard]] std::string label(TransferId id) const;
    [[nodiscard]] std::optional<SteadyTime> began(TransferId id) const;

private:
    struct Phase {
        PhaseBegan event;
        std::uint64_t done = 0;
        SteadyTime began;
        RateMeter units;
        RateMeter transferred;
        std::uint64_t transferred_bytes = 0;
    };
    struct Transfer {
        std::string label;
        std::uint64_t bytes = 0;
        std::optional<std::uint64_t> expected_bytes;
        SteadyTime began;
        std::uint64_t order = 0;
        RateMeter rate;
    };

    void on(const PhaseBegan& event, SteadyTime now);
    void on(const PhaseAdvanced& event, SteadyTime now);
    void on(const PhaseEnded& event, SteadyTime now);
    void on(const TransferBegan& event, SteadyTime now);
    void on(const TransferMoved& event, SteadyTime now);
    void on(const TransferEnded& event, SteadyTime now);

    void move(Transfer& transfer, std::uint64_t bytes, SteadyTime now);
    void choose_shown(SteadyTime now, std::size_t max_transfers);

    std::optional<Phase> phase_;
    std::map<TransferId, Transfer> transfers_;
    std::uint64_t next_order_ = 0;
    std::vector<TransferId> shown_;
    std::optional<SteadyTime> chosen_at_;
};

}  // namespace chm
