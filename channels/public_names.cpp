#include "channels/public_names.hpp"

#include "base/atomic_file.hpp"
#include "base/file.hpp"

namespace chm::channels {
namespace {

namespace fs = std::filesystem;

Result<> link_names_of(const MirrorPaths& paths,
                       std::string_view channel,
                       std::string_view subdir) {
    const fs::path folder = paths.published() / channel / subdir;
    CHM_CHECK(make_directories(folder));
    for (const std::string_view file : k_index_names) {
        const fs::path destination = public_destination(channel, subdir, file);
        std::error_code ignored;
        if (fs::read_symlink(folder / file, ignored) == destination) {
            continue;
        }
        CHM_CHECK(replace_symlink(folder / file, destination));
    }
    return {};
}

}  // namespace

fs::path public_destination(std::string_view channel,
                            std::string_view subdir,
                            std::string_view file) {
    const fs::path below = fs::path("public") / channel / subdir;
    fs::path up;
    for (auto it = below.begin(); it != below.end(); ++it) {
        up /= "..";
    }
    return up / "current" / below / file;
}

Result<> link_public_indexes(const MirrorPaths& paths, const Manifest& manifest) {
    for (const SnapshotChannel& channel : manifest.channels) {
        for (const SnapshotSubdir& subdir : channel.subdirs) {
            if (auto linked = link_names_of(paths, channel.name, subdir.subdir); !linked) {
                return linked;
            }
        }
    }
    return {};
}

}  // namespace chm::channels
