#include "cli/progress.hpp"

#include "base/clock.hpp"
#include "base/reporter_json.hpp"

#include <doctest/doctest.h>

TEST_CASE("progress: --json reports as JSON and a pipe never gets a terminal's face") {
    const chm::SystemClock clock;
    const chm::config::Environment environment =
        [](std::string_view name) -> std::optional<std::string> {
        return name == "TERM" ? std::optional<std::string>("xterm") : std::nullopt;
    };
    chm::cli::GlobalOptions options;
    options.quiet = true;
    options.json = true;
    const auto json = chm::cli::make_reporter(options, environment, clock);
    CHECK(dynamic_cast<chm::JsonReporter*>(json.get()) != nullptr);
    options.json = false;
    const auto plain = chm::cli::make_reporter(options, environment, clock);
    CHECK(dynamic_cast<chm::JsonReporter*>(plain.get()) == nullptr);
    plain->note("quiet: not shown");
}
