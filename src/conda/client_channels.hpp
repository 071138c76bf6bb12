// Where a conda client finds the channels a user names: the rules of conda's own configuration
// (channel_alias, custom_channels, custom_multichannels, default_channels, migrated_…), as conda
// 26.7 applies them. It models a client; what this mirror calls a channel is channel.hpp.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "conda/url.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chm::conda {

/// The keys of a .condarc that say where channels are, as written there. Any URL may hold
/// credentials, so all of them are Secrets until ClientChannels has taken them apart.
struct ClientChannelKeys {
    std::optional<Secret> channel_alias = {};            // absent: k_default_channel_alias
    std::map<std::string, Secret> custom_channels = {};  // the value lacks the channel's name
    /// In the file's order, which decides what a channel of several is called.
    std::vector<std::pair<std::string, std::vector<Secret>>> custom_multichannels = {};
    std::optional<std::vector<Secret>> default_channels = {};  // absent: pkgs/main, pkgs/r, …
    std::map<std::string, Secret> migrated_custom_channels = {};
    std::vector<Secret> migrated_channel_aliases = {};
};

/// A place that serves channels: "https" and "conda.anaconda.org", "10.2.3.4:8080/conda", or "file"
/// and an absolute folder.
struct ChannelLocation {
    std::string scheme;
    std::string path;  // "host[:port][/path]" without a slash at the end
    Credentials credentials = {};
};

/// One channel as the client sees it.
struct ClientChannel {
    ChannelLocation location;
    std::string name;    // "nvidia/label/cuda-12.4.1"; empty: the location itself is the channel
    std::string subdir;  // empty: the platform's and noarch
    std::string file;    // of an artifact's URL; else empty

    /// "https://conda.anaconda.org/conda-forge": no credentials, no subdir.
    [[nodiscard]] std::string base_url() const;
    /// The same channel to conda: scheme and credentials do not count.
    [[nodiscard]] bool is_same(const ClientChannel& other) const;
};

class ClientChannels {
public:
    /// `platform` decides what "defaults" is when default_channels is absent (Windows has
    /// pkgs/msys2 too). ErrorKind::config names the key that holds no URL, never its value.
    static Result<ClientChannels> make(const ClientChannelKeys& keys, std::string_view platform);

    /// A name ("conda-forge", "pkgs/main/linux-64"), a multichannel ("defaults") or a URL, also of
    /// an artifact; several channels for a multichannel. ErrorKind::usage for "local", which is
    /// another machine's conda-build folder, for relative paths and for malformed URLs.
    [[nodiscard]] Result<std::vector<ClientChannel>> expand(std::string_view text) const;
    /// All of `texts` in order, each channel once (its first place counts).
    [[nodiscard]] Result<std::vector<ClientChannel>> expand_all(
        const std::vector<std::string>& texts) const;

    /// What the client shows for a channel, and what `channel::package` is compared with: the
    /// multichannel it belongs to, its name below a known location, else its URL.
    [[nodiscard]] std::string canonical_name(const ClientChannel& channel) const;

private:
    ClientChannels() = default;
    [[nodiscard]] ClientChannel named(std::string_view name) const;
    [[nodiscard]] ClientChannel of_url(ChannelLocation whole, bool has_host) const;

    ChannelLocation alias_;
    std::map<std::string, ClientChannel, std::less<>> custom_;  // multichannels' members as well
    /// In the order of the configuration, "defaults" behind the user's own.
    std::vector<std::pair<std::string, std::vector<ClientChannel>>> multichannels_;
    std::map<std::string, ChannelLocation, std::less<>> migrated_custom_;
    std::vector<ChannelLocation> migrated_aliases_;
};

/// An environment file's channels as `conda env create` has them: the configured ones follow,
/// unless the list has "nodefaults" (CEP 24), which itself is no channel.
[[nodiscard]] std::vector<std::string> with_configured_channels(
    const std::vector<std::string>& environment, const std::vector<std::string>& configured);

}  // namespace chm::conda
