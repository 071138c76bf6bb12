// Rates, times left and the choice of transfers worth a line.
#include "base/progress_state.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

namespace chm {

namespace {

using namespace std::chrono_literals;

constexpr auto k_rate_window = 4s;
constexpr auto k_sample_spacing = 200ms;
constexpr auto k_shortest_measure = 500ms;
constexpr auto k_choice_lasts = 1s;
constexpr double k_longest_eta_seconds = 4.0 * 24 * 3600;

double seconds_between(SteadyTime from, SteadyTime to) {
    return std::chrono::duration<double>(to - from).count();
}

/// What the phase will count when it is through, as far as anybody said.
std::uint64_t left_of(std::uint64_t done, std::uint64_t total) {
    return total > done ? total - done : 0;
}

}  // namespace

RateMeter::RateMeter(SteadyTime began) : samples_{{began, 0}}, last_gain_(began) {}

void RateMeter::set(std::uint64_t total, SteadyTime now) {
    if (total > total_) {
        gained_ += static_cast<double>(total - total_);
        last_gain_ = now;
    }
    total_ = total;
    if (now - samples_.back().at >= k_sample_spacing) {
        samples_.push_back({now, gained_});
    }
    // The newest sample from before the window stays: it is what the rate is measured from.
    while (samples_.size() > 1 && now - samples_[1].at >= k_rate_window) {
        samples_.pop_front();
    }
}

std::optional<double> RateMeter::per_second(SteadyTime now) const {
    if (now - last_gain_ >= k_rate_window) {
        return 0;
    }
    const Sample* from = &samples_.front();
    for (const Sample& sample : samples_) {
        if (now - sample.at >= k_rate_window) {
            from = &sample;
        }
    }
    if (now - from->at < k_shortest_measure) {
        return std::nullopt;
    }
    return (gained_ - from->gained) / seconds_between(from->at, now);
}

double fraction(std::uint64_t done, std::uint64_t total) {
    if (total == 0) {
        return 0;
    }
    return done >= total ? 1 : static_cast<double>(done) / static_cast<double>(total);
}

std::optional<std::chrono::seconds> time_left(std::uint64_t left, std::optional<double> rate) {
    if (!rate || *rate <= 0) {
        return std::nullopt;
    }
    const double seconds = static_cast<double>(left) / *rate;
    if (seconds > k_longest_eta_seconds) {
        return std::nullopt;
    }
    return std::chrono::seconds(static_cast<std::int64_t>(seconds + 0.5));
}

void ProgressState::apply(const Event& event, SteadyTime now) {
    std::visit(
        [&](const auto& known) {
            using Known = std::decay_t<decltype(known)>;
            if constexpr (!std::is_same_v<Known, Warned> && !std::is_same_v<Known, Noted> &&
                          !std::is_same_v<Known, Detailed>) {
                on(known, now);
            }
        },
        event);
}

void ProgressState::on(const PhaseBegan& event, SteadyTime now) {
    if (phase_) {
        on(PhaseEnded{}, now);
    }
    phase_.emplace(Phase{event, 0, now, RateMeter(now), RateMeter(now), 0});
    phase_->event.name = printable(event.name);
}

void ProgressState::on(const PhaseAdvanced& event, SteadyTime now) {
    if (phase_) {
        phase_->done = event.done;
        phase_->units.set(event.done, now);
    }
}

void ProgressState::on(const PhaseEnded& /*event*/, SteadyTime /*now*/) {
    phase_.reset();
    transfers_.clear();
    shown_.clear();
}

void ProgressState::on(const TransferBegan& event, SteadyTime now) {
    transfers_.insert_or_assign(
        event.id,
        Transfer{
            printable(event.label), 0, event.expected_bytes, now, next_order_++, RateMeter(now)});
}

void ProgressState::on(const TransferMoved& event, SteadyTime now) {
    const auto found = transfers_.find(event.id);
    if (found == transfers_.end()) {
        return;
    }
    if (event.expected_bytes) {
        found->second.expected_bytes = event.expected_bytes;
    }
    move(found->second, event.bytes, now);
}

void ProgressState::on(const TransferEnded& event, SteadyTime now) {
    const auto found = transfers_.find(event.id);
    if (found == transfers_.end()) {
        return;
    }
    // A body that came from a cache was never announced by TransferMoved and is no traffic.
    if (found->second.bytes > 0) {
        move(found->second, event.bytes, now);
    }
    transfers_.erase(found);
}

void ProgressState::move(Transfer& transfer, std::uint64_t bytes, SteadyTime now) {
    if (phase_ && bytes > transfer.bytes) {
        const std::uint64_t room =
            std::numeric_limits<std::uint64_t>::max() - phase_->transferred_bytes;
        phase_->transferred_bytes += std::min(bytes - transfer.bytes, room);
        phase_->transferred.set(phase_->transferred_bytes, now);
    }
    transfer.bytes = bytes;
    transfer.rate.set(bytes, now);
}

std::optional<PhaseView> ProgressState::phase_view(SteadyTime now) const {
    if (!phase_) {
        return std::nullopt;
    }
    PhaseView view{.name = phase_->event.name,
                   .unit = phase_->event.unit,
                   .done = phase_->done,
                   .total = phase_->event.expected_items,
                   .rate = phase_->units.per_second(now),
                   .rate_unit = phase_->event.unit,
                   .eta = std::nullopt};
    std::optional<double> eta_rate = view.rate;
    if (view.unit == Unit::items) {
        // Items come in lumps, often none within the window: the average since the beginning tells
        // more.
        const double elapsed = seconds_between(phase_->began, now);
        eta_rate.reset();
        if (view.done > 0 && now - phase_->began >= k_shortest_measure) {
            eta_rate = static_cast<double>(view.done) / elapsed;
        }
    }
    if (view.total > 0) {
        view.eta = time_left(left_of(view.done, view.total), eta_rate);
    }
    if (view.unit == Unit::items && phase_->transferred_bytes > 0) {
        view.rate = phase_->transferred.per_second(now);
        view.rate_unit = Unit::bytes;
    }
    return view;
}

ProgressView ProgressState::view(SteadyTime now, std::size_t max_transfers) {
    choose_shown(now, max_transfers);
    ProgressView result{.phase = phase_view(now), .transfers = {}};
    for (const TransferId id : shown_) {
        const Transfer& transfer = transfers_.at(id);
        result.transfers.push_back({.label = transfer.label,
                                    .bytes = transfer.bytes,
                                    .expected_bytes = transfer.expected_bytes,
                                    .rate = transfer.rate.per_second(now)});
    }
    return result;
}

void ProgressState::choose_shown(SteadyTime now, std::size_t max_transfers) {
    std::erase_if(shown_, [this](TransferId id) { return !transfers_.contains(id); });
    const std::size_t wanted = std::min(max_transfers, transfers_.size());
    if (shown_.size() == wanted && chosen_at_ && now - *chosen_at_ < k_choice_lasts) {
        return;
    }
    struct Candidate {
        double rate = 0;
        std::uint64_t order = 0;
        TransferId id = 0;
    };
    std::vector<Candidate> candidates;
    candidates.reserve(transfers_.size());
    for (const auto& [id, transfer] : transfers_) {
        // One too young to have a rate is not slow yet.
        const double rate =
            transfer.rate.per_second(now).value_or(std::numeric_limits<double>::infinity());
        candidates.push_back({rate, transfer.order, id});
    }
    std::ranges::sort(
        candidates, {}, [](const Candidate& c) { return std::pair(c.rate, c.order); });
    candidates.resize(wanted);
    std::ranges::sort(candidates, {}, &Candidate::order);
    shown_.clear();
    for (const Candidate& candidate : candidates) {
        shown_.push_back(candidate.id);
    }
    chosen_at_ = now;
}

std::string ProgressState::label(TransferId id) const {
    const auto found = transfers_.find(id);
    return found == transfers_.end() ? std::string() : found->second.label;
}

std::optional<SteadyTime> ProgressState::began(TransferId id) const {
    const auto found = transfers_.find(id);
    return found == transfers_.end() ? std::nullopt : std::optional(found->second.began);
}

}  // namespace chm
