// The key `upstreams`: where channels are fetched from.
#pragma once

#include "base/result.hpp"
#include "config/settings.hpp"
#include "config/yaml.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace chm::config {

/// One URL or a list of them, for all channels, or a mapping channel → URL or list. Errors
/// (ErrorKind::config) repeat no URL: it may hold credentials.
Result<std::vector<UpstreamSetting>> read_upstreams(const YamlNode& node);
/// YAML of one line that read_upstreams reads as the same, without the credentials.
[[nodiscard]] std::string show_upstreams(const std::vector<UpstreamSetting>& upstreams);

/// An upstream's base URL, its credentials split off. `channel` is a canonical name or "default".
Result<UpstreamSetting> parse_upstream(std::string channel, std::string_view url);

}  // namespace chm::config
