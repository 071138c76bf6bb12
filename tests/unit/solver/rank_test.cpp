// rank.cpp: each key of the order, alone and against the next.
#include "solver/rank.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <vector>

namespace chm::solver {
namespace {

using config::ChannelPriority;

constexpr std::array k_all = {
    ChannelPriority::strict, ChannelPriority::flexible, ChannelPriority::disabled};
const std::array<std::string_view, 2> k_features = {"a", "b"};

conda::Record base_record() {
    conda::Record record;
    record.name = "x";
    record.version = *conda::Version::parse("1.0");
    record.build_number = 1;
    record.timestamp = 1000;
    record.subdir = "linux-64";
    record.fn = "x-1.0-b.conda";
    return record;
}

/// Checks that `better` beats `worse`, that the reverse does not hold, and that nothing beats
/// itself.
void check_order(const Candidate& better, const Candidate& worse, ChannelPriority priority) {
    CHECK(preferred(better, worse, priority));
    CHECK(!preferred(worse, better, priority));
    CHECK(!preferred(better, better, priority));
}

}  // namespace

TEST_CASE("rank: every key decides when those before it are equal") {
    // In order: making any of them worse must lose, even when all that follow are made better.
    const std::vector<std::function<void(conda::Record&)>> worsen = {
        [](conda::Record& r) { r.track_features = k_features; },
        [](conda::Record& r) { r.version = *conda::Version::parse("0.9"); },
        [](conda::Record& r) { r.build_number = 0; },
        [](conda::Record& r) { r.timestamp = 999; },
        [](conda::Record& r) { r.subdir = "noarch"; },
        [](conda::Record& r) { r.fn = "x-1.0-a.tar.bz2"; },
        [](conda::Record& r) { r.fn = "x-1.0-c.conda"; },
    };
    for (std::size_t key = 0; key < worsen.size(); ++key) {
        CAPTURE(key);
        conda::Record better = base_record();
        conda::Record worse = base_record();
        worsen[key](worse);
        for (std::size_t later = key + 1; later < worsen.size() && key < 5; ++later) {
            worsen[later](better);
        }
        for (const ChannelPriority priority : k_all) {
            check_order({&better, 0}, {&worse, 0}, priority);
        }
    }
}

TEST_CASE("rank: fewer track_features are better than more") {
    conda::Record one = base_record();
    conda::Record two = base_record();
    one.track_features = std::span(k_features).first(1);
    two.track_features = k_features;
    check_order({&one, 0}, {&two, 0}, ChannelPriority::strict);
}

TEST_CASE("rank: versions are conda's, not texts") {
    conda::Record newer = base_record();
    conda::Record older = base_record();
    newer.version = *conda::Version::parse("1.10");
    older.version = *conda::Version::parse("1.9");
    check_order({&newer, 0}, {&older, 0}, ChannelPriority::strict);
    older.version = *conda::Version::parse("1.10rc1");
    check_order({&newer, 0}, {&older, 0}, ChannelPriority::strict);
}

TEST_CASE("rank: flexible puts the channel first, the others the version") {
    conda::Record newer = base_record();
    conda::Record older = base_record();
    older.version = *conda::Version::parse("0.1");
    check_order({&older, 0}, {&newer, 1}, ChannelPriority::flexible);
    check_order({&newer, 1}, {&older, 0}, ChannelPriority::disabled);
}

TEST_CASE("rank: between equals the higher channel is better, whatever the priority") {
    const conda::Record record = base_record();
    for (const ChannelPriority priority : k_all) {
        check_order({&record, 0}, {&record, 1}, priority);
    }
}

TEST_CASE("rank: sorting gives one order whatever the start") {
    std::vector<conda::Record> records(24, base_record());
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < records.size(); ++i) {
        records[i].version = *conda::Version::parse(i % 2 == 0 ? "1.0" : "2.0");
        records[i].build_number = i % 3;
        records[i].subdir = i % 4 < 2 ? "linux-64" : "noarch";
        records[i].fn = i < 12 ? "x-1-a.conda" : "x-1-b.conda";
        candidates.push_back({&records[i], 0});
    }
    const auto better = [](const Candidate& a, const Candidate& b) {
        return preferred(a, b, ChannelPriority::strict);
    };
    std::sort(candidates.begin(), candidates.end(), better);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        for (std::size_t j = i + 1; j < candidates.size(); ++j) {
            CHECK(!better(candidates[j], candidates[i]));
        }
    }
}

}  // namespace chm::solver
