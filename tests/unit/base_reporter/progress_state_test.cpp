// Rates, times left, and which transfers are worth showing.
#include "base/progress_state.hpp"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace chm;
using namespace std::chrono_literals;

constexpr SteadyTime k_start{std::chrono::hours(1)};
constexpr std::uint64_t k_most = std::numeric_limits<std::uint64_t>::max();

/// The value of an optional that must have one.
template <class T>
T known(const std::optional<T>& value) {
    CHECK(value.has_value());
    return value.value_or(T{});
}

PhaseView phase_at(const ProgressState& state, SteadyTime now) {
    return known(state.phase_view(now));
}

std::vector<std::string> labels(const ProgressView& view) {
    std::vector<std::string> result;
    result.reserve(view.transfers.size());
    for (const TransferView& transfer : view.transfers) {
        result.push_back(transfer.label);
    }
    return result;
}

constexpr std::array<std::uint64_t, 6> k_speeds = {600, 100, 500, 200, 300, 400};

/// One transfer for each speed, which is its label; ids count from 0.
void begin_transfers(ProgressState& state) {
    for (std::uint64_t id = 0; id < k_speeds.size(); ++id) {
        state.apply(TransferBegan{id, std::to_string(k_speeds.at(id)), {}}, k_start);
    }
}

void move_transfers(ProgressState& state, std::chrono::seconds after) {
    const auto seconds = static_cast<std::uint64_t>(after.count());
    for (std::uint64_t id = 0; id < k_speeds.size(); ++id) {
        state.apply(TransferMoved{id, k_speeds.at(id) * seconds, {}}, k_start + after);
    }
}

}  // namespace

TEST_CASE("RateMeter: no rate before half a second, then the average") {
    RateMeter meter(k_start);
    meter.set(1000, k_start + 400ms);
    CHECK_FALSE(meter.per_second(k_start + 400ms).has_value());
    meter.set(2000, k_start + 500ms);
    CHECK(known(meter.per_second(k_start + 500ms)) == doctest::Approx(4000));
}

TEST_CASE("RateMeter: forgets what is older than the window") {
    RateMeter meter(k_start);
    meter.set(1'000'000, k_start + 1s);
    for (std::uint64_t i = 1; i <= 100; ++i) {
        meter.set(1'000'000 + i * 10, k_start + 1s + i * 100ms);
    }
    CHECK(known(meter.per_second(k_start + 11s)) == doctest::Approx(100).epsilon(0.05));
}

TEST_CASE("RateMeter: a stall lowers the rate and ends at 0") {
    RateMeter meter(k_start);
    for (std::uint64_t i = 1; i <= 20; ++i) {
        meter.set(i * 100, k_start + i * 100ms);
    }
    const double before = known(meter.per_second(k_start + 2s));
    CHECK(before == doctest::Approx(1000));
    CHECK(known(meter.per_second(k_start + 4s)) == doctest::Approx(500));
    CHECK(known(meter.per_second(k_start + 6s)) == 0);
}

TEST_CASE("RateMeter: a step back is no movement, never a negative rate") {
    RateMeter meter(k_start);
    meter.set(5000, k_start + 1s);
    meter.set(0, k_start + 1100ms);
    CHECK(known(meter.per_second(k_start + 1100ms)) > 0);
    meter.set(1000, k_start + 2s);
    CHECK(known(meter.per_second(k_start + 2s)) == doctest::Approx(3000));
}

TEST_CASE("RateMeter: counters beyond all reason stay defined") {
    RateMeter meter(k_start);
    for (int i = 1; i <= 50; ++i) {
        meter.set(i % 2 == 0 ? 0 : k_most, k_start + i * 50ms);
        const auto rate = meter.per_second(k_start + i * 50ms);
        CHECK(rate.value_or(0) >= 0);
    }
    CHECK(meter.per_second(k_start).value_or(0) >= 0);  // a clock that went back
}

TEST_CASE("fraction: stays within 0 and 1") {
    CHECK(fraction(5, 0) == 0);
    CHECK(fraction(0, 10) == 0);
    CHECK(fraction(5, 10) == 0.5);
    CHECK(fraction(k_most, 10) == 1);
}

TEST_CASE("time_left: none without a rate or when absurd") {
    CHECK_FALSE(time_left(10, std::nullopt).has_value());
    CHECK_FALSE(time_left(10, 0.0).has_value());
    CHECK_FALSE(time_left(k_most, 1.0).has_value());
    CHECK(known(time_left(100, 10.0)) == 10s);
    CHECK(known(time_left(0, 10.0)) == 0s);
}

