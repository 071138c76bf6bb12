// The channels a user names, as channels: names and URLs one by one, "defaults" and the
// configuration's custom_multichannels as their members.
#pragma once

#include "base/result.hpp"
#include "conda/channel.hpp"
#include "config/settings.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace chm::config {

/// In order, each channel once (its first place counts). `platforms` decides what "defaults" is
/// without default_channels: on Windows pkgs/msys2 belongs to it. ErrorKind::usage as
/// conda::parse_channel.
Result<std::vector<conda::Channel>> expand_channels(const std::vector<std::string>& texts,
                                                    const Settings& settings,
                                                    const std::vector<std::string>& platforms);

}  // namespace chm::config
