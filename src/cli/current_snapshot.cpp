#include "cli/current_snapshot.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>

namespace chm::cli {

Result<channels::Manifest> current_snapshot(const channels::MirrorPaths& paths) {
    CHM_TRY(std::optional<channels::Manifest> manifest, channels::read_current(paths));
    if (!manifest) {
        std::error_code ignored;
        const bool there = std::filesystem::exists(paths.root(), ignored);
        return fail(
            ErrorKind::usage,
            fmt::format("the mirror {} {}; run 'chanmirror sync' first, or name another with "
                        "--root",
                        paths.root().string(),
                        there ? "is empty" : "does not exist"));
    }
    return std::move(*manifest);
}

}  // namespace chm::cli
