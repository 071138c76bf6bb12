// Takes damaged files out of a mirror so that it is whole without them.
#pragma once

#include "base/result.hpp"
#include "channels/snapshot.hpp"
#include "channels/snapshot_check.hpp"
#include "channels/verify_mirror.hpp"

#include <string>
#include <vector>

namespace chm::channels {

struct RepairReport {
    std::vector<std::string> quarantined;  // objects, relative to the root
    std::vector<std::string> published;    // "<channel>/<subdir>/<fn>" that are missing now
};

/// Under the root's lock: hashes `corrupt` once more, publishes the current snapshot anew without those
/// that are (and without objects that are gone), names the files in missing.json, and moves the objects
/// to <root>/quarantine/ and their names out of public/. The next sync wants what is missing.
Result<RepairReport> repair_mirror(const MirrorPaths& paths,
                                   const CorruptObjects& corrupt,
                                   const VerifyEdges& edges);

}  // namespace chm::channels
