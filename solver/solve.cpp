// The stage in order: universe, engine, order of the packages.
#include "solver/solve.hpp"

#include "base/text.hpp"
#include "solver/explain.hpp"
#include "solver/prune.hpp"
#include "solver/solv/engine.hpp"
#include "solver/universe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace chm::solver {
namespace {

SolvedPackage to_solved(const conda::Record& record) {
    SolvedPackage package;
    package.name = record.name;
    package.version = record.version.text();
    package.build = record.build;
    package.build_number = record.build_number;
    package.channel = record.channel;
    package.subdir = record.subdir;
    package.fn = record.fn;
    package.url = record.url;
    package.sha256 = record.sha256;
    package.md5 = record.md5;
    package.size = record.size;
    package.depends.assign(record.depends.begin(), record.depends.end());
    package.constrains.assign(record.constrains.begin(), record.constrains.end());
    return package;
}

/// Dependencies before dependents, as installers of explicit lists expect. Depth-first over sorted
/// names, so the order is one; a cycle (python needs pip needs python) is cut at the edge that
/// closes it. Iterative: chains can be long.
class TopologicalOrder {
public:
    TopologicalOrder(const Universe& universe, solv::Chosen chosen)
        : universe_(universe), chosen_(std::move(chosen)) {
        std::sort(chosen_.begin(), chosen_.end(), [&](PackageIndex a, PackageIndex b) {
            return name(a) < name(b);
        });
        for (const PackageIndex package : chosen_) {
            by_name_[name(package)] = package;
        }
    }

    std::vector<PackageIndex> run() {
        for (const PackageIndex package : chosen_) {
            visit(package);
        }
        return std::move(order_);
    }

private:
    struct Frame {
        PackageIndex package;
        std::vector<PackageIndex> needs;
        std::size_t next = 0;
    };

    [[nodiscard]] std::string_view name(PackageIndex package) const {
        return universe_.packages()[package].candidate.record->name;
    }

    [[nodiscard]] std::vector<PackageIndex> needs_of(PackageIndex package) const {
        std::vector<PackageIndex> needs;
        for (const SpecIndex spec : universe_.packages()[package].depends) {
            const auto found = by_name_.find(universe_.specs()[spec].match.name.text());
            // pip is python's only by our addition, and comes after it.
            const bool added_pip =
                name(package) == "python" && found != by_name_.end() && found->first == "pip";
            if (found != by_name_.end() && !added_pip) {
                needs.push_back(found->second);
            }
        }
        std::sort(needs.begin(), needs.end(), [&](PackageIndex a, PackageIndex b) {
            return name(a) < name(b);
        });
        return needs;
    }

    void visit(PackageIndex root) {
        if (!seen_[root]) {
            enter(root);
        }
        while (!stack_.empty()) {
            Frame& frame = stack_.back();
            if (frame.next == frame.needs.size()) {
                order_.push_back(frame.package);
                stack_.pop_back();
                continue;
            }
            const PackageIndex next = frame.needs[frame.next++];
            if (!seen_[next]) {
                enter(next);
            }
        }
    }

    void enter(PackageIndex package) {
        seen_[package] = true;
        stack_.push_back({package, needs_of(package)});
    }

    const Universe& universe_;
    solv::Chosen chosen_;
    std::unordered_map<std::string_view, PackageIndex> by_name_;
    std::unordered_map<PackageIndex, bool> seen_;
    std::vector<Frame> stack_;
    std::vector<PackageIndex> order_;
};

Solution make_solution(const Universe& universe, solv::Chosen chosen) {
    std::erase_if(chosen,
                  [&](PackageIndex package) { return universe.packages()[package].is_virtual; });
    Solution solution;
    for (const PackageIndex package : TopologicalOrder(universe, std::move(chosen)).run()) {
        solution.packages.push_back(to_solved(*universe.packages()[package].candidate.record));
    }
    return solution;
}

/// The conflicts of the representatives, told of everyone they stand for, so that reasons are whole.
solv::Conflicts for_all_represented(const solv::Conflicts& conflicts,
                                    const std::vector<PackageIndex>& chosen_of) {
    std::unordered_map<PackageIndex, std::vector<PackageIndex>> stands_for;
    for (PackageIndex i = 0; i < chosen_of.size(); ++i) {
        stands_for[chosen_of[i]].push_back(i);
    }
    solv::Conflicts whole;
    for (const Conflict& conflict : conflicts) {
        Conflict& reasons = whole.emplace_back();
        for (Reason reason : conflict) {
            if (!reason.source) {
                reasons.push_back(reason);
                continue;
            }
            for (const PackageIndex source : stands_for[*reason.source]) {
                reason.source = source;
                reasons.push_back(reason);
            }
        }
    }
    return whole;
}

void report_skipped(const Universe& universe, Reporter& reporter) {
    const auto skipped = universe.skipped();
    if (skipped.empty()) {
        return;
    }
    reporter.warn(fmt::format("{} records cannot be read and were left out, such as {}: {}",
                              skipped.size(),
                              printable(skipped.front().fn),
                              skipped.front().reason));
    for (const channels::SkippedRecord& record : skipped) {
        reporter.detail(fmt::format("left out {}: {}", printable(record.fn), record.reason));
    }
}

}  // namespace

Result<Outcome> solve(const SolveRequest& request,
                      std::span<const channels::SubdirIndex> indexes,
                      Reporter& reporter) {
    CHM_TRY(const Universe universe, Universe::load(request, indexes));
    report_skipped(universe, reporter);
    reporter.detail(fmt::format(
        "{} candidates, {} distinct specs", universe.packages().size(), universe.specs().size()));
    Unsolvable unmatched;
    for (const SpecIndex spec : universe.requested()) {
        if (universe.matching(spec).empty()) {
            const auto lines = explain_unmatched(universe, spec, indexes);
            unmatched.explanation.insert(unmatched.explanation.end(), lines.begin(), lines.end());
        }
    }
    if (!unmatched.explanation.empty()) {
        return Outcome(std::move(unmatched));
    }
    const std::vector<PackageIndex> chosen_of = representatives(universe);
    std::vector<bool> candidates(chosen_of.size());
    for (PackageIndex i = 0; i < chosen_of.size(); ++i) {
        candidates[i] = chosen_of[i] == i;
    }
    CHM_TRY(auto result, solv::run_engine(universe, candidates));
    if (auto* chosen = std::get_if<solv::Chosen>(&result)) {
        return Outcome(make_solution(universe, std::move(*chosen)));
    }
    const auto conflicts = for_all_represented(std::get<solv::Conflicts>(result), chosen_of);
    return Outcome(Unsolvable{explain(universe, conflicts)});
}

}  // namespace chm::solver
