// Back (or forth) to another snapshot that the mirror still has.
#pragma once

#include "base/clock.hpp"
#include "base/result.hpp"
#include "channels/snapshot.hpp"

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

namespace chm::channels {

struct RollbackReport {
    Manifest manifest;                // of the snapshot that is current now
    std::string before;               // the id that was; empty: none
    std::uint64_t names_added = 0;    // package files that got their public name
    std::uint64_t names_changed = 0;  // … whose public name had other bytes
};

/// Makes the snapshot that `text` means (resolve_snapshot) the current one: proves it whole, makes the
/// public names that it needs, and flips `current`. Naming the current one only makes its names anew.
/// Takes the root's lock. What the next sync knows of upstream is compared with the index that is
/// current then, so it fetches what is newer. ErrorKind::integrity when the snapshot is not whole; then
/// the mirror is as it was.
Result<RollbackReport> rollback(const MirrorPaths& paths,
                                std::string_view text,
                                const Clock& clock,
                                const std::stop_token& stop);

}  // namespace chm::channels
