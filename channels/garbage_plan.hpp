// What garbage collection keeps: decided before anything is removed, from the snapshots' manifests and
// lists and from the locks.
#pragma once

#include "base/digest.hpp"
#include "base/result.hpp"
#include "channels/garbage.hpp"
#include "channels/snapshot.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace chm::channels {

/// Which snapshots stay. The others go, damaged ones too.
struct SnapshotChoice {
    std::vector<Manifest> kept;       // newest first
    std::set<std::string> in_use;     // ids of `kept` whose clients may be at work: current, grace
    std::vector<std::string> others;  // ids, newest first
};
/// ErrorKind::integrity when one that is to be kept is damaged.
Result<SnapshotChoice> choose_snapshots(const MirrorPaths& paths,
                                        const GarbageRequest& request,
                                        WallTime now);

/// What must stay besides the snapshots themselves.
struct Needed {
    std::set<Sha256> by_snapshots;
    /// "<channel>/<subdir>" → file names under which clients that are at work may ask.
    std::map<std::string, std::set<std::string>> names;
    /// The same of all kept snapshots. Where one has a file of its own under a name
    /// (package_links.hpp), the name must go on leading through `current`.
    std::map<std::string, std::set<std::string>> kept_names;
    std::set<Sha256> by_locks;
    std::set<Md5> by_locks_md5;    // of files that no kept snapshot knows by md5
    bool unreadable_lock = false;  // it may name anything
};
/// ErrorKind::integrity when a list of stored files cannot be read.
Result<Needed> find_needed(const MirrorPaths& paths,
                           const SnapshotChoice& choice,
                           Reporter& reporter);

/// Temporary files of killed runs: ".NAME.PID-N.tmp" (base/atomic_file.hpp) and ".PID.link.tmp"
/// (channels/package_links.cpp).
[[nodiscard]] bool is_leftover_name(std::string_view name);

}  // namespace chm::channels
