#include "conda/host/amd_gpu.hpp"

#include "base/text.hpp"
#include "conda/host/fact_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

namespace chm::conda {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_most_nodes = 1024;  // a node has some tens of GPUs, split ones included
constexpr std::size_t k_properties_bytes = std::size_t{16} * 1024;

std::optional<unsigned> number(std::string_view text) {
    unsigned value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

/// The folders of the topology in the order of their numbers.
std::vector<std::pair<unsigned, fs::path>> topology_nodes(const fs::path& folder) {
    std::vector<std::pair<unsigned, fs::path>> nodes;
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    while (!error && entry != fs::directory_iterator() && nodes.size() < k_most_nodes) {
        if (const auto id = number(entry->path().filename().string())) {
            nodes.emplace_back(*id, entry->path());
        }
        entry.increment(error);
    }
    std::ranges::sort(nodes);
    return nodes;
}

/// Properties are lines "name value". A node without SIMD units is a CPU.
std::string gpu_of(const fs::path& node) {
    const std::string text = read_fact(node / "properties", k_properties_bytes).value_or("");
    unsigned simd_count = 0;
    unsigned target = 0;
    for (const std::string_view line : split(text, '\n')) {
        const std::size_t space = line.find(' ');
        if (space == std::string_view::npos) {
            continue;
        }
        const std::string_view name = line.substr(0, space);
        const auto value = number(trim(line.substr(space)));
        if (name == "simd_count") {
            simd_count = value.value_or(0);
        } else if (name == "gfx_target_version") {
            target = value.value_or(0);
        }
    }
    return simd_count > 0 ? gfx_target(target) : "";
}

}  // namespace

std::string gfx_target(unsigned version) {
    const unsigned major = version / 10000;
    const unsigned minor = version / 100 % 100;
    const unsigned stepping = version % 100;
    if (major == 0 || major > 99 || minor > 15 || stepping > 15) {
        return "";
    }
    return fmt::format("gfx{}{:x}{:x}", major, minor, stepping);
}

AmdFacts find_amd_gpus(const AmdProbe& probe) {
    AmdFacts facts;
    for (const auto& [id, node] : topology_nodes(probe.root / "sys/class/kfd/kfd/topology/nodes")) {
        if (std::string gpu = gpu_of(node); !gpu.empty()) {
            facts.gpus.push_back(std::move(gpu));
        }
    }
    std::error_code ignored;
    facts.has_driver = fs::is_directory(probe.root / "sys/module/amdgpu", ignored);
    facts.driver = read_version(probe.root / "sys/module/amdgpu/version");
    facts.rocm = read_version(probe.root / probe.rocm.relative_path() / ".info/version");
    if (facts.rocm) {
        facts.rocm->resize(std::min(facts.rocm->find('-'), facts.rocm->size()));  // "6.2.4-120"
    }
    if (facts.rocm == "") {
        facts.rocm.reset();
    }
    return facts;
}

}  // namespace chm::conda
