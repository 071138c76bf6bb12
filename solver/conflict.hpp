// Why a request has no solution, as the engine found it: plain values over a Universe, turned into
// words by explain.hpp.
#pragma once

#include "solver/universe.hpp"

#include <optional>
#include <vector>

namespace chm::solver {

enum class ReasonKind {
    requested,         // the user asked for `spec`
    needs,             // `source` needs `spec`
    nothing_provides,  // `source` (none: the request) needs `spec`, and no candidate matches
    excludes,          // `source` excludes `target` by its constrains `spec`
    same_name,         // `source` and `target` are of one name
    fixed,             // `target` is a virtual package of the target machine
};

struct Reason {
    ReasonKind kind = ReasonKind::needs;
    std::optional<PackageIndex> source;
    std::optional<PackageIndex> target;
    std::optional<SpecIndex> spec;
};

/// Reasons that cannot all hold.
using Conflict = std::vector<Reason>;

}  // namespace chm::solver
