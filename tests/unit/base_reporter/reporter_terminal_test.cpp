// What a person sees: exact bytes for small scripts, and a little terminal for the rest.
#include "base/reporter_terminal.hpp"

#include "support/fake_clock.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace chm;
using namespace std::chrono_literals;

/// Understands what LiveArea may send and fails on anything else. Lines are kept as code points and
/// grow downwards without end; nothing wraps, since nothing may.
class Screen {
public:
    explicit Screen(std::size_t width) : width_(width) {}

    void feed(std::string_view bytes) {
        for (std::size_t at = 0; at < bytes.size(); ++at) {
            const char c = bytes[at];
            if (c == '\r') {
                column_ = 0;
            } else if (c == '\n') {
                column_ = 0;
                ++row_;
            } else if (c == '\x1b') {
                at = escape(bytes, at);
            } else {
                put(c);
            }
            lines_.resize(std::max(lines_.size(), row_ + 1));
        }
    }

    [[nodiscard]] std::vector<std::string> lines() const {
        std::vector<std::string> texts;
        for (const auto& line : lines_) {
            std::string text;
            for (const std::string& cell : line) {
                text += cell;
            }
            texts.push_back(text);
        }
        while (!texts.empty() && texts.back().empty()) {
            texts.pop_back();
        }
        return texts;
    }

private:
    void put(char c) {
        std::vector<std::string>& line = lines_.at(row_);
        if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) {
            line.at(column_ - 1) += c;
            return;
        }
        if (static_cast<unsigned char>(c) < 0x20 || c == '\x7F' || column_ >= width_) {
            FAIL("a control character, or a line beyond the width");
        }
        line.resize(std::max(line.size(), column_ + 1), " ");
        line.at(column_++) = std::string(1, c);
    }

    /// Returns the index of the last byte of the sequence.
    std::size_t escape(std::string_view bytes, std::size_t at) {
        const std::size_t end = bytes.find_first_not_of("0123456789", at + 2);
        REQUIRE(end != std::string_view::npos);
        const std::string number(bytes.substr(at + 2, end - at - 2));
        if (bytes[at + 1] != '[' || !obey(bytes[end], number)) {
            FAIL("an escape sequence that is not among the few allowed");
        }
        return end;
    }

    bool obey(char command, const std::string& number) {
        if (command == 'K' && number.empty()) {
            std::vector<std::string>& line = lines_.at(row_);
            line.resize(std::min(line.size(), column_));
            return true;
        }
        if (command == 'A' && !number.empty()) {
            const std::size_t rows = std::stoul(number);
            const bool is_on_screen = rows > 0 && rows <= row_;
            row_ -= is_on_screen ? rows : 0;
            return is_on_screen;
        }
        return command == 'm';
    }

    std::size_t width_;
    std::size_t row_ = 0;
    std::size_t column_ = 0;
    std::vector<std::vector<std::string>> lines_ = std::vector<std::vector<std::string>>(1);
};

struct Rig {
    unsigned width = 80;
    std::string bytes;
    int writes = 0;
    test::FakeClock clock;

    std::unique_ptr<TerminalReporter> reporter(Verbosity verbosity = Verbosity::normal,
                                               bool colour = false) {
        return std::make_unique<TerminalReporter>(
            [this](std::string_view more) {
                bytes += more;
                ++writes;
            },
            clock,
            TerminalReporter::Options{
                .verbosity = verbosity, .colour = colour, .width = [this] { return width; }});
    }
    /// What has been written since the last call.
    std::string take() { return std::exchange(bytes, {}); }
};

void transfer_often(TerminalReporter& reporter, test::FakeClock& clock, TransferId id) {
    for (std::uint64_t n = 0; n < 200; ++n) {
        reporter.report(TransferBegan{id, "label", 10});
        reporter.report(TransferMoved{id, n % 10, 10});
        clock.advance(3ms);
        reporter.tick();
        reporter.report(TransferEnded{id, TransferOutcome::done, 10});
    }
    reporter.note("thread is through");
}

}  // namespace

