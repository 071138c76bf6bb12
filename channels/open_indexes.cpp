#include "channels/open_indexes.hpp"

#include "base/text.hpp"
#include "base/workers.hpp"
#include "conda/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace chm::channels {
namespace {

struct Wanted {
    const SnapshotChannel* channel;
    const SnapshotSubdir* subdir;
};

tl::unexpected<Error> unknown_channel(const Manifest& manifest, const conda::Channel& channel) {
    std::vector<std::string> names;
    names.reserve(manifest.channels.size());
    for (const SnapshotChannel& known : manifest.channels) {
        names.push_back(known.name);
    }
    return fail(
        ErrorKind::usage,
        fmt::format("channel '{}' is not in this mirror (bring it with 'chanmirror sync {}'){}",
                    channel.name,
                    conda::to_argument(channel),
                    did_you_mean(channel.name, names)));
}

Result<std::vector<Wanted>> list_wanted(const Manifest& manifest,
                                        const std::vector<conda::Channel>& channels,
                                        std::string_view platform) {
    std::vector<Wanted> wanted;
    bool platform_found = false;
    for (const conda::Channel& channel : channels) {
        const SnapshotChannel* known = manifest.find(channel);
        if (known == nullptr) {
            return unknown_channel(manifest, channel);
        }
        for (const std::string_view subdir : {platform, conda::k_noarch}) {
            const SnapshotSubdir* found = known->find(subdir);
            platform_found |= found != nullptr && subdir == platform;
            const bool listed = std::any_of(
                wanted.begin(), wanted.end(), [&](const Wanted& w) { return w.subdir == found; });
            if (found != nullptr && !listed) {
                wanted.push_back({known, found});
            }
        }
    }
    if (!platform_found) {
        return fail(
            ErrorKind::usage,
            fmt::format("platform '{0}' is not in this mirror for any of the channels; bring it "
                        "with 'chanmirror sync --subdir {0}'",
                        platform));
    }
    return wanted;
}

}  // namespace

Result<std::vector<SubdirIndex>> open_indexes(const MirrorPaths& paths,
                                              const Manifest& manifest,
                                              const std::vector<conda::Channel>& channels,
                                              std::string_view platform) {
    CHM_TRY(const std::vector<Wanted> wanted, list_wanted(manifest, channels, platform));
    std::vector<std::optional<SubdirIndex>> opened(wanted.size());
    const auto open_one = [&](std::size_t i) -> Result<> {
        const auto& [channel, subdir] = wanted[i];
        CHM_TRY(std::string json, read_index(paths, manifest, *channel, *subdir));
        CHM_TRY(opened[i],
                SubdirIndex::open(std::move(json), {channel->name, channel->url}, subdir->subdir));
        return {};
    };
    CHM_CHECK(for_each_parallel(wanted.size(), default_threads(), open_one));
    std::vector<SubdirIndex> indexes;
    indexes.reserve(opened.size());
    for (auto& index : opened) {
        indexes.push_back(std::move(*index));
    }
    return indexes;
}

}  // namespace chm::channels
