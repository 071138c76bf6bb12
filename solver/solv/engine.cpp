// The encoding, proven on Debian's libsolv 0.7.23, which is built without conda support:
//  - a package is a solvable whose evr is its rank among its name's candidates, so rpm's version
//    order is conda's preference order, and ties are impossible;
//  - a dependency is REL_NAMESPACE(needs, spec's index); the callback returns the packages that our
//    own MatchSpec matches;
//  - a constrains is a conflict with REL_NAMESPACE(excludes, spec's index): the packages of the
//    name that do not match;
//  - virtual packages are ordinary solvables with install jobs. pool->installed is never set.
#include "solver/solv/engine.hpp"

#include "solver/solv/handles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace chm::solver::solv {
namespace {

class Engine {
public:
    Engine(const Universe& universe, const std::vector<bool>& candidates)
        : universe_(universe), candidates_(candidates), pool_(pool_create()) {}

    Result<std::variant<Chosen, Conflicts>> run();

private:
    void fill_pool();
    void add_solvable(PackageIndex package, std::size_t rank, std::size_t names_packages);
    [[nodiscard]] Id namespace_id(Id space, SpecIndex spec) const;
    static Id on_namespace(::Pool* pool, void* user, Id space, Id text);
    Id providers(Id space, SpecIndex spec);
    void add_jobs(IdQueue& jobs) const;
    [[nodiscard]] Chosen read_solution(::Solver* solver) const;
    [[nodiscard]] Conflicts read_conflicts(::Solver* solver) const;
    [[nodiscard]] std::optional<Reason> read_rule(::Solver* solver, Id rule) const;
    [[nodiscard]] std::optional<PackageIndex> package_of(Id solvable) const;
    [[nodiscard]] std::optional<SpecIndex> spec_of(Id dependency) const;

    const Universe& universe_;
    const std::vector<bool>& candidates_;
    PoolHandle pool_;
    Id needs_ = 0;                                         // name space of dependencies
    Id excludes_ = 0;                                      // name space of constrains
    std::vector<Id> solvable_of_;                          // by PackageIndex; 0: not a candidate
    std::vector<std::optional<PackageIndex>> package_of_;  // by solvable
};

Result<std::variant<Chosen, Conflicts>> Engine::run() {
    if (!pool_) {
        return fail(ErrorKind::internal, "libsolv cannot create a pool");
    }
    fill_pool();
    IdQueue jobs;
    add_jobs(jobs);
    const SolverHandle solver(solver_create(pool_.get()));
    if (solver_solve(solver.get(), jobs.raw()) == 0) {
        return read_solution(solver.get());
    }
    return read_conflicts(solver.get());
}

void Engine::fill_pool() {
    ::Pool* pool = pool_.get();
    pool_setdisttype(pool, DISTTYPE_RPM);  // Debian's build defaults to Debian's version order
    pool_setarch(pool, "noarch");
    needs_ = pool_str2id(pool, "chanmirror:needs", 1);
    excludes_ = pool_str2id(pool, "chanmirror:excludes", 1);
    ::Repo* repo = repo_create(pool, "channels");
    solvable_of_.assign(universe_.packages().size(), 0);
    // Solvable ids influence libsolv's choices: the universe's order is deterministic, and so are
    // they.
    std::unordered_set<std::string_view> names;
    for (const Package& package : universe_.packages()) {
        const std::string_view name = package.candidate.record->name;
        if (!names.insert(name).second) {
            continue;
        }
        const auto of_name = universe_.of_name(name);
        for (std::size_t rank = 0; rank < of_name.size(); ++rank) {
            if (candidates_[of_name[rank]]) {
                solvable_of_[of_name[rank]] = repo_add_solvable(repo);
                add_solvable(of_name[rank], rank, of_name.size());
            }
        }
    }
    pool_createwhatprovides(pool);
    pool->nscallback = &Engine::on_namespace;
    pool->nscallbackdata = this;
}

/// `rank` 0 is the best, and gets the highest evr.
void Engine::add_solvable(PackageIndex package, std::size_t rank, std::size_t names_packages) {
    ::Pool* pool = pool_.get();
    const Package& described = universe_.packages()[package];
    const std::string_view name = described.candidate.record->name;
    const Id id = solvable_of_[package];
    ::Solvable* solvable = pool_id2solvable(pool, id);
    solvable->name = pool_strn2id(pool, name.data(), static_cast<unsigned>(name.size()), 1);
    solvable->evr = pool_str2id(pool, std::to_string(names_packages - rank).c_str(), 1);
    solvable->arch = ARCH_NOARCH;
    solvable_add_deparray(solvable,
                          SOLVABLE_PROVIDES,
                          pool_rel2id(pool, solvable->name, solvable->evr, REL_EQ, 1),
                          0);
    for (const SpecIndex spec : described.depends) {
        solvable_add_deparray(solvable, SOLVABLE_REQUIRES, namespace_id(needs_, spec), 0);
    }
    for (const SpecIndex spec : described.constrains) {
        solvable_add_deparray(solvable, SOLVABLE_CONFLICTS, namespace_id(excludes_, spec), 0);
    }
    package_of_.resize(std::max(package_of_.size(), static_cast<std::size_t>(id) + 1));
    package_of_[static_cast<std::size_t>(id)] = package;
}

Id Engine::namespace_id(Id space, SpecIndex spec) const {
    const Id text = pool_str2id(pool_.get(), std::to_string(spec).c_str(), 1);
    return pool_rel2id(pool_.get(), space, text, REL_NAMESPACE, 1);
}

Id Engine::on_namespace(::Pool* pool, void* user, Id space, Id text) {
    const std::string_view digits = pool_id2str(pool, text);
    SpecIndex spec = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), spec);
    return static_cast<Engine*>(user)->providers(space, spec);
}