TEST_CASE("TerminalReporter: the bytes of a small run, 100 columns") {
    Rig rig;
    rig.width = 100;
    auto reporter = rig.reporter();
    reporter->report(PhaseBegan{"fetching indexes", 2, Unit::items});
    CHECK(rig.take() == "\rfetching indexes  [------------------------------]  0/2\x1b[K");
    reporter->report(TransferBegan{1, "noarch/repodata.json.zst", 1000});
    CHECK(rig.take().empty());
    rig.clock.advance(1s);
    reporter->report(TransferMoved{1, 500, 1000});
    CHECK(rig.take() ==
          "\rfetching indexes  [------------------------------]  0/2    500 B/s\x1b[K\n"
          "  noarch/repodata.json.zst                                      [#####-----]    500 B/s"
          "\x1b[K");
    reporter->warn("pytorch/noarch: retried");
    CHECK(rig.take() ==
          "\r\x1b[1A\x1b[K\n\x1b[K\x1b[1Awarning: pytorch/noarch: retried\n"
          "\rfetching indexes  [------------------------------]  0/2    500 B/s\x1b[K\n"
          "  noarch/repodata.json.zst                                      [#####-----]    500 B/s"
          "\x1b[K");
    rig.clock.advance(1s);
    reporter->report(TransferEnded{1, TransferOutcome::done, 1000});
    rig.clock.advance(1s);
    reporter->report(PhaseAdvanced{1});
    CHECK(rig.take() ==
          "\r\x1b[1Afetching indexes  [------------------------------]  0/2    500 B/s\x1b[K"
          "\n\x1b[K\x1b[1A"
          "\rfetching indexes  [###############---------------]  1/2    333 B/s  ETA 3 s\x1b[K");
    reporter->report(PhaseEnded{"2 indexes, 1 changed"});
    CHECK(rig.take() == "\r\x1b[K2 indexes, 1 changed\n");
    reporter.reset();
    CHECK(rig.take().empty());
}

TEST_CASE("TerminalReporter: the bytes of a small run, 40 columns, in colour") {
    Rig rig;
    rig.width = 40;
    auto reporter = rig.reporter(Verbosity::normal, true);
    reporter->report(PhaseBegan{"fetching indexes", 2, Unit::items});
    CHECK(rig.take() == "\rfetching indexes  \x1b[32m[--------------]\x1b[0m  0/2\x1b[K");
    reporter->report(TransferBegan{1, "conda-forge/noarch/repodata.json.zst", 1000});
    rig.clock.advance(1s);
    reporter->report(TransferMoved{1, 500, {}});
    CHECK(rig.take() ==
          "\rfetching indexes  \x1b[32m[--------------]\x1b[0m  0/2\x1b[K\n"
          "  conda-forge…ta.json.zst  \x1b[32m[#####-----]\x1b[0m\x1b[K");
    reporter->warn("careful");
    CHECK(rig.take().starts_with(
        "\r\x1b[1A\x1b[K\n\x1b[K\x1b[1A\x1b[33mwarning:\x1b[0m careful\n\rfetching"));
    reporter.reset();
    CHECK(rig.take() == "\r\x1b[1A\x1b[K\n\x1b[K\x1b[1A");
}

TEST_CASE("TerminalReporter: at most ten redraws a second, and none without news") {
    Rig rig;
    auto reporter = rig.reporter();
    reporter->report(PhaseBegan{"copying", 1'000'000, Unit::bytes});
    rig.writes = 0;
    for (std::uint64_t i = 1; i <= 1000; ++i) {
        rig.clock.advance(1ms);
        reporter->report(PhaseAdvanced{i * 1000});
    }
    CHECK(rig.writes == 10);
    rig.clock.advance(10s);
    reporter->tick();
    CHECK(rig.writes == 11);
    rig.clock.advance(1s);
    reporter->tick();
    CHECK(rig.writes == 11);
}

TEST_CASE("TerminalReporter: a tick shows a stall") {
    Rig rig;
    auto reporter = rig.reporter();
    reporter->report(PhaseBegan{"copying", 0, Unit::bytes});
    rig.clock.advance(1s);
    reporter->report(PhaseAdvanced{5000});
    CHECK(rig.take().ends_with("5.0 kB/s\x1b[K"));
    rig.clock.advance(5s);
    reporter->tick();
    CHECK(rig.take().ends_with(" 0 B/s\x1b[K"));
}

TEST_CASE("TerminalReporter: quiet shows warnings and no live area") {
    Rig rig;
    auto reporter = rig.reporter(Verbosity::quiet);
    reporter->report(PhaseBegan{"p", 3, Unit::items});
    rig.clock.advance(1s);
    reporter->report(PhaseAdvanced{1});
    reporter->tick();
    reporter->note("n");
    reporter->warn("w");
    reporter->report(PhaseEnded{"s"});
    reporter.reset();
    CHECK(rig.take() == "warning: w\n");
}

