#include "solver/prune.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace chm::solver {
namespace {

using SpecList = std::vector<SpecIndex>;

SpecList sorted(SpecList specs) {
    std::sort(specs.begin(), specs.end());
    specs.erase(std::unique(specs.begin(), specs.end()), specs.end());
    return specs;
}

}  // namespace

std::vector<PackageIndex> representatives(const Universe& universe) {
    std::vector<SpecList> matched_by(
        universe.packages().size());  // ascending, as specs are visited
    for (SpecIndex spec = 0; spec < universe.specs().size(); ++spec) {
        for (const PackageIndex package : universe.matching(spec)) {
            matched_by[package].push_back(spec);
        }
    }
    constexpr PackageIndex k_none = std::numeric_limits<PackageIndex>::max();
    std::vector<PackageIndex> chosen(universe.packages().size(), k_none);
    for (PackageIndex first = 0; first < universe.packages().size(); ++first) {
        if (chosen[first] != k_none) {
            continue;  // with an earlier one of its name
        }
        std::map<std::tuple<SpecList, SpecList, SpecList>, PackageIndex> best;
        const std::string_view name = universe.packages()[first].candidate.record->name;
        for (const PackageIndex package : universe.of_name(name)) {  // best first
            const Package& described = universe.packages()[package];
            std::tuple key(sorted(described.depends),
                           sorted(described.constrains),
                           std::move(matched_by[package]));
            chosen[package] = best.try_emplace(std::move(key), package).first->second;
        }
    }
    return chosen;
}

}  // namespace chm::solver
