// The @EXPLICIT lock (CEP 23): one URL with hash per package, dependencies first. Understood by
// conda, mamba, micromamba, pixi and conda-lock.
#pragma once

#include "solver/solution.hpp"

#include <string>
#include <vector>

namespace chm::emit {

/// What was asked, for the lock's comments: a lock must say which machine it is for.
struct LockHeader {
    std::string platform;
    std::vector<std::string> specs;
    std::vector<std::string> channels;
    std::vector<std::string> virtual_packages;  // "__cuda=12.4=0"
    std::string snapshot;                       // id
};

struct ExplicitLock {
    std::string text;
    std::vector<std::string>
        unhashed;  // packages whose record has no hash at all: their lines cannot be checked
};

/// The same solution and header give the same bytes. Canonical upstream URLs, so the lock works
/// without this mirror and cannot leak a mirror's address. `#sha256` where the record has one, else
/// `#md5`, else no '#'.
ExplicitLock explicit_lock(const solver::Solution& solution, const LockHeader& header);

}  // namespace chm::emit
