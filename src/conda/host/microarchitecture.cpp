// The choice is archspec's (archspec/cpu/detect.py), so that conda and chanmirror name a machine
// alike. Of an Arm processor Linux does not tell the level (armv8.4a), so only names of products
// and plain aarch64 are given.
#include "conda/host/microarchitecture.hpp"

#include "base/text.hpp"
#include "conda/host/known_processors.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <charconv>
#include <cstddef>
#include <set>
#include <utility>

namespace chm::conda {

namespace {

constexpr std::size_t k_count = k_known_processors.size();

std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> found;
    while (!(text = trim(text)).empty()) {
        const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
        found.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return found;
}

/// A row of the table with what follows from its parents.
struct Candidate {
    const KnownProcessor* row = nullptr;
    std::bitset<k_count> ancestors;
    std::set<std::string_view> features;
    std::string_view family;

    /// How specific it is.
    [[nodiscard]] std::pair<std::size_t, std::size_t> depth() const {
        return {ancestors.count(), features.size()};
    }
};

/// Parents stand before their children, so one pass does.
std::vector<Candidate> all_candidates() {
    std::vector<Candidate> candidates(k_count);
    for (std::size_t i = 0; i < k_count; ++i) {
        Candidate& one = candidates[i];
        one.row = &k_known_processors[i];
        one.family = one.row->name;
        for (const std::string_view feature : words(one.row->features)) {
            one.features.insert(feature);
        }
        for (const std::string_view name : words(one.row->parents)) {
            const auto parent = std::ranges::find(k_known_processors, name, &KnownProcessor::name) -
                                k_known_processors.begin();
            const Candidate& above = candidates[static_cast<std::size_t>(parent)];
            one.ancestors |= above.ancestors;
            one.ancestors.set(static_cast<std::size_t>(parent));
            one.features.insert(above.features.begin(), above.features.end());
            one.family = above.family;
        }
    }
    return candidates;
}

bool fits(const Candidate& candidate, const CpuFacts& cpu) {
    const KnownProcessor& row = *candidate.row;
    if (candidate.family != cpu.family) {
        return false;
    }
    if (cpu.family == "ppc64le" || cpu.family == "ppc64") {
        return row.generation <= cpu.generation;
    }
    if (cpu.family == "riscv64") {
        return row.vendor.empty() || row.name == cpu.model;
    }
    if (cpu.family == "aarch64" && row.vendor.empty()) {
        return row.name == cpu.family;
    }
    return (row.vendor.empty() || row.vendor == cpu.vendor) &&
           std::ranges::includes(cpu.features, candidate.features);
}

/// The first of the deepest; nullptr when there is none.
const Candidate* deepest(const std::vector<const Candidate*>& candidates) {
    const auto found = std::ranges::max_element(candidates, {}, &Candidate::depth);
    return found == candidates.end() ? nullptr : *found;
}

/// The lines "key : value" of the first processor; the last of a key counts.
class FirstProcessor {
public:
    explicit FirstProcessor(std::string_view text) {
        for (const std::string_view line : split(text, '\n')) {
            const std::size_t colon = line.find(':');
            if (colon != std::string_view::npos) {
                lines_.emplace_back(trim(line.substr(0, colon)), trim(line.substr(colon + 1)));
            } else if (!lines_.empty()) {
                return;  // an empty line parts two processors
            }
        }
    }

    [[nodiscard]] std::string_view value(std::string_view key) const {
        const auto found = std::find_if(
            lines_.rbegin(), lines_.rend(), [&](const auto& line) { return line.first == key; });
        return found == lines_.rend() ? "" : found->second;
    }

private:
    std::vector<std::pair<std::string_view, std::string_view>> lines_;
};

std::vector<std::string> sorted_features(std::string_view text) {
    const std::vector<std::string_view> listed = words(text);
    std::set<std::string> features(listed.begin(), listed.end());
    if (features.contains("ssse3")) {
        features.insert("sse3");  // Linux says "pni"
    }
    return {features.begin(), features.end()};
}

/// 9 of "POWER9 (architected), altivec supported"; 0 of anything else, as under emulation.
int power_generation(std::string_view cpu) {
    const std::size_t at = cpu.find("POWER");
    int generation = 0;
    if (at != std::string_view::npos) {
        const std::string_view digits = cpu.substr(at + 5);
        std::from_chars(digits.data(), digits.data() + digits.size(), generation);
    }
    return std::max(generation, 0);
}

std::string_view riscv_model(const FirstProcessor& cpu) {
    if (cpu.value("uarch") == "sifive,u74-mc") {
        return "u74mc";
    }
    if (cpu.value("uarch") == "spacemit,x60" || cpu.value("model name") == "Spacemit(R) X60") {
        return "x60";
    }
    return "";
}

}  // namespace

std::string_view architecture_of(std::string_view platform) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> k_families = {{
        {"linux-64", "x86_64"},
        {"linux-aarch64", "aarch64"},
        {"linux-ppc64", "ppc64"},
        {"linux-ppc64le", "ppc64le"},
        {"linux-riscv64", "riscv64"},
    }};
    const auto* const found = std::ranges::find(
        k_families, platform, &std::pair<std::string_view, std::string_view>::first);
    return found == k_families.end() ? "" : found->second;
}

CpuFacts parse_cpuinfo(std::string_view text, std::string_view family) {
    const FirstProcessor processor(text);
    CpuFacts cpu;
    cpu.family = family;
    if (family == "aarch64") {
        cpu.vendor = processor.value("CPU implementer");
        cpu.part = processor.value("CPU part");
        cpu.features = sorted_features(processor.value("Features"));
    } else if (family == "x86_64") {
        cpu.vendor = processor.value("vendor_id");
        cpu.features = sorted_features(processor.value("flags"));
    } else if (family == "ppc64" || family == "ppc64le") {
        cpu.generation = power_generation(processor.value("cpu"));
    } else if (family == "riscv64") {
        cpu.model = riscv_model(processor);
    }
    return cpu;
}

std::string_view microarchitecture_of(const CpuFacts& cpu) {
    const std::vector<Candidate> all = all_candidates();
    std::vector<const Candidate*> fitting;
    std::vector<const Candidate*> general;
    for (const Candidate& candidate : all) {
        if (fits(candidate, cpu)) {
            fitting.push_back(&candidate);
            if (candidate.row->vendor.empty()) {
                general.push_back(&candidate);
            }
        }
    }
    const Candidate* best = deepest(general);
    if (best == nullptr) {
        return "";
    }
    // The part's number names an Arm product; its relatives with the same features come after it.
    const auto has_part = [&](const Candidate* c) { return c->row->part == cpu.part; };
    if (!cpu.part.empty() && std::ranges::any_of(fitting, has_part)) {
        std::erase_if(fitting, [&](const Candidate* c) { return !has_part(c); });
    }
    // A product that lacks the level which the machine has would say less than the level does.
    const auto level = static_cast<std::size_t>(best - all.data());
    std::erase_if(fitting, [&](const Candidate* c) { return !c->ancestors.test(level); });
    const Candidate* product = deepest(fitting);
    return product != nullptr ? product->row->name : best->row->name;
}

std::span<const std::string> microarchitecture_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        all.reserve(k_count);
        for (const KnownProcessor& processor : k_known_processors) {
            all.emplace_back(processor.name);
        }
        return all;
    }();
    return names;
}

bool is_microarchitecture_name(std::string_view name) {
    return std::ranges::find(microarchitecture_names(), name) != microarchitecture_names().end();
}

}  // namespace chm::conda
