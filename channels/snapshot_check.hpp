// Proofs that a snapshot is what its manifest says: index files by digest, stored objects by size and
// name. Nothing is changed; every fault is told, not only the first.
#pragma once

#include "base/digest.hpp"
#include "base/result.hpp"
#include "channels/snapshot.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

namespace chm::channels {

/// One thing that is not as it should be.
struct Fault {
    std::string file;  // relative to the root, or as the user named it
    std::string expected;
    std::string got;
    std::string advice;
    std::vector<std::string> published_as = {};  // "conda-forge/linux-64/numpy-….conda"
};

/// Collects from several threads.
class Faults {
public:
    void add(Fault fault);
    /// Sorted by file.
    [[nodiscard]] std::vector<Fault> take();

private:
    std::mutex mutex_;
    std::vector<Fault> faults_;
};

/// Files that several snapshots share by hardlink are read once. Safe to use from several threads.
class ProvenFiles {
public:
    /// True when these bytes were already found to have this digest.
    [[nodiscard]] bool has(const std::filesystem::path& file, const Sha256& digest);
    void add(const std::filesystem::path& file, const Sha256& digest);

private:
    using Key = std::tuple<std::uint64_t, std::uint64_t, Sha256>;  // device, inode
    std::mutex mutex_;
    std::set<Key> proven_;
};

struct CheckContext {
    const MirrorPaths& paths;
    unsigned threads = 1;
    std::stop_token stop = {};
};

/// Objects that do not hold the bytes they are named by, and the digest they have instead.
using CorruptObjects = std::map<Sha256, std::string>;

/// Every index file and stored list of the snapshot by the manifest's digests. Errors only where
/// going on makes no sense (interrupted).
Result<> check_index_files(const CheckContext& context,
                           const Manifest& manifest,
                           ProvenFiles& proven,
                           Faults& faults);

/// Every stored object is there with its size, and is none of `corrupt`.
Result<> check_objects(const CheckContext& context,
                       const Manifest& manifest,
                       const CorruptObjects& corrupt,
                       Faults& faults);

/// What clients of the current snapshot meet: the index names are symlinks through `current`; each
/// record of a closed index is a stored file with the digest and size the record promises, and its
/// public name is the object; no record leads away from the mirror.
Result<> check_public(const CheckContext& context, const Manifest& manifest, Faults& faults);

}  // namespace chm::channels
