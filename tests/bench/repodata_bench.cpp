// An index from bytes to records, on tests/data's conda-forge/linux-64, and beside it what simdjson
// alone takes for the same bytes (docs/benchmarks.md says which of its kernels does what).
#include "base/zstd.hpp"
#include "bench/bench_data.hpp"
#include "channels/repodata.hpp"
#include "channels/subdir_index.hpp"

#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

namespace channels = chm::channels;

const std::string& index_json() {
    static const std::string json =
        chm::bench::read_data("channels/conda-forge/linux-64/repodata.json.zst");
    return json;
}

channels::SubdirIndex open_index() {
    auto index = channels::SubdirIndex::open(
        index_json(), {"conda-forge", "https://conda.anaconda.org/conda-forge"}, "linux-64");
    if (!index) {
        std::abort();
    }
    return std::move(*index);
}

void count(benchmark::State& state) {
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(index_json().size()));
}

void index_check(benchmark::State& state) {
    std::string json = index_json();
    for (auto round : state) {
        benchmark::DoNotOptimize(channels::check_repodata(json, "linux-64"));
    }
    count(state);
}
BENCHMARK(index_check)->Unit(benchmark::kMillisecond);

/// With the copy of the bytes that the index then owns.
void index_open(benchmark::State& state) {
    for (auto round : state) {
        benchmark::DoNotOptimize(open_index());
    }
    count(state);
}
BENCHMARK(index_open)->Unit(benchmark::kMillisecond);

/// Every record of every name; a solve reads far fewer.
void index_load_all(benchmark::State& state) {
    const channels::SubdirIndex index = open_index();
    std::int64_t records_read = 0;
    for (auto round : state) {
        channels::RecordSet records;
        for (const std::string_view name : index.names()) {
            index.load(name, records);
        }
        records_read += static_cast<std::int64_t>(records.records().size());
    }
    state.SetItemsProcessed(records_read);
    count(state);
}
BENCHMARK(index_load_all)->Unit(benchmark::kMillisecond);

/// Reads every value, so that nothing is skipped unseen.
std::size_t walk(simdjson::ondemand::value value) {
    std::size_t leaves = 0;
    switch (value.type()) {
        case simdjson::ondemand::json_type::object:
            for (auto member : value.get_object()) {
                leaves += walk(member.value());
            }
            return leaves;
        case simdjson::ondemand::json_type::array:
            for (auto item : value.get_array()) {
                leaves += walk(item.value());
            }
            return leaves;
        default:
            return value.raw_json_token().size();
    }
}

/// Runs `body` with another run-time kernel of simdjson: "fallback", or "" for the one it picks.
template <class Body>
void with_kernel(benchmark::State& state, const std::string& kernel, Body body) {
    const simdjson::implementation* const usual = simdjson::get_active_implementation();
    const simdjson::implementation* chosen =
        kernel.empty() ? usual : simdjson::get_available_implementations()[kernel];
    if (chosen == nullptr) {
        state.SkipWithError("this simdjson has no such kernel");
        return;
    }
    simdjson::get_active_implementation() = chosen;
    const simdjson::padded_string json(index_json());
    body(json);
    simdjson::get_active_implementation() = usual;
    count(state);
    state.SetLabel("run-time kernel " + chosen->name() + ", compiled in " +
                   simdjson::builtin_implementation()->name());
}

void reference_ondemand_walk(benchmark::State& state, const std::string& kernel) {
    with_kernel(state, kernel, [&](const simdjson::padded_string& json) {
        simdjson::ondemand::parser parser;
        for (auto round : state) {
            auto document = parser.iterate(json);
            benchmark::DoNotOptimize(walk(document.get_value().value()));
        }
    });
}
BENCHMARK_CAPTURE(reference_ondemand_walk, usual, "")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(reference_ondemand_walk, fallback, "fallback")->Unit(benchmark::kMillisecond);

void reference_dom_parse(benchmark::State& state, const std::string& kernel) {
    with_kernel(state, kernel, [&](const simdjson::padded_string& json) {
        simdjson::dom::parser parser;
        for (auto round : state) {
            benchmark::DoNotOptimize(parser.parse(json).error());
        }
    });
}
BENCHMARK_CAPTURE(reference_dom_parse, usual, "")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(reference_dom_parse, fallback, "fallback")->Unit(benchmark::kMillisecond);

void reference_zstd_decompress(benchmark::State& state) {
    const auto packed = chm::zstd_compress(index_json(), 19);
    for (auto round : state) {
        benchmark::DoNotOptimize(chm::zstd_decompress(*packed, {.max_output = 1ULL << 30U}));
    }
    count(state);
}
BENCHMARK(reference_zstd_decompress)->Unit(benchmark::kMillisecond);

}  // namespace
