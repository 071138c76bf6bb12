// Lines of progress at every width.
#include "base/progress_layout.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace chm;
using namespace std::chrono_literals;

std::string text_of(const Line& line) {
    std::string text;
    for (const Span& span : line) {
        text += span.text;
    }
    return text;
}

std::string texts(const ProgressView& view, std::size_t columns) {
    std::string result;
    for (const Line& line : lay_out(view, columns)) {
        result += text_of(line) + "\n";
    }
    return result;
}

ProgressView sample() {
    return {.phase = PhaseView{.name = "fetching indexes",
                               .unit = Unit::items,
                               .done = 3,
                               .total = 12,
                               .rate = 3'400'000,
                               .rate_unit = Unit::bytes,
                               .eta = 80s},
            .transfers = {{"conda-forge/linux-64/repodata.json.zst", 20, 40, 1'200'000},
                          {"pytorch/noarch/repodata.json", 340'000, std::nullopt, std::nullopt}}};
}

}  // namespace

TEST_CASE("count_columns: code points, not bytes") {
    CHECK(count_columns("") == 0);
    CHECK(count_columns("abc") == 3);
    CHECK(count_columns("Grüße…") == 6);
    CHECK(count_columns(Line{{Ink::bar, "ü"}, {Ink::plain, "ab"}}) == 3);
}

TEST_CASE("cut_middle: keeps both ends, the later one longer") {
    CHECK(cut_middle("abcdef", 6) == "abcdef");
    CHECK(cut_middle("abcdef", 5) == "ab…ef");
    CHECK(cut_middle("abcdef", 4) == "a…ef");
    CHECK(cut_middle("abcdef", 2) == "…f");
    CHECK(cut_middle("abcdef", 1) == "…");
    CHECK(cut_middle("abcdef", 0).empty());
    CHECK(cut_middle("äöüßéè", 4) == "ä…éè");
}

TEST_CASE("bar_text: as wide as asked, full only at the end") {
    CHECK(bar_text(0, 7) == "[-----]");
    CHECK(bar_text(0.5, 8) == "[###---]");
    CHECK(bar_text(0.999, 7) == "[####-]");
    CHECK(bar_text(1, 7) == "[#####]");
    CHECK(bar_text(7, 7) == "[#####]");
    CHECK(bar_text(-1, 7) == "[-----]");
    CHECK(bar_text(0.5, 2).empty());
}

TEST_CASE("rate_text and eta_text: short, empty when not known") {
    CHECK(rate_text(std::nullopt, Unit::bytes).empty());
    CHECK(rate_text(3'400'000, Unit::bytes) == "3.4 MB/s");
    CHECK(rate_text(1.25, Unit::items) == "1.2/s");
    CHECK(rate_text(120.4, Unit::items) == "120/s");
    CHECK(rate_text(-5, Unit::items) == "0.0/s");
    CHECK(eta_text(std::nullopt).empty());
    CHECK(eta_text(20s) == "ETA 20 s");
    CHECK(eta_text(80s) == "ETA 1 min 20 s");
    CHECK(eta_text(65s) == "ETA 1 min 05 s");
    CHECK(eta_text(7800s) == "ETA 2 h 10 min");
}

TEST_CASE("lay_out: fields leave in order of worth as the width shrinks") {
    CHECK(
        texts(sample(), 99) ==
        "fetching indexes  [#######-----------------------]   3/12   3.4 MB/s  ETA 1 min 20 s\n"
        "  conda-forge/linux-64/repodata.json.zst                        [#####-----]   1.2 MB/s\n"
        "  pytorch/noarch/repodata.json                                        340 kB\n");
    CHECK(texts(sample(), 60) ==
          "fetching indexes  [####------------]   3/12  ETA 1 min 20 s\n"
          "  conda-forge/linu…epodata.json.zst  [#####-----]   1.2 MB/s\n"
          "  pytorch/noarch/repodata.json             340 kB\n");
    CHECK(texts(sample(), 39) ==
          "fetching indexes  [###---------]   3/12\n"
          "  conda-forge…ta.json.zst  [#####-----]\n"
          "  pytorch/noa…podata.json        340 kB\n");
    CHECK(texts(sample(), 10) == "fetc…dexes\ncond…n.zst\npyto….json\n");
    CHECK(texts(sample(), 0) == "\n\n\n");
}

TEST_CASE("lay_out: bytes with and without a total") {
    ProgressView view{.phase = PhaseView{.name = "copying",
                                         .unit = Unit::bytes,
                                         .done = 12'300'000,
                                         .total = 1'200'000'000,
                                         .rate = 1000,
                                         .rate_unit = Unit::bytes,
                                         .eta = std::nullopt},
                      .transfers = {}};
    CHECK(texts(view, 79) == "copying  [----------------------]  12.3 MB / 1.2 GB   1.0 kB/s\n");
    PhaseView unknown_total = view.phase.value_or(PhaseView{});
    unknown_total.total = 0;
    view.phase = unknown_total;
    CHECK(texts(view, 79) == "copying  12.3 MB   1.0 kB/s\n");
}

TEST_CASE("lay_out: nothing to show is no line") {
    CHECK(lay_out({}, 80).empty());
}

TEST_CASE("lay_out: a line does not shift as its figures change") {
    ProgressView view = sample();
    const std::string before = texts(view, 79);
    PhaseView changed = view.phase.value_or(PhaseView{});
    changed.rate = std::nullopt;
    changed.eta = 9s;
    view.phase = changed;
    const std::string after = texts(view, 79);
    CHECK(before.find(']') == after.find(']'));
    CHECK(before.find("ETA") == after.find("ETA"));
}

TEST_CASE("lay_out: no line is wider than asked, whatever the figures") {
    std::mt19937_64 random(7);
    const std::vector<std::string> pieces = {"a", "ü", "…", "漢", "/", "-1.2_", "\xF0\x9F\x90\x8D"};
    const auto name = [&] {
        std::string text;
        for (std::uint64_t i = random() % 60; i > 0; --i) {
            text += pieces[random() % pieces.size()];
        }
        return text;
    };
    const auto number = [&] { return random() >> (random() % 64); };
    for (std::size_t columns = 0; columns <= 200; ++columns) {
        for (int round = 0; round < 20; ++round) {
            const Unit unit = random() % 2 == 0 ? Unit::bytes : Unit::items;
            const ProgressView view{
                .phase = PhaseView{.name = name(),
                                   .unit = unit,
                                   .done = number(),
                                   .total = number(),
                                   .rate = static_cast<double>(number()),
                                   .rate_unit = unit,
                                   .eta = std::chrono::seconds(random() % 400'000)},
                .transfers = {{name(), number(), number(), 1e300},
                              {name(), number(), std::nullopt, std::nullopt}}};
            for (const Line& line : lay_out(view, columns)) {
                REQUIRE(count_columns(line) <= columns);
            }
        }
    }
}

TEST_CASE("progress_sentence: what is known, in words") {
    PhaseView phase = sample().phase.value_or(PhaseView{});
    CHECK(progress_sentence(phase) == "fetching indexes: 3 of 12, 3.4 MB/s, ETA 1 min 20 s");
    phase.rate = std::nullopt;
    phase.eta = std::nullopt;
    CHECK(progress_sentence(phase) == "fetching indexes: 3 of 12");
    phase.unit = Unit::bytes;
    phase.done = 12'300'000;
    phase.total = 0;
    CHECK(progress_sentence(phase) == "fetching indexes: 12.3 MB");
}
