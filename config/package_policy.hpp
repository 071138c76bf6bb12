// What of a channel's packages is stored: a setting per channel.
#pragma once

#include "base/result.hpp"
#include "conda/match_spec.hpp"
#include "config/yaml.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace chm::config {

struct Settings;

enum class PackagePolicy {
    none,      // indexes only; packages come from the upstream
    matching,  // records that match one of `match`
    all,
};
[[nodiscard]] std::string_view to_text(PackagePolicy policy);
/// ErrorKind::config with what was expected.
Result<PackagePolicy> parse_package_policy(std::string_view text);

struct PackageSettings {
    std::string channel = "default";  // canonical name, or "default" for all that are not named
    PackagePolicy policy = PackagePolicy::none;
    std::vector<conda::MatchSpec> match;    // of policy `matching`: one must match
    std::vector<conda::MatchSpec> exclude;  // never stored, and not in the closed index
    bool prefer_conda =
        false;  // a .tar.bz2 is left out where the .conda of the same build is taken
    std::string
        licence;  // what the admin states, required to store packages of pkgs/… ("defaults")

    bool operator==(const PackageSettings&) const = default;
};

/// The entry of `channel` (a canonical name), else the one of "default", else policy `none`; its
/// `channel` is then `channel`.
[[nodiscard]] PackageSettings settings_for(const Settings& settings, std::string_view channel);

/// ErrorKind::config when `settings`, which are for one channel, store packages of Anaconda's own
/// channels ("pkgs/…", what "defaults" stands for) and state no licence. To be asked of what
/// settings_for gives: an entry for "default" does not say for which channels it will serve.
Result<> require_licence(const PackageSettings& settings);

/// The key `packages`: one policy for all channels, or a mapping channel → policy or mapping.
/// Errors name the channel, the key, and for a MatchSpec the line.
Result<std::vector<PackageSettings>> read_packages(const YamlNode& node);
/// YAML of one line that read_packages reads as the same settings.
[[nodiscard]] std::string show_packages(const std::vector<PackageSettings>& packages);

}  // namespace chm::config
