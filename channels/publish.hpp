// Writes a new snapshot and makes it the mirror's current one. Order: index files into a folder no
// reader looks at, read back and compared; the folder gets its final name; names in public/ that
// are new; then `current` flips. Whatever is interrupted before the flip leaves the old mirror,
// after it the new one.
#pragma once

#include "base/clock.hpp"
#include "base/result.hpp"
#include "channels/snapshot.hpp"
#include "conda/channel.hpp"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace chm::channels {

/// What of an index is stored here, for the closed view.
struct NewPackages {
    std::string policy;  // as canonical text
    StoredFiles stored;
    std::uint64_t missing = 0;
};

/// An index to be published that the previous snapshot does not have.
struct NewIndex {
    conda::Channel channel;
    std::string subdir;
    std::string json;  // upstream's, decoded
    std::uint64_t records = 0;
    Sha256 index_sha256;       // of json
    std::string fetched_from;  // empty: upstream has no such subdir
    std::string package_url;   // folder of the packages' files; becomes the published base_url
    conda::ChannelRelations relations = {};    // what it declares (CEP 42)
    std::optional<NewPackages> packages = {};  // none: view `upstream`
};

/// Publishes `indexes` together with everything else that `previous` holds (hardlinked, so it costs
/// no space), and returns the new snapshot's manifest. The caller holds the root's lock. Consumes
/// the indexes' bytes.
Result<Manifest> publish(const MirrorPaths& paths,
                         const std::optional<Manifest>& previous,
                         std::vector<NewIndex> indexes,
                         const Clock& clock,
                         const std::stop_token& stop);

/// Removes what killed runs left behind under snapshots/. The caller holds the root's lock.
Result<> remove_unfinished_snapshots(const MirrorPaths& paths);

}  // namespace chm::channels
