// Clock: the edge to time. Stages that need the time of day or wait take one, so tests need not
// sleep.
#pragma once

#include <chrono>
#include <string>

namespace chm {

using WallTime = std::chrono::sys_seconds;  // UTC
using SteadyTime = std::chrono::steady_clock::time_point;

class Clock {
public:
    Clock() = default;
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;
    virtual ~Clock() = default;

    [[nodiscard]] virtual WallTime wall() const = 0;
    [[nodiscard]] virtual SteadyTime steady() const = 0;
};

class SystemClock final : public Clock {
public:
    [[nodiscard]] WallTime wall() const override;
    [[nodiscard]] SteadyTime steady() const override;
};

/// "2026-11-30T23:45:14Z", whatever the locale or time zone.
[[nodiscard]] std::string utc_text(WallTime time);
/// "20261130T234514Z": sorts as text, safe in file names.
[[nodiscard]] std::string utc_compact(WallTime time);

}  // namespace chm
