#include "config/channel_list.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <utility>

namespace chm::config {
namespace {

std::vector<std::string> defaults(const Settings& settings,
                                  const std::vector<std::string>& platforms) {
    if (!settings.default_channels.empty()) {
        return settings.default_channels;
    }
    std::vector<std::string> channels = {"pkgs/main", "pkgs/r"};
    if (std::ranges::any_of(platforms, [](const auto& p) { return p.starts_with("win-"); })) {
        channels.emplace_back("pkgs/msys2");
    }
    return channels;
}

/// A multichannel's members, else `text` alone. A multichannel named "defaults" beats
/// default_channels, as in conda.
std::vector<std::string> members(std::string_view text,
                                 const Settings& settings,
                                 const std::vector<std::string>& platforms) {
    const auto& multichannels = settings.custom_multichannels;
    const auto found = std::ranges::find(multichannels, text, &Multichannel::name);
    if (found != multichannels.end()) {
        return found->channels;
    }
    return text == "defaults" ? defaults(settings, platforms) : std::vector{std::string(text)};
}

}  // namespace

Result<std::vector<conda::Channel>> expand_channels(const std::vector<std::string>& texts,
                                                    const Settings& settings,
                                                    const std::vector<std::string>& platforms) {
    std::vector<conda::Channel> channels;
    for (const std::string& text : texts) {
        for (const std::string& member : members(trim(text), settings, platforms)) {
            CHM_TRY(conda::Channel channel, conda::parse_channel(member));
            if (std::ranges::find(channels, channel) == channels.end()) {
                channels.push_back(std::move(channel));
            }
        }
    }
    return channels;
}

}  // namespace chm::config
