// Proves a mirror: every stored object is hashed again, every index file held against its manifest, every
// closed index against what is stored. And takes out of the mirror what is damaged, if asked.
#pragma once

#include "base/clock.hpp"
#include "base/reporter.hpp"
#include "base/result.hpp"
#include "channels/snapshot.hpp"
#include "channels/snapshot_check.hpp"

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace chm::channels {

struct VerifyRequest {
    unsigned jobs = 0;             // threads; 0: as many as the machine has
    std::uint64_t limit_rate = 0;  // bytes a second; 0: no limit
    bool repair = false;
    std::vector<std::filesystem::path> locks;  // only what these name
};

struct VerifyEdges {
    const Clock& clock;
    Reporter& reporter;
    std::stop_token stop = {};
};

struct VerifyReport {
    std::string snapshot;  // the current one's id
    std::uint64_t snapshots = 0;
    std::uint64_t objects = 0;  // hashed
    std::uint64_t bytes = 0;
    std::uint64_t missing = 0;           // files that the current snapshot is known to lack
    std::vector<Fault> faults;           // that are left; sorted by file
    std::vector<std::string> repaired;   // files that were taken out, relative to the root
    std::vector<std::string> published;  // packages that are missing now because of that
};

/// Holds no lock while it reads (objects never change; what a sync or a garbage collection changes
/// meanwhile is looked at again), and the root's lock for a repair: damaged objects move to quarantine/,
/// and a new snapshot is published without them, so that the mirror is whole and the next sync fetches
/// them anew. ErrorKind::usage when there is no mirror.
Result<VerifyReport> verify_mirror(const MirrorPaths& paths,
                                   const VerifyRequest& request,
                                   const VerifyEdges& edges);

}  // namespace chm::channels