/// Never 1, which would mean "provided by the system": pool_queuetowhatprovides of an empty queue
/// gives just that.
Id Engine::providers(Id space, SpecIndex spec) {
    IdQueue found;
    const auto push = [&](PackageIndex package) {
        if (solvable_of_[package] != 0) {
            found.push(solvable_of_[package]);
        }
    };
    const std::vector<PackageIndex> matching = universe_.matching(spec);
    if (space == needs_) {
        std::for_each(matching.begin(), matching.end(), push);
    } else {
        const std::string& name = universe_.specs()[spec].match.name.text();
        auto next = matching.begin();  // both are in order of preference
        for (const PackageIndex package : universe_.of_name(name)) {
            if (next != matching.end() && *next == package) {
                ++next;
            } else {
                push(package);
            }
        }
    }
    return found.size() > 0 ? pool_queuetowhatprovides(pool_.get(), found.raw()) : 0;
}

void Engine::add_jobs(IdQueue& jobs) const {
    for (PackageIndex i = 0; i < universe_.packages().size(); ++i) {
        if (universe_.packages()[i].is_virtual) {
            jobs.push(SOLVER_INSTALL | SOLVER_SOLVABLE, solvable_of_[i]);
        }
    }
    for (const SpecIndex spec : universe_.requested()) {
        jobs.push(SOLVER_INSTALL | SOLVER_SOLVABLE_PROVIDES, namespace_id(needs_, spec));
    }
}

Chosen Engine::read_solution(::Solver* solver) const {
    IdQueue decisions;
    solver_get_decisionqueue(solver, decisions.raw());
    Chosen chosen;
    for (int i = 0; i < decisions.size(); ++i) {
        if (decisions[i] > 0) {  // negative: decided against
            if (const auto package = package_of(decisions[i])) {
                chosen.push_back(*package);
            }
        }
    }
    return chosen;
}

Conflicts Engine::read_conflicts(::Solver* solver) const {
    Conflicts conflicts;
    const auto count = static_cast<Id>(solver_problem_count(solver));
    for (Id problem = 1; problem <= count; ++problem) {
        IdQueue rules;
        solver_findallproblemrules(solver, problem, rules.raw());
        Conflict conflict;
        for (int i = 0; i < rules.size(); ++i) {
            if (const auto reason = read_rule(solver, rules[i])) {
                conflict.push_back(*reason);
            }
        }
        conflicts.push_back(std::move(conflict));
    }
    return conflicts;
}

std::optional<Reason> Engine::read_rule(::Solver* solver, Id rule) const {
    Id source = 0;
    Id target = 0;
    Id dependency = 0;
    const SolverRuleinfo info = solver_ruleinfo(solver, rule, &source, &target, &dependency);
    Reason reason{ReasonKind::needs, package_of(source), package_of(target), spec_of(dependency)};
    switch (info) {
        case SOLVER_RULE_PKG_REQUIRES:
            return reason;
        case SOLVER_RULE_PKG_NOTHING_PROVIDES_DEP:
        case SOLVER_RULE_JOB_NOTHING_PROVIDES_DEP:
            reason.kind = ReasonKind::nothing_provides;
            return reason;
        case SOLVER_RULE_PKG_CONFLICTS:
            reason.kind = ReasonKind::excludes;
            return reason;
        case SOLVER_RULE_PKG_SAME_NAME:
            reason.kind = ReasonKind::same_name;
            return reason;
        case SOLVER_RULE_JOB:  // source and target are the job's place and flags here
            reason.source.reset();
            reason.target = package_of(dependency);
            reason.kind = reason.spec ? ReasonKind::requested : ReasonKind::fixed;
            return reason;
        default:
            return std::nullopt;
    }
}

std::optional<PackageIndex> Engine::package_of(Id solvable) const {
    const auto index = static_cast<std::size_t>(solvable);
    return solvable > 0 && index < package_of_.size() ? package_of_[index] : std::nullopt;
}

std::optional<SpecIndex> Engine::spec_of(Id dependency) const {
    const auto id = static_cast<unsigned>(dependency);  // libsolv marks relations in the sign bit
    if (!ISRELDEP(id)) {
        return std::nullopt;
    }
    const Reldep* relation = GETRELDEP(pool_.get(), id);
    if (relation->flags != REL_NAMESPACE) {
        return std::nullopt;
    }
    const std::string_view digits = pool_id2str(pool_.get(), relation->evr);
    SpecIndex spec = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), spec);
    return spec;
}

}  // namespace

Result<std::variant<Chosen, Conflicts>> run_engine(const Universe& universe,
                                                   const std::vector<bool>& candidates) {
    return Engine(universe, candidates).run();
}

}  // namespace chm::solver::solv
