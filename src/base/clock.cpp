// The system's clocks, and times as text without the C library's locale and time zone.
#include "base/clock.hpp"

#include <fmt/format.h>

namespace chm {

namespace {

struct Fields {
    int year;
    unsigned month;
    unsigned day;
    long hour;
    long minute;
    long second;
};

Fields fields_of(WallTime time) {
    const auto midnight = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date{midnight};
    const std::chrono::hh_mm_ss clock{time - midnight};
    return {int{date.year()},
            unsigned{date.month()},
            unsigned{date.day()},
            clock.hours().count(),
            clock.minutes().count(),
            clock.seconds().count()};
}

}  // namespace

WallTime SystemClock::wall() const {
    return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

SteadyTime SystemClock::steady() const {
    return std::chrono::steady_clock::now();
}

std::string utc_text(WallTime time) {
    const Fields at = fields_of(time);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
                       at.year,
                       at.month,
                       at.day,
                       at.hour,
                       at.minute,
                       at.second);
}

std::string utc_compact(WallTime time) {
    const Fields at = fields_of(time);
    return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z",
                       at.year,
                       at.month,
                       at.day,
                       at.hour,
                       at.minute,
                       at.second);
}

}  // namespace chm
