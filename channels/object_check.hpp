// Hashes stored objects with all cores.
#pragma once

#include "base/result.hpp"
#include "channels/object_store.hpp"
#include "channels/snapshot_check.hpp"
#include "channels/verify_mirror.hpp"

#include <cstdint>
#include <vector>

namespace chm::channels {

struct HashedObjects {
    CorruptObjects corrupt;
    std::uint64_t objects = 0;
    std::uint64_t bytes = 0;
};

/// Largest first, so that the end is not one long file on one core. An object that has vanished is left
/// out: who needs it tells.
Result<HashedObjects> hash_objects(const ObjectStore& store,
                                   std::vector<StoredObject> objects,
                                   const VerifyRequest& request,
                                   const VerifyEdges& edges);

}  // namespace chm::channels
