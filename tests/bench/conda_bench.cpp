// Versions and MatchSpecs, on all that real channels have published (tests/data/vectors). An item
// is one version, comparison, spec or match.
#include "bench/bench_data.hpp"
#include "conda/match_spec.hpp"
#include "conda/record_matcher.hpp"
#include "conda/version.hpp"
#include "support/allocation_count.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using chm::conda::MatchSpec;
using chm::conda::RecordMatcher;
using chm::conda::Version;

const std::vector<std::string>& version_texts() {
    static const auto texts = chm::bench::read_lines("vectors/versions.txt.zst");
    return texts;
}

const std::vector<std::string>& spec_texts() {
    static const auto texts = chm::bench::read_lines("vectors/depends.txt.zst");
    return texts;
}

/// Counts `per_round` items a round, and the bytes of their texts.
void count(benchmark::State& state, std::size_t per_round, const std::vector<std::string>& texts) {
    std::size_t bytes = 0;
    for (const std::string& text : texts) {
        bytes += text.size();
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(per_round));
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

/// What one item costs in calls of operator new.
class Allocations {
public:
    void count(benchmark::State& state) const {
        const auto calls = chm::test::allocation_count() - before_;
        state.counters["allocations"] =
            static_cast<double>(calls) / static_cast<double>(state.items_processed());
    }

private:
    std::uint64_t before_ = chm::test::allocation_count();
};

template <class T>
std::vector<T> parse_all(const std::vector<std::string>& texts) {
    std::vector<T> values;
    values.reserve(texts.size());
    for (const std::string& text : texts) {
        if (auto value = T::parse(text)) {
            values.push_back(std::move(*value));
        }
    }
    return values;
}

void version_parse(benchmark::State& state) {
    const auto& texts = version_texts();
    for (auto round : state) {
        for (const std::string& text : texts) {
            benchmark::DoNotOptimize(Version::parse(text));
        }
    }
    count(state, texts.size(), texts);
}
BENCHMARK(version_parse)->Unit(benchmark::kMillisecond);

void version_compare(benchmark::State& state) {
    const auto versions = parse_all<Version>(version_texts());
    for (auto round : state) {
        for (std::size_t i = 1; i < versions.size(); ++i) {
            benchmark::DoNotOptimize(versions[i - 1] <=> versions[i]);
        }
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(versions.size() - 1));
}
BENCHMARK(version_compare)->Unit(benchmark::kMillisecond);

void match_spec_parse(benchmark::State& state) {
    const auto& texts = spec_texts();
    const Allocations allocations;
    for (auto round : state) {
        for (const std::string& text : texts) {
            benchmark::DoNotOptimize(MatchSpec::parse(text));
        }
    }
    count(state, texts.size(), texts);
    allocations.count(state);
}
BENCHMARK(match_spec_parse)->Unit(benchmark::kMillisecond);

void dependency_name(benchmark::State& state) {
    const auto& texts = spec_texts();
    for (auto round : state) {
        for (const std::string& text : texts) {
            benchmark::DoNotOptimize(chm::conda::dependency_name(text));
        }
    }
    count(state, texts.size(), texts);
}
BENCHMARK(dependency_name)->Unit(benchmark::kMillisecond);

/// As a solve asks: each spec about all candidates of its name, so that version and build decide.
void record_matcher(benchmark::State& state) {
    const auto specs = parse_all<MatchSpec>(spec_texts());
    const auto versions = parse_all<Version>(version_texts());
    constexpr std::size_t k_candidates = 20;
    std::vector<chm::conda::Record> records(k_candidates);
    for (std::size_t i = 0; i < k_candidates; ++i) {
        records[i].version = versions[i * versions.size() / k_candidates];
        records[i].build = "py311h64a7726_0";
    }
    const Allocations allocations;
    for (auto round : state) {
        for (const MatchSpec& spec : specs) {
            const RecordMatcher matcher(spec);
            for (chm::conda::Record& record : records) {
                record.name = spec.name.text();
                benchmark::DoNotOptimize(matcher.matches(record));
            }
        }
    }
    state.SetItemsProcessed(state.iterations() *
                            static_cast<std::int64_t>(specs.size() * k_candidates));
    allocations.count(state);
}
BENCHMARK(record_matcher)->Unit(benchmark::kMillisecond);

/// The floor for what reads these texts: every byte looked at once.
void text_walk(benchmark::State& state) {
    const auto& texts = spec_texts();
    for (auto round : state) {
        for (const std::string& text : texts) {
            benchmark::DoNotOptimize(std::ranges::count(text, ' '));
        }
    }
    count(state, texts.size(), texts);
}
BENCHMARK(text_walk)->Unit(benchmark::kMillisecond);

}  // namespace
