// The one table of configuration keys: it drives parsing, `chanmirror config`, and the file that
// `chanmirror init` writes. Adding a key is adding a row.
#pragma once

#include "base/result.hpp"
#include "config/settings.hpp"
#include "config/yaml.hpp"

#include <span>
#include <string>
#include <string_view>

namespace chm::config {

struct Key {
    std::string_view name;         // as in chanmirror.yml
    std::string_view environment;  // variable that overrides it; empty: none
    std::string_view help;         // one line for people
    std::string_view example;      // YAML after "name:", for the commented file
    /// Puts `node` into `settings`. Errors have no position; the caller knows the file and line.
    Result<> (*set)(Settings& settings, const YamlNode& node);
    /// The value in effect, as one line of YAML flow style.
    std::string (*show)(const Settings& settings);
};

[[nodiscard]] std::span<const Key> keys();
/// nullptr when there is no such key.
[[nodiscard]] const Key* find_key(std::string_view name);

[[nodiscard]] std::string_view to_text(ChannelPriority priority);
Result<ChannelPriority> parse_channel_priority(std::string_view text);

}  // namespace chm::config
