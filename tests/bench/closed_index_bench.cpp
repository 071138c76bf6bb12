// What a policy costs on tests/data's conda-forge/linux-64: choosing the files, closing the index,
// proving it closed. check_repodata on the same bytes is the reference (repodata_bench.cpp,
// index_check, has it too; figures of one run belong together).
#include "bench/bench_data.hpp"
#include "channels/closed_index.hpp"
#include "channels/package_selection.hpp"
#include "channels/repodata.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

namespace {

namespace channels = chm::channels;
namespace config = chm::config;

const std::string& index_json() {
    static const std::string json =
        chm::bench::read_data("channels/conda-forge/linux-64/repodata.json.zst");
    return json;
}

void count(benchmark::State& state) {
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(index_json().size()));
}

void closed_index_reference_check(benchmark::State& state) {
    std::string json = index_json();
    for (auto round : state) {
        benchmark::DoNotOptimize(channels::check_repodata(json, "linux-64"));
    }
    count(state);
}
BENCHMARK(closed_index_reference_check)->Unit(benchmark::kMillisecond);

/// Keeps `state.range(0)` of 8 files.
void closed_index_close(benchmark::State& state) {
    std::string json = index_json();
    const auto kept = static_cast<unsigned>(state.range(0));
    for (auto round : state) {
        benchmark::DoNotOptimize(channels::close_index(json, [&](std::string_view fn) {
            return static_cast<unsigned>(fn[fn.size() / 2]) % 8 < kept;
        }));
    }
    count(state);
}
BENCHMARK(closed_index_close)->Arg(0)->Arg(1)->Arg(4)->Arg(8)->Unit(benchmark::kMillisecond);

void closed_index_prove(benchmark::State& state) {
    std::string json = index_json();
    for (auto round : state) {
        benchmark::DoNotOptimize(channels::foreign_urls(json, 1));
    }
    count(state);
}
BENCHMARK(closed_index_prove)->Unit(benchmark::kMillisecond);

void select(benchmark::State& state, const config::PackageSettings& settings) {
    std::string json = index_json();
    const chm::conda::Channel channel{"conda-forge", "https://conda.anaconda.org/conda-forge"};
    for (auto round : state) {
        benchmark::DoNotOptimize(channels::select_packages(json, channel, "linux-64", settings));
    }
    count(state);
}

chm::conda::MatchSpec spec(const char* text) {
    auto parsed = chm::conda::MatchSpec::parse(text);
    if (!parsed) {
        std::abort();
    }
    return std::move(*parsed);
}

void selection_all(benchmark::State& state) {
    config::PackageSettings settings;
    settings.policy = config::PackagePolicy::all;
    select(state, settings);
}
BENCHMARK(selection_all)->Unit(benchmark::kMillisecond);

void selection_by_name(benchmark::State& state) {
    config::PackageSettings settings;
    settings.policy = config::PackagePolicy::matching;
    settings.match = {spec("numpy >=1.26"), spec("python 3.11.*"), spec("pytorch")};
    select(state, settings);
}
BENCHMARK(selection_by_name)->Unit(benchmark::kMillisecond);

/// Every record is read and asked about.
void selection_by_field(benchmark::State& state) {
    config::PackageSettings settings;
    settings.policy = config::PackagePolicy::matching;
    settings.match = {spec("*[license=MIT]")};
    select(state, settings);
}
BENCHMARK(selection_by_field)->Unit(benchmark::kMillisecond);

}  // namespace
