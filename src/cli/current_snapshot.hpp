// The mirror's current snapshot, for commands that cannot do without one.
#pragma once

#include "base/result.hpp"
#include "channels/snapshot.hpp"

namespace chm::cli {

/// ErrorKind::usage when nothing has been synced into the root yet, with what to do.
Result<channels::Manifest> current_snapshot(const channels::MirrorPaths& paths);

}  // namespace chm::cli
