// Lines for a log: which, when, and with nothing in them that moves a cursor.
#include "base/reporter_plain.hpp"

#include "support/fake_clock.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

namespace {

using namespace chm;
using namespace std::chrono_literals;

struct Log {
    std::string text;
    test::FakeClock clock;

    ByteSink sink() {
        return [this](std::string_view bytes) { text += bytes; };
    }
};

void note_often(PlainReporter& reporter) {
    for (int n = 0; n < 200; ++n) {
        reporter.note("0123456789");
        reporter.tick();
    }
}

void run_script(PlainReporter& reporter, test::FakeClock& clock) {
    reporter.report(PhaseBegan{"fetching indexes", 2, Unit::items});
    reporter.report(TransferBegan{1, "noarch/repodata.json", 1000});
    clock.advance(2s);
    reporter.report(TransferMoved{1, 1000, 1000});
    reporter.warn("retried once");
    reporter.report(TransferEnded{1, TransferOutcome::done, 1000});
    reporter.report(PhaseAdvanced{1});
    reporter.detail("a detail");
    reporter.report(PhaseEnded{"2 indexes, 1 changed"});
    reporter.note("published");
}

}  // namespace

TEST_CASE("PlainReporter: one line for what matters") {
    Log log;
    PlainReporter reporter(log.sink(), log.clock);
    run_script(reporter, log.clock);
    CHECK(log.text ==
          "fetching indexes ...\n"
          "warning: retried once\n"
          "2 indexes, 1 changed\n"
          "published\n");
}

TEST_CASE("PlainReporter: quiet leaves the warnings, verbose adds transfers and details") {
    Log quiet;
    PlainReporter quiet_reporter(quiet.sink(), quiet.clock, Verbosity::quiet);
    run_script(quiet_reporter, quiet.clock);
    quiet.clock.advance(1h);
    quiet_reporter.tick();
    CHECK(quiet.text == "warning: retried once\n");

    Log verbose;
    PlainReporter verbose_reporter(verbose.sink(), verbose.clock, Verbosity::verbose);
    run_script(verbose_reporter, verbose.clock);
    CHECK(verbose.text ==
          "fetching indexes ...\n"
          "warning: retried once\n"
          "noarch/repodata.json: done, 1.0 kB, 2.0 s\n"
          "a detail\n"
          "2 indexes, 1 changed\n"
          "published\n");
}

TEST_CASE("PlainReporter: a long phase gives one line of progress every ten seconds") {
    Log log;
    PlainReporter reporter(log.sink(), log.clock);
    log.clock.advance(1min);
    reporter.report(PhaseBegan{"hashing", 100'000, Unit::bytes});
    for (std::uint64_t i = 1; i <= 250; ++i) {
        log.clock.advance(100ms);
        reporter.report(PhaseAdvanced{i * 100});
    }
    CHECK(log.text ==
          "hashing ...\n"
          "hashing: 10.0 kB of 100 kB, 1.0 kB/s, ETA 1 min 30 s\n"
          "hashing: 20.0 kB of 100 kB, 1.0 kB/s, ETA 1 min 20 s\n");
    log.text.clear();
    log.clock.advance(4s);
    reporter.tick();
    CHECK(log.text.empty());
    log.clock.advance(1s);
    reporter.tick();
    CHECK(log.text == "hashing: 25.0 kB of 100 kB, 0 B/s\n");
    reporter.report(PhaseEnded{});
    log.clock.advance(1h);
    reporter.tick();
    CHECK(std::ranges::count(log.text, '\n') == 1);
}

TEST_CASE("PlainReporter: never a control character but the newline") {
    Log log;
    PlainReporter reporter(log.sink(), log.clock, Verbosity::verbose);
    std::string hostile;
    for (int byte = 0; byte < 256; ++byte) {
        hostile += static_cast<char>(byte);
    }
    hostile +=
        "\x1b[31m\xC2\x9B"
        "2J";
    reporter.report(PhaseBegan{hostile, 3, Unit::items});
    reporter.report(TransferBegan{1, hostile, {}});
    reporter.report(TransferEnded{1, TransferOutcome::failed, 1});
    log.clock.advance(11s);
    reporter.report(PhaseAdvanced{1});
    reporter.warn(hostile);
    reporter.note(hostile);
    reporter.detail(hostile);
    reporter.report(PhaseEnded{hostile});
    CHECK(std::ranges::count(log.text, '\n') == 7);
    CHECK(std::ranges::none_of(log.text, [](char c) {
        return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F;
    }));
    CHECK(log.text.find("\xC2\x9B") == std::string::npos);  // C1 CSI, an ESC[ to some terminals
}

TEST_CASE("PlainReporter: a sink that throws loses the line and no more") {
    const test::FakeClock clock;
    PlainReporter reporter([](std::string_view) { throw std::runtime_error("full"); }, clock);
    reporter.warn("x");
    reporter.tick();
    CHECK(true);
}

TEST_CASE("PlainReporter: lines of several threads do not mix") {
    Log log;
    PlainReporter reporter(log.sink(), log.clock);
    {
        const std::jthread one([&] { note_often(reporter); });
        const std::jthread two([&] { note_often(reporter); });
        const std::jthread three([&] { note_often(reporter); });
        note_often(reporter);
    }
    std::string expected;
    for (int i = 0; i < 800; ++i) {
        expected += "0123456789\n";
    }
    CHECK(log.text == expected);
}
