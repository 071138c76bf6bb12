// Python versions, requirements, markers and wheels: the real ones of tests/data/wheels. An item is
// one version, comparison, requirement, marker or wheel.
#include "bench/bench_data.hpp"
#include "pypi/requirement.hpp"
#include "pypi/wheel_filename.hpp"
#include "pypi/wheel_target.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using chm::pypi::Requirement;
using chm::pypi::Version;
using chm::pypi::WheelFilename;

const std::vector<std::string>& file_names() {
    static const auto names = chm::bench::read_lines("wheels/filenames.txt.zst");
    return names;
}

const std::vector<std::string>& requirement_texts() {
    static const auto texts = chm::bench::read_lines("wheels/requirements.txt.zst");
    return texts;
}

std::vector<WheelFilename> wheels() {
    std::vector<WheelFilename> parsed;
    for (const std::string& name : file_names()) {
        if (auto wheel = WheelFilename::parse(name)) {
            parsed.push_back(*std::move(wheel));
        }
    }
    return parsed;
}

void count(benchmark::State& state, std::size_t per_round) {
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(per_round));
}

void pypi_version_parse(benchmark::State& state) {
    std::vector<std::string> texts;
    for (const WheelFilename& wheel : wheels()) {
        texts.push_back(wheel.version.text());
    }
    for (auto round : state) {
        for (const std::string& text : texts) {
            benchmark::DoNotOptimize(Version::parse(text));
        }
    }
    count(state, texts.size());
}
BENCHMARK(pypi_version_parse)->Unit(benchmark::kMicrosecond);

void pypi_version_compare(benchmark::State& state) {
    const auto all = wheels();
    for (auto round : state) {
        for (std::size_t i = 1; i < all.size(); ++i) {
            benchmark::DoNotOptimize(all[i - 1].version <=> all[i].version);
        }
    }
    count(state, all.size() - 1);
}
BENCHMARK(pypi_version_compare)->Unit(benchmark::kMicrosecond);

void pypi_specifier_contains(benchmark::State& state) {
    const auto all = wheels();
    const auto set = *chm::pypi::VersionSpecifierSet::parse(">=2.0,!=2.1.*,<3");
    for (auto round : state) {
        for (const WheelFilename& wheel : all) {
            benchmark::DoNotOptimize(set.contains(wheel.version));
        }
    }
    count(state, all.size());
}
BENCHMARK(pypi_specifier_contains)->Unit(benchmark::kMicrosecond);

void pypi_requirement_parse(benchmark::State& state) {
    const auto& texts = requirement_texts();
    for (auto round : state) {
        for (const std::string& text : texts) {
            benchmark::DoNotOptimize(Requirement::parse(text));
        }
    }
    count(state, texts.size());
}
BENCHMARK(pypi_requirement_parse)->Unit(benchmark::kMicrosecond);

void pypi_marker_evaluate(benchmark::State& state) {
    std::vector<chm::pypi::Marker> markers;
    for (const std::string& text : requirement_texts()) {
        auto requirement = Requirement::parse(text);
        if (requirement && requirement->marker) {
            markers.push_back(*std::move(requirement->marker));
        }
    }
    const auto environment = *chm::pypi::MarkerEnvironment::for_target("linux-64", "3.12.1");
    for (auto round : state) {
        for (const chm::pypi::Marker& marker : markers) {
            benchmark::DoNotOptimize(marker.evaluate(environment));
        }
    }
    count(state, markers.size());
}
BENCHMARK(pypi_marker_evaluate)->Unit(benchmark::kMicrosecond);

void pypi_wheel_parse(benchmark::State& state) {
    for (auto round : state) {
        for (const std::string& name : file_names()) {
            benchmark::DoNotOptimize(WheelFilename::parse(name));
        }
    }
    count(state, file_names().size());
}
BENCHMARK(pypi_wheel_parse)->Unit(benchmark::kMicrosecond);

void pypi_wheel_rank(benchmark::State& state) {
    const auto all = wheels();
    chm::pypi::WheelTarget target;
    target.python = {3, 12};
    target.platform = "linux-64";
    target.glibc = chm::pypi::ShortVersion{2, 28};
    const auto tags = *chm::pypi::TargetTags::make(target);
    for (auto round : state) {
        for (const WheelFilename& wheel : all) {
            benchmark::DoNotOptimize(tags.best_rank(wheel.tags));
        }
    }
    count(state, all.size());
}
BENCHMARK(pypi_wheel_rank)->Unit(benchmark::kMicrosecond);

}  // namespace
