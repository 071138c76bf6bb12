// RecordSet: one owner for records and their strings.
#include "channels/record_set.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace chm::channels {
namespace {

TEST_CASE("record_set: equal texts share one copy, which outlives its source") {
    RecordSet set;
    std::string source = "a text that is too long for the small string optimisation";
    const std::string_view first = set.keep(source);
    const std::string_view second = set.keep(source);
    CHECK(first.data() == second.data());
    CHECK(first.data() != source.data());
    source.assign(source.size(), '?');
    CHECK(first == "a text that is too long for the small string optimisation");
}

TEST_CASE("record_set: addresses are stable while it grows and when it moves") {
    RecordSet set;
    const std::string_view kept = set.keep("x");
    const auto list = set.keep(std::vector<std::string_view>{kept, set.keep("y")});
    conda::Record record;
    record.name = kept;
    record.depends = list;
    set.add(record);
    const conda::Record* place = &set.records().front();
    for (int i = 0; i < 10'000; ++i) {
        const std::string_view text = set.keep(std::to_string(i));
        static_cast<void>(set.keep(std::vector<std::string_view>{text}));
        set.add(conda::Record());
    }
    CHECK(&set.records().front() == place);
    const RecordSet moved = std::move(set);
    CHECK(&moved.records().front() == place);
    CHECK(moved.records().size() == 10'001);
    CHECK(place->name == "x");
    CHECK(place->depends[1] == "y");
}

TEST_CASE("record_set: an empty list costs nothing and skipped ones are kept apart") {
    RecordSet set;
    CHECK(set.keep(std::vector<std::string_view>()).empty());
    set.skip({"bad-1-0.conda", "why"});
    CHECK(set.records().empty());
    REQUIRE(set.skipped().size() == 1);
    CHECK(set.skipped()[0].fn == "bad-1-0.conda");
    CHECK(set.skipped()[0].reason == "why");
}

}  // namespace
}  // namespace chm::channels
