#include "cli/related_channels.hpp"

#include "conda/channel_relations.hpp"
#include "conda/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace chm::cli {
namespace {

std::vector<conda::ChannelRelations> relations_of(const channels::Manifest& manifest,
                                                  const conda::Channel& channel,
                                                  std::string_view platform) {
    std::vector<conda::ChannelRelations> relations;
    const channels::SnapshotChannel* known = manifest.find(channel);
    if (known == nullptr) {
        return relations;
    }
    for (const std::string_view subdir : {platform, conda::k_noarch}) {
        if (const channels::SnapshotSubdir* found = known->find(subdir); found != nullptr) {
            relations.push_back(found->relations);
        }
    }
    return relations;
}

}  // namespace

Result<std::vector<conda::Channel>> with_relations(const ChannelsOfSolve& wanted,
                                                   const channels::Manifest& manifest,
                                                   Reporter& reporter) {
    CHM_TRY(const std::vector<conda::RelatedChannel> related,
            conda::with_related_channels(
                wanted.heads,
                [&](const conda::Channel& channel) {
                    return relations_of(manifest, channel, wanted.platform);
                },
                wanted.max_depth));
    std::vector<conda::Channel> channels;
    for (const auto& [channel, reason] : related) {
        if (!reason.empty() && manifest.find(channel) == nullptr) {
            reporter.warn(
                fmt::format("channel '{}' ({}) is not in this mirror and left out; "
                            "bring it with 'chanmirror sync {}'",
                            channel.name,
                            reason,
                            conda::to_argument(channel)));
            continue;
        }
        if (!reason.empty()) {
            const bool has_platform = manifest.find(channel)->find(wanted.platform) != nullptr;
            reporter.note(fmt::format("also using channel {} ({}){}",
                                      channel.name,
                                      reason,
                                      has_platform ? "" : ", of which only noarch is here"));
        }
        channels.push_back(channel);
    }
    return channels;
}

void warn_of_missing_relations(const channels::Manifest& manifest,
                               const std::vector<conda::Channel>& channels,
                               Reporter& reporter) {
    std::vector<std::string> warned;
    const auto check = [&](const conda::Channel& declaring, const std::string& reference) {
        if (reference.empty()) {
            return;
        }
        const auto related = conda::related_channel(declaring, reference);
        std::string warning =
            !related ? related.error().message
            : manifest.find(*related) != nullptr
                ? ""
                : fmt::format(
                      "channel '{}' declares a relation to '{}' (CEP 42), which is not in "
                      "this mirror: clients will look for it beside it; bring it with "
                      "'chanmirror sync {}'",
                      declaring.name,
                      related->name,
                      conda::to_argument(*related));
        if (!warning.empty() && std::ranges::find(warned, warning) == warned.end()) {
            reporter.warn(warning);
            warned.push_back(std::move(warning));
        }
    };
    for (const conda::Channel& channel : channels) {
        const channels::SnapshotChannel* known = manifest.find(channel);
        for (std::size_t i = 0; known != nullptr && i < known->subdirs.size(); ++i) {
            check(channel, known->subdirs[i].relations.base);
            check(channel, known->subdirs[i].relations.overrides);
        }
    }
}

}  // namespace chm::cli
