// The packages of a sync: from an index and a policy to the files that must come, a plan that people
// can look at first, and the files in the store.
#pragma once

#include "base/result.hpp"
#include "channels/missing_files.hpp"
#include "channels/object_store.hpp"
#include "channels/package_fetch.hpp"
#include "channels/package_selection.hpp"
#include "channels/snapshot.hpp"
#include "channels/stored_files.hpp"
#include "conda/channel.hpp"
#include "config/package_policy.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace chm::channels {

/// One subdir whose package files are to be stored.
struct PackageTask {
    conda::Channel channel;
    std::string subdir;
    std::vector<PackageSource> folders;  // that have them, in order of preference
    std::string licence;                 // as the admin states it
    StoredFiles before;                  // what the current snapshot holds
    Selection selection;                 // what the policy wants
    std::vector<std::size_t> to_fetch;   // of selection.files: what is not here yet
};

/// Says which files of the selection are not here yet. One that the current snapshot holds under
/// the same name and digest is taken to be here; else the store is asked.
void find_absent(PackageTask& task, const ObjectStore& store);

/// Settings as canonical text: what a snapshot was made by, so that another policy is noticed.
[[nodiscard]] std::string policy_text(const config::PackageSettings& settings);

/// What a sync would do, for people.
struct PlannedSubdir {
    std::string channel;
    std::string subdir;
    std::uint64_t wanted_files = 0;
    std::uint64_t wanted_bytes = 0;
    std::uint64_t fetch_files = 0;
    std::uint64_t fetch_bytes = 0;    // as far as the index says sizes
    std::uint64_t unsized_files = 0;  // of those to be fetched
    std::uint64_t left_out = 0;       // records that the policy does not want
    std::vector<std::string> refused = {};
    std::string licence = {};
};
struct PackagePlan {
    std::vector<PlannedSubdir> subdirs;
    std::uint64_t fetch_files = 0;
    std::uint64_t fetch_bytes = 0;
    std::uint64_t free_bytes = 0;  // on the root's file system

    /// ErrorKind::io when it would not fit, with how much is needed and how much there is.
    [[nodiscard]] Result<> require_room() const;
};
Result<PackagePlan> plan_packages(std::span<const PackageTask> tasks, const MirrorPaths& paths);

struct StoredPackages {
    StoredFiles stored;    // of what the policy wants, what is here now
    MissingFiles missing;  // the rest; first_seen is not filled in
};
/// Fetches what is absent. One result per task.
Result<std::vector<StoredPackages>> store_packages(std::span<const PackageTask> tasks,
                                                   const MirrorPaths& paths,
                                                   const FetchEdges& edges);

/// A file name as a URL's last segment: percent-encoded where RFC 3986 needs it.
[[nodiscard]] std::string url_segment(std::string_view fn);

}  // namespace chm::channels