TEST_CASE("ProgressState: a phase of bytes has a rate and a time left") {
    ProgressState state;
    CHECK_FALSE(state.is_active());
    state.apply(PhaseBegan{"unpacking", 10'000, Unit::bytes}, k_start);
    CHECK_FALSE(phase_at(state, k_start).eta.has_value());
    state.apply(PhaseAdvanced{2000}, k_start + 2s);
    const PhaseView view = phase_at(state, k_start + 2s);
    CHECK(view.name == "unpacking");
    CHECK(view.done == 2000);
    CHECK(view.total == 10'000);
    CHECK(known(view.rate) == doctest::Approx(1000));
    CHECK(known(view.eta) == 8s);
}

TEST_CASE("ProgressState: items are timed by their average since the beginning") {
    ProgressState state;
    state.apply(PhaseBegan{"fetching", 4, Unit::items}, k_start);
    CHECK_FALSE(phase_at(state, k_start + 20s).eta.has_value());
    state.apply(PhaseAdvanced{1}, k_start + 20s);
    CHECK(known(phase_at(state, k_start + 20s).eta) == 60s);
    CHECK(known(phase_at(state, k_start + 30s).eta) == 90s);
    state.apply(PhaseAdvanced{9}, k_start + 31s);
    CHECK(known(phase_at(state, k_start + 31s).eta) == 0s);
}

TEST_CASE("ProgressState: a phase of items shows the speed of its transfers, retries included") {
    ProgressState state;
    state.apply(PhaseBegan{"fetching", 2, Unit::items}, k_start);
    state.apply(TransferBegan{1, "a", 5000}, k_start);
    state.apply(TransferMoved{1, 3000, {}}, k_start + 1s);
    state.apply(TransferMoved{1, 0, {}}, k_start + 1500ms);
    state.apply(TransferMoved{1, 1000, 4000}, k_start + 2s);
    const ProgressView view = state.view(k_start + 2s, 4);
    CHECK(known(view.phase).rate_unit == Unit::bytes);
    CHECK(known(known(view.phase).rate) == doctest::Approx(2000));
    REQUIRE(view.transfers.size() == 1);
    CHECK(view.transfers[0].bytes == 1000);
    CHECK(view.transfers[0].expected_bytes == 4000);
    CHECK(known(view.transfers[0].rate) == doctest::Approx(2000));
}

TEST_CASE("ProgressState: shows the slowest, in the order they began, for a second") {
    ProgressState state;
    state.apply(PhaseBegan{"fetching", 6, Unit::items}, k_start);
    begin_transfers(state);
    move_transfers(state, 2s);
    using Labels = std::vector<std::string>;
    CHECK(labels(state.view(k_start + 2s, 4)) == Labels{"100", "200", "300", "400"});

    move_transfers(state, 4s);
    state.apply(TransferMoved{1, 1'000'000, {}}, k_start + 4s);
    const Labels late = labels(state.view(k_start + 4s, 4));
    CHECK(late == Labels{"500", "200", "300", "400"});

    // Within the second the choice stands, whatever happens …
    state.apply(TransferMoved{3, 9'000'000, {}}, k_start + 4500ms);
    CHECK(labels(state.view(k_start + 4500ms, 4)) == late);
    // … but for one that ended: its place is given away at once.
    state.apply(TransferEnded{2, TransferOutcome::done, 2000}, k_start + 4600ms);
    CHECK(labels(state.view(k_start + 4600ms, 4)) == Labels{"600", "100", "300", "400"});
}

TEST_CASE("ProgressState: one that has no rate yet is not slow") {
    ProgressState state;
    state.apply(TransferBegan{1, "old", {}}, k_start);
    state.apply(TransferMoved{1, 1'000'000'000, {}}, k_start + 1s);
    state.apply(TransferBegan{2, "new", {}}, k_start + 1s);
    CHECK(labels(state.view(k_start + 1s, 1)) == std::vector<std::string>{"old"});
}

TEST_CASE("ProgressState: the end of a phase forgets its transfers") {
    ProgressState state;
    state.apply(PhaseBegan{"one", 0, Unit::items}, k_start);
    state.apply(TransferBegan{7, "x", {}}, k_start);
    CHECK(state.label(7) == "x");
    CHECK(state.began(7) == k_start);
    SUBCASE("said") {
        state.apply(PhaseEnded{}, k_start + 1s);
        CHECK_FALSE(state.is_active());
    }
    SUBCASE("implied by the next") {
        state.apply(PhaseBegan{"two", 0, Unit::items}, k_start + 1s);
        CHECK(phase_at(state, k_start + 1s).name == "two");
    }
    CHECK(state.label(7).empty());
    CHECK_FALSE(state.began(7).has_value());
    state.apply(TransferMoved{7, 10, {}}, k_start + 2s);
    state.apply(TransferEnded{7, TransferOutcome::done, 10}, k_start + 2s);
    CHECK(state.view(k_start + 2s, 4).transfers.empty());
}

TEST_CASE("ProgressState: messages and strays are ignored") {
    ProgressState state;
    state.apply(Warned{"w"}, k_start);
    state.apply(Noted{"n"}, k_start);
    state.apply(Detailed{"d"}, k_start);
    state.apply(PhaseAdvanced{3}, k_start);
    state.apply(PhaseEnded{"s"}, k_start);
    state.apply(TransferMoved{1, 2, 3}, k_start);
    CHECK_FALSE(state.is_active());
}

TEST_CASE("ProgressState: foreign names are made printable") {
    ProgressState state;
    state.apply(PhaseBegan{"a\x1b[2Jb", 0, Unit::items}, k_start);
    state.apply(TransferBegan{1, "c\nd", {}}, k_start);
    CHECK(phase_at(state, k_start).name == "a\\x1b[2Jb");
    CHECK(state.label(1) == "c\\x0ad");
}
