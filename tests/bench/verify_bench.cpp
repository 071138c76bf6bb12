// How near `verify` comes to the rate at which this machine's processors hash memory: the same Hasher
// over a small buffer on every core, then over files in the page cache. The bar is a ratio of 0.9.
#include "base/file_hashing.hpp"
#include "base/workers.hpp"
#include "support/temp_dir.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace chm {
namespace {

constexpr std::size_t k_files = 16;
constexpr std::size_t k_file_bytes = 32U << 20U;

class Files {
public:
    Files() {
        const std::string bytes(k_file_bytes, 'x');
        for (std::size_t i = 0; i < k_files; ++i) {
            files_.push_back(directory_ / fmt::format("{}", i));
            std::ofstream(files_.back(), std::ios::binary) << bytes;
        }
    }
    [[nodiscard]] const std::filesystem::path& operator[](std::size_t i) const { return files_[i]; }

private:
    test::TempDir directory_;
    std::vector<std::filesystem::path> files_;
};

struct Cost {
    double seconds = 0;
    double cpu_seconds = 0;  // of all threads; says the same on a machine that others keep busy
};

/// What `work` of every file costs, on all cores.
template <class Work>
Cost cost_of(const Work& work) {
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t cpu_begin = std::clock();
    const auto done = for_each_parallel(k_files, default_threads(), work);
    benchmark::DoNotOptimize(done);
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
            static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC};
}

Cost hash_memory() {
    return cost_of([](std::size_t) -> Result<> {
        const std::string piece(64U << 10U, 'x');
        Hasher<Sha256> hasher;
        for (std::size_t done = 0; done < k_file_bytes; done += piece.size()) {
            hasher.update(piece);
        }
        benchmark::DoNotOptimize(hasher.finish());
        return {};
    });
}

Cost hash_files(const Files& files) {
    return cost_of([&](std::size_t i) -> Result<> {
        CHM_TRY(const HashedFile<Sha256> hashed, hash_file<Sha256>(files[i], {}));
        benchmark::DoNotOptimize(hashed.size);
        return {};
    });
}

/// The two in turn, so that a machine that is busy is busy for both; the medians are compared.
void verify_cached_files(benchmark::State& state) {
    const Files files;
    std::vector<Cost> memory;
    std::vector<Cost> cached;
    for (auto _ : state) {
        memory.push_back(hash_memory());
        cached.push_back(hash_files(files));
    }
    const auto median = [](std::vector<Cost>& costs, double Cost::*what) {
        std::ranges::sort(costs, {}, what);
        return costs[costs.size() / 2].*what;
    };
    const double bytes = static_cast<double>(k_files * k_file_bytes);
    state.counters["memory_GB/s"] = bytes / median(memory, &Cost::seconds) / 1e9;
    state.counters["files_GB/s"] = bytes / median(cached, &Cost::seconds) / 1e9;
    state.counters["ratio"] = median(memory, &Cost::seconds) / median(cached, &Cost::seconds);
    state.counters["cpu_ratio"] =
        median(memory, &Cost::cpu_seconds) / median(cached, &Cost::cpu_seconds);
}
BENCHMARK(verify_cached_files)->Iterations(9)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace chm