TEST_CASE("TerminalReporter: verbose tells of each transfer above the area") {
    Rig rig;
    auto reporter = rig.reporter(Verbosity::verbose);
    Screen screen(80);
    reporter->report(PhaseBegan{"p", 3, Unit::items});
    reporter->report(TransferBegan{1, "a", {}});
    rig.clock.advance(2s);
    reporter->report(TransferEnded{1, TransferOutcome::unchanged, 0});
    reporter->detail("d");
    screen.feed(rig.take());
    const std::vector<std::string> lines = screen.lines();
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] == "a: unchanged, 2.0 s");
    CHECK(lines[1] == "d");
    CHECK(lines[2].starts_with("p  ["));
}

TEST_CASE("TerminalReporter: at most four transfers are shown, and only messages stay") {
    Rig rig;
    auto reporter = rig.reporter();
    Screen screen(80);
    reporter->report(PhaseBegan{"one", 6, Unit::items});
    for (std::uint64_t id = 0; id < 6; ++id) {
        reporter->report(TransferBegan{id, "t" + std::to_string(id), {}});
    }
    rig.clock.advance(1s);
    reporter->note("first");
    screen.feed(rig.take());
    CHECK(screen.lines().size() == 1 + 1 + 4);
    reporter->report(PhaseBegan{"two", 0, Unit::items});
    screen.feed(rig.take());
    CHECK(screen.lines() == std::vector<std::string>{"first", "two  0"});
    reporter->report(PhaseEnded{"done"});
    reporter->report(PhaseBegan{"three", 0, Unit::items});
    reporter.reset();
    screen.feed(rig.take());
    CHECK(screen.lines() == std::vector<std::string>{"first", "done"});
}

TEST_CASE("TerminalReporter: no width, no function, no exception gets out") {
    const test::FakeClock clock;
    std::string bytes;
    TerminalReporter unsized([&](std::string_view more) { bytes += more; }, clock, {});
    unsized.report(PhaseBegan{std::string(100, 'n'), 0, Unit::items});
    CHECK(bytes.size() > 60);
    TerminalReporter broken([](std::string_view) { throw std::runtime_error("gone"); }, clock, {});
    broken.report(PhaseBegan{"p", 0, Unit::items});
    broken.warn("w");
}

TEST_CASE("TerminalReporter: no line is wider than the terminal, whatever it is told") {
    std::mt19937_64 random(11);
    const auto label = [&] {
        const std::vector<std::string> pieces = {
            "abc", "/", "ü", "漢", "\x1b[2J", "\r", "\n", "\xFF", "\xC2\x9B"};
        std::string text;
        for (std::uint64_t i = random() % 40; i > 0; --i) {
            text += pieces[random() % pieces.size()];
        }
        return text;
    };
    const auto number = [&] { return random() >> (random() % 64); };
    for (unsigned width = 1; width <= 200; ++width) {
        Rig rig;
        rig.width = width;
        auto reporter = rig.reporter(Verbosity::normal, width % 2 == 0);
        Screen screen(width);
        reporter->report(PhaseBegan{label(), number(), width % 3 == 0 ? Unit::bytes : Unit::items});
        for (int step = 0; step < 60; ++step) {
            rig.clock.advance(std::chrono::milliseconds(random() % 400));
            const TransferId id = random() % 7;
            switch (random() % 4) {
                case 0:
                    reporter->report(TransferBegan{id, label(), number()});
                    break;
                case 1:
                    reporter->report(TransferMoved{id, number(), number()});
                    break;
                case 2:
                    reporter->report(PhaseAdvanced{number()});
                    break;
                default:
                    reporter->report(TransferEnded{id, TransferOutcome::done, number()});
            }
            screen.feed(rig.take());
        }
        reporter.reset();
        screen.feed(rig.take());
        REQUIRE(screen.lines().empty());
    }
}

TEST_CASE("TerminalReporter: may be used from several threads at once") {
    Rig rig;
    auto reporter = rig.reporter();
    Screen screen(80);
    reporter->report(PhaseBegan{"p", 800, Unit::items});
    {
        const std::jthread one([&] { transfer_often(*reporter, rig.clock, 1); });
        const std::jthread two([&] { transfer_often(*reporter, rig.clock, 2); });
        const std::jthread three([&] { transfer_often(*reporter, rig.clock, 3); });
        transfer_often(*reporter, rig.clock, 4);
    }
    reporter.reset();
    screen.feed(rig.take());
    CHECK(screen.lines() == std::vector<std::string>(4, "thread is through"));
}
