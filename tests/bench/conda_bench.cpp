// Versions and MatchSpecs, on all that real channels have published (tests/data/vectors). An item
// is one version, comparison, spec or match.
#include "bench/bench_data.hpp"
#include "conda/match_spec.hpp"
#include "conda/version.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using chm::conda::MatchSpec;
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
    for (auto round : state) {
        for (const std::string& text : texts) {
            benchmark::DoNotOptimize(MatchSpec::parse(text));
        }
    }
    count(state, texts.size(), texts);
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

/// As a solve asks: candidates have the right name, so that version and build decide.
void match_spec_matches(benchmark::State& state) {
    const auto specs = parse_all<MatchSpec>(spec_texts());
    chm::conda::Record record;
    record.version = *Version::parse("1.26.4");
    record.build = "py311h64a7726_0";
    for (auto round : state) {
        for (const MatchSpec& spec : specs) {
            record.name = spec.name.text();
            benchmark::DoNotOptimize(spec.matches(record));
        }
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(specs.size()));
}
BENCHMARK(match_spec_matches)->Unit(benchmark::kMillisecond);

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
