// Package files over loopback: many small ones from a server that takes its time, against what the
// waiting alone would take; and a large one, against curl(1), which neither hashes nor checks.
#include "channels/curl_transport.hpp"
#include "channels/package_fetch.hpp"
#include "support/local_server.hpp"
#include "support/recording_reporter.hpp"
#include "support/temp_dir.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

namespace channels = chm::channels;
namespace fs = std::filesystem;
using Seconds = std::chrono::duration<double>;
using Clock = std::chrono::steady_clock;

constexpr std::size_t k_small_files = 1100;
constexpr std::size_t k_small_size = 20'000;
constexpr std::chrono::milliseconds k_delay{20};
constexpr unsigned k_connections = 32;
constexpr std::uint64_t k_large_size = 1ULL << 30;

/// Keeps nothing, as a run without a terminal.
class SilentReporter final : public chm::Reporter {
public:
    void report(const chm::Event& /*event*/) override {}
};

[[noreturn]] void give_up(const std::string& why) {
    std::fputs((why + "\n").c_str(), stderr);
    std::abort();
}

/// In memory where there is such a place: disks of build machines vary too much.
class Site {
public:
    Site() {
        if (fs::is_directory("/dev/shm")) {
            // NOLINTNEXTLINE(concurrency-mt-unsafe): before the first thread
            ::setenv("TMPDIR", "/dev/shm", 0);
        }
    }
};
const Site k_site;

/// Fetches `requests` into an empty store and says how long it took.
Seconds fetch(const std::vector<channels::PackageRequest>& requests, unsigned connections) {
    const chm::test::TempDir root;
    const channels::ObjectStore store(root.path());
    const chm::SystemClock clock;
    SilentReporter reporter;
    channels::CurlOptions options;
    options.transfers = connections;
    options.connections_per_host = connections;
    const auto began = Clock::now();
    const auto transport = channels::make_curl_transport(options, clock);
    const auto outcomes = channels::fetch_packages(
        requests, store, {root / "partial", 4 * k_large_size}, {*transport, clock, reporter, {}});
    const Seconds took = Clock::now() - began;
    if (!outcomes) {
        give_up(outcomes.error().message);
    }
    for (const auto& outcome : *outcomes) {
        if (const auto* missing = std::get_if<channels::MissingPackage>(&outcome)) {
            give_up(missing->url + ": " + missing->got);
        }
    }
    return took;
}

channels::PackageRequest request(const std::string& url, std::uint64_t size) {
    channels::PackageRequest request;
    request.label = url;
    request.sources.push_back({url, {}});
    request.size = size;
    return request;
}

/// Counter `of_ideal`: the time that the server's delay takes on all connections, as a part of ours.
void packages_small(benchmark::State& state) {
    const chm::test::TempDir upstream;
    const chm::test::LocalServer server(upstream.path());
    std::vector<channels::PackageRequest> requests;
    for (std::size_t i = 0; i < k_small_files; ++i) {
        const std::string name = fmt::format("/{}", i);
        const std::string bytes = name + std::string(k_small_size - name.size(), 'x');
        std::ofstream(upstream / name.substr(1)) << bytes;
        requests.push_back(request(server.url(name), bytes.size()));
        requests.back().sha256 = chm::sha256(bytes);
    }
    chm::test::LocalServer slow(upstream.path());
    slow.set_script({{{.delay = k_delay}}});
    for (auto& wanted : requests) {
        wanted.sources[0].url = slow.url(wanted.sources[0].url.substr(server.url().size()));
    }
    Seconds total{0};
    for (auto round : state) {
        const Seconds took = fetch(requests, k_connections);
        state.SetIterationTime(took.count());
        total += took;
    }
    const Seconds ideal = k_delay * ((k_small_files + k_connections - 1) / k_connections);
    state.counters["of_ideal"] =
        ideal.count() * static_cast<double>(state.iterations()) / total.count();
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(k_small_files));
}
BENCHMARK(packages_small)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(5);

Seconds run_curl(const std::string& url) {
    const chm::test::TempDir folder;
    std::string target = folder / "out";
    std::string address = url;
    std::array<std::string, 3> words = {"curl", "-sfo", target};
    std::array<char*, 5> arguments = {
        words[0].data(), words[1].data(), words[2].data(), address.data(), nullptr};
    const auto began = Clock::now();
    ::pid_t child = -1;
    int status = 0;
    if (::posix_spawnp(&child, "curl", nullptr, nullptr, arguments.data(), environ) != 0 ||
        ::waitpid(child, &status, 0) != child || status != 0) {
        give_up("curl(1) is needed and did not do its work");
    }
    return Clock::now() - began;
}

/// Counter `of_curl`: curl's time as a part of ours, both measured in turn.
void packages_large(benchmark::State& state) {
    const chm::test::TempDir upstream;
    std::ofstream(upstream / "large").close();
    fs::resize_file(upstream / "large",
                    k_large_size);  // a hole: reading it costs the server little
    const chm::test::LocalServer server(upstream.path());
    auto wanted = request(server.url("/large"), k_large_size);
    const auto digest = chm::sha256_of_file(upstream / "large");
    if (!digest) {
        give_up(digest.error().message);
    }
    wanted.sha256 = *digest;
    Seconds ours{0};
    Seconds curl{0};
    for (auto round : state) {
        curl += run_curl(wanted.sources[0].url);
        const Seconds took = fetch({wanted}, 1);
        state.SetIterationTime(took.count());
        ours += took;
    }
    state.counters["of_curl"] = curl.count() / ours.count();
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(k_large_size));
}
BENCHMARK(packages_large)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(5);

}  // namespace
