// A Clock that stands still until a test moves it. Safe to read and move from several threads.
#pragma once

#include "base/clock.hpp"

#include <atomic>
#include <chrono>

namespace chm::test {

class FakeClock final : public Clock {
public:
    /// 2026-11-30T12:00:00Z, unless a test says otherwise.
    static constexpr std::chrono::seconds k_default_wall{1'796'040'000};

    [[nodiscard]] WallTime wall() const override {
        return WallTime(std::chrono::floor<std::chrono::seconds>(Step(wall_.load())));
    }
    [[nodiscard]] SteadyTime steady() const override { return SteadyTime(Step(steady_.load())); }

    void set_wall(WallTime time) { wall_ = Step(time.time_since_epoch()).count(); }
    void set_steady(SteadyTime time) {
        steady_ = std::chrono::floor<Step>(time.time_since_epoch()).count();
    }

    /// Both clocks move on, as they do in life.
    void advance(std::chrono::milliseconds step) {
        wall_ += step.count();
        steady_ += step.count();
    }

private:
    using Step = std::chrono::milliseconds;
    std::atomic<Step::rep> wall_{Step(k_default_wall).count()};
    std::atomic<Step::rep> steady_{Step(std::chrono::hours(1)).count()};
};

}  // namespace chm::test
