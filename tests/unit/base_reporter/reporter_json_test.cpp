// Events as JSON lines.
#include "base/reporter_json.hpp"

#include "base/json.hpp"
#include "base/text.hpp"
#include "support/fake_clock.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace chm;
using namespace std::chrono_literals;

Json parsed_line(std::string_view line) {
    const Result<Json> json = parse_json(line);
    REQUIRE(json.has_value());
    return *json;
}

struct Log {
    std::string text;
    test::FakeClock clock;

    ByteSink sink() {
        return [this](std::string_view bytes) { text += bytes; };
    }
    [[nodiscard]] std::vector<Json> parsed() const {
        std::vector<Json> lines;
        for (const std::string_view line : split(text, '\n')) {
            if (!line.empty()) {
                lines.push_back(parsed_line(line));
            }
        }
        return lines;
    }
    [[nodiscard]] std::size_t count(std::string_view event) const {
        std::size_t found = 0;
        for (const Json& line : parsed()) {
            found += line.text("event") == event ? 1U : 0U;
        }
        return found;
    }
};

}  // namespace

TEST_CASE("JsonReporter: the exact line of each event") {
    Log log;
    JsonReporter reporter(log.sink(), log.clock, Verbosity::verbose);
    reporter.report(PhaseBegan{"fetching", 2, Unit::items});
    reporter.report(PhaseBegan{"copying", 0, Unit::bytes});
    reporter.report(TransferBegan{3, "noarch/x", 200});
    reporter.report(TransferMoved{3, 100, 200});
    log.clock.advance(1s);
    reporter.report(TransferEnded{3, TransferOutcome::done, 123});
    reporter.report(PhaseAdvanced{7});
    reporter.report(PhaseEnded{"copied"});
    reporter.warn("w");
    reporter.note("n");
    reporter.detail("d");
    const std::string first = R"({"v":1,"event":")";
    const std::string at0 = R"(","time":"2026-11-30T12:00:00Z",)";
    const std::string at1 = R"(","time":"2026-11-30T12:00:01Z",)";
    CHECK(log.text ==
          first + "phase_began" + at0 + R"("name":"fetching","unit":"items","expected":2})" + "\n" +
              first + "phase_began" + at0 + R"("name":"copying","unit":"bytes"})" + "\n" + first +
              "transfer_began" + at0 + R"("id":3,"label":"noarch/x","expected_bytes":200})" + "\n" +
              first + "transfer_moved" + at0 + R"("id":3,"bytes":100,"expected_bytes":200})" +
              "\n" + first + "transfer_ended" + at1 + R"("id":3,"outcome":"done","bytes":123})" +
              "\n" + first + "phase_advanced" + at1 + R"("done":7})" + "\n" + first +
              "phase_ended" + at1 + R"("summary":"copied"})" + "\n" + first + "warned" + at1 +
              R"("message":"w"})" + "\n" + first + "noted" + at1 + R"("message":"n"})" + "\n" +
              first + "detailed" + at1 + R"("message":"d"})" + "\n");
}

TEST_CASE("JsonReporter: quiet leaves the warnings, normal all but details") {
    Log quiet;
    JsonReporter quiet_reporter(quiet.sink(), quiet.clock, Verbosity::quiet);
    Log normal;
    JsonReporter normal_reporter(normal.sink(), normal.clock);
    const std::vector<Event> events = {
        PhaseBegan{"p", 0, Unit::items}, Warned{"w"}, Noted{"n"}, Detailed{"d"}, PhaseEnded{""}};
    for (const Event& event : events) {
        quiet_reporter.report(event);
        normal_reporter.report(event);
    }
    REQUIRE(quiet.parsed().size() == 1);
    CHECK(quiet.count("warned") == 1);
    CHECK(normal.parsed().size() == 4);
    CHECK(normal.count("detailed") == 0);
}

TEST_CASE("JsonReporter: at most four moves a second, for each transfer by itself") {
    Log log;
    JsonReporter reporter(log.sink(), log.clock);
    reporter.report(TransferBegan{1, "a", {}});
    reporter.report(TransferBegan{2, "b", {}});
    for (std::uint64_t i = 0; i < 100; ++i) {
        reporter.report(TransferMoved{1, i, {}});
        reporter.report(TransferMoved{2, i, {}});
        log.clock.advance(10ms);
    }
    CHECK(log.count("transfer_moved") == 8);
    reporter.report(TransferMoved{99, 1, {}});  // never began
    reporter.report(TransferEnded{1, TransferOutcome::done, 99});
    log.clock.advance(1s);
    reporter.report(TransferMoved{1, 100, {}});  // ended
    CHECK(log.count("transfer_moved") == 8);
}

TEST_CASE("JsonReporter: of advances the last before an end is always written") {
    Log log;
    JsonReporter reporter(log.sink(), log.clock);
    reporter.report(PhaseBegan{"p", 500, Unit::items});
    for (std::uint64_t i = 1; i <= 500; ++i) {
        reporter.report(PhaseAdvanced{i});
    }
    reporter.report(PhaseEnded{""});
    const std::vector<Json> lines = log.parsed();
    REQUIRE(lines.size() == 4);
    CHECK(*lines[1].find("done")->as_integer() == 1);
    CHECK(*lines[2].find("done")->as_integer() == 500);
    CHECK(lines[3].text("event") == "phase_ended");
}

TEST_CASE("JsonReporter: hostile text and numbers still parse, one line each") {
    Log log;
    JsonReporter reporter(log.sink(), log.clock, Verbosity::verbose);
    std::string hostile = "\"\\\xFF\xC2";
    for (int byte = 0; byte < 256; ++byte) {
        hostile += static_cast<char>(byte);
    }
    constexpr std::uint64_t k_most = std::numeric_limits<std::uint64_t>::max();
    reporter.report(PhaseBegan{hostile, k_most, Unit::bytes});
    reporter.report(PhaseAdvanced{k_most});
    reporter.report(TransferBegan{k_most, hostile, k_most});
    reporter.report(TransferMoved{k_most, k_most, k_most});
    reporter.report(TransferEnded{k_most, TransferOutcome::failed, k_most});
    reporter.warn(hostile);
    reporter.note(hostile);
    reporter.detail(hostile);
    reporter.report(PhaseEnded{hostile});
    CHECK(log.parsed().size() == 9);
    CHECK(log.text.find('\x1b') == std::string::npos);
}
