// Garbage collection: takes away what neither the current snapshot, nor one that is kept, nor a lock in
// <root>/locks can need. What is removed and what never is: docs/on-disk-format.md.
#pragma once

#include "base/clock.hpp"
#include "base/reporter.hpp"
#include "base/result.hpp"
#include "channels/object_store.hpp"
#include "channels/snapshot.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace chm::channels {

struct GarbageRequest {
    unsigned keep = 3;                                  // so many of the newest snapshots stay
    std::chrono::seconds grace = std::chrono::days(1);  // clients may still be in what is younger
    bool dry_run = false;
};

struct GarbageEdges {
    const Clock& clock;
    Reporter& reporter;  // warned of locks and folders that cannot be understood
    std::stop_token stop = {};
};

/// What is (or, in a dry run, would be) removed. Paths are relative to the root.
struct GarbageReport {
    std::vector<std::string> kept_snapshots;  // newest first
    std::vector<std::string> snapshots;       // newest first
    std::vector<StoredObject> objects;
    std::vector<std::filesystem::path> names;      // of package files in public/
    std::vector<std::filesystem::path> leftovers;  // of killed runs
    std::uint64_t bytes = 0;                       // that become free
    bool objects_spared = false;  // a lock cannot be read, so no object was removed
};

/// Takes the root's lock. Kept are the current snapshot, the `keep` newest, those that were current
/// within `grace`, and what the locks name. ErrorKind::integrity when a kept snapshot cannot be read
/// (nothing is removed then), ErrorKind::usage when there is no mirror. A run that is killed leaves the
/// current snapshot and the kept ones whole; the next finishes.
Result<GarbageReport> collect_garbage(const MirrorPaths& paths,
                                      const GarbageRequest& request,
                                      const GarbageEdges& edges);

}  // namespace chm::channels
