#include "cli/current_snapshot.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace chm::cli {

Result<channels::Manifest> current_snapshot(const channels::MirrorPaths& paths) {
    CHM_TRY(std::optional<channels::Manifest> manifest, channels::read_current(paths));
    if (!manifest) {
        return fail(
            ErrorKind::usage,
            fmt::format(
                "the mirror {} is empty; run 'chanmirror sync' first, or name another with --root",
                paths.root().string()));
    }
    return std::move(*manifest);
}

}  // namespace chm::cli
