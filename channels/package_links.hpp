// The names under which clients find package files: public/<channel>/<subdir>/<fn>, hardlinks to
// objects (symlinks where the file system has no hardlinks). A name whose bytes differ between two
// snapshots (a re-upload) becomes a symlink through `current` into the snapshot, which then holds a
// hardlink of its own: so the flip that changes the index changes the file with it.
#pragma once

#include "base/result.hpp"
#include "channels/snapshot.hpp"
#include "channels/stored_files.hpp"

#include <filesystem>
#include <string_view>

namespace chm::channels {

/// From one snapshot to the next, for one subdir.
struct PackageTransition {
    std::string_view channel;
    std::string_view subdir;
    std::filesystem::path from;  // folder of the current snapshot; empty: there is none
    std::filesystem::path to;    // folder of the one that will be current
    const StoredFiles& before;   // of `from`, whose names are taken to be there
    const StoredFiles& now;      // of `to`
};

/// Makes every name of `now` right once `current` is `to`, and keeps every name of `before` right as
/// long as it is `from`. Nothing is removed: names that only `before` has are gc's.
Result<> link_packages(const MirrorPaths& paths, const PackageTransition& transition);

}  // namespace chm::channels
