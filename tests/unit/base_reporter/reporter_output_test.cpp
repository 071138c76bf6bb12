// The lines events leave in a log, and the way to a file descriptor.
#include "base/reporter_output.hpp"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace {

using namespace chm;
using namespace std::chrono_literals;

constexpr SteadyTime k_start{std::chrono::hours(1)};

std::optional<LogLine> line_of(const Event& event, Verbosity verbosity) {
    return log_line(event, verbosity, ProgressState(), k_start);
}

std::string warning_text(const std::string& message) {
    return line_of(Warned{message}, Verbosity::quiet).value_or(LogLine{}).text;
}

}  // namespace

TEST_CASE("log_line: each verbosity shows what it promises") {
    CHECK(line_of(Warned{"w"}, Verbosity::quiet) == LogLine{true, "w"});
    CHECK(line_of(Noted{"n"}, Verbosity::quiet) == std::nullopt);
    CHECK(line_of(PhaseEnded{"s"}, Verbosity::quiet) == std::nullopt);
    CHECK(line_of(Noted{"n"}, Verbosity::normal) == LogLine{false, "n"});
    CHECK(line_of(PhaseEnded{"s"}, Verbosity::normal) == LogLine{false, "s"});
    CHECK(line_of(PhaseEnded{""}, Verbosity::normal) == std::nullopt);
    CHECK(line_of(Detailed{"d"}, Verbosity::normal) == std::nullopt);
    CHECK(line_of(Detailed{"d"}, Verbosity::verbose) == LogLine{false, "d"});
    CHECK(line_of(PhaseAdvanced{1}, Verbosity::verbose) == std::nullopt);
}

TEST_CASE("log_line: an ended transfer is told by its label when verbose") {
    ProgressState state;
    state.apply(TransferBegan{1, "noarch/repodata.json", {}}, k_start);
    const TransferEnded end{1, TransferOutcome::done, 12'300'000};
    CHECK(log_line(end, Verbosity::normal, state, k_start + 3s) == std::nullopt);
    CHECK(log_line(end, Verbosity::verbose, state, k_start + 850ms) ==
          LogLine{false, "noarch/repodata.json: done, 12.3 MB, 850 ms"});
    CHECK(log_line(TransferEnded{1, TransferOutcome::missing, 0},
                   Verbosity::verbose,
                   state,
                   k_start + 20ms) == LogLine{false, "noarch/repodata.json: missing, 20 ms"});
    CHECK(
        log_line(TransferEnded{2, TransferOutcome::done, 1}, Verbosity::verbose, state, k_start) ==
        std::nullopt);
}

TEST_CASE("log_line: hostile text stays one line, long URLs stay whole") {
    CHECK(warning_text("a\r\n\x1b]0;title\x07") == "a\\x0d\\x0a\\x1b]0;title\\x07");
    const std::string url(2000, 'u');
    CHECK(warning_text(url) == url);
    CHECK(warning_text(std::string(1'000'000, 'x')).size() < 5000);
}

TEST_CASE("outcome_text: the four words of the JSON format") {
    CHECK(outcome_text(TransferOutcome::done) == "done");
    CHECK(outcome_text(TransferOutcome::unchanged) == "unchanged");
    CHECK(outcome_text(TransferOutcome::missing) == "missing");
    CHECK(outcome_text(TransferOutcome::failed) == "failed");
}

TEST_CASE("descriptor_sink: writes all of it, survives a closed descriptor") {
    std::array<int, 2> ends{};
    REQUIRE(pipe2(ends.data(), O_CLOEXEC) == 0);
    descriptor_sink(ends[1])("two\nlines\n");
    std::array<char, 64> buffer{};
    const ssize_t got = read(ends[0], buffer.data(), buffer.size());
    REQUIRE(got == 10);
    CHECK(std::string(buffer.data(), 10) == "two\nlines\n");
    close(ends[0]);
    close(ends[1]);
    descriptor_sink(-1)("lost");
}

TEST_CASE("shielded: drops what the body throws") {
    bool ran = false;
    shielded([&] {
        ran = true;
        throw std::runtime_error("a sink of somebody's making");
    });
    CHECK(ran);
}
