// Everything a run may depend on, frozen once loaded. Plain values; every default stands here.
#pragma once

#include "base/secret.hpp"
#include "conda/channel.hpp"
#include "conda/channel_relations.hpp"
#include "conda/virtual_package.hpp"
#include "config/package_policy.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace chm::config {

/// Which channel may provide a name (conda's channel_priority).
enum class ChannelPriority {
    strict,    // only the first channel that has the name
    flexible,  // a higher channel's candidate beats any of a lower one
    disabled,  // version first, channel only as a tie-break
};

/// Where one channel's bytes come from, when that is not its canonical URL. Of several for one
/// channel the first is preferred, as far as ranking (Settings::rank_upstreams) leaves the order.
struct UpstreamSetting {
    std::string channel;  // channel name, or "default" for all that are not named
    std::string
        base_url;  // without the channel's name: "https://mirrors.example.org/anaconda/cloud"
    conda::Credentials credentials = {};  // for that host
};

/// A proxy for all URLs of one scheme; without any, the usual environment variables decide.
struct ProxyServer {
    std::string scheme;  // of the URLs that are fetched: "http", "https"
    std::string url;     // without credentials
    std::optional<Secret> user_password = {};
};

/// Several channels under one name, as conda's custom_multichannels.
struct Multichannel {
    std::string name;
    std::vector<std::string> channels;  // in order of priority
};

struct Settings {
    std::filesystem::path root;  // absolute
    std::vector<std::string> channels = {
        "pytorch", "nvidia", "conda-forge"};         // in order of priority
    std::vector<std::string> default_channels;       // of "defaults"; empty: as conda has them
    std::vector<Multichannel> custom_multichannels;  // one may be named "defaults"
    unsigned channel_relations_max_depth = conda::k_channel_relations_max_depth;  // 0: ignored
    std::vector<std::string> subdirs;  // empty: this host's platform; noarch always comes with it
    std::vector<UpstreamSetting> upstreams;  // empty: every channel's canonical URL
    std::vector<PackageSettings> packages;   // empty: no channel's packages are stored
    unsigned max_shrink = 10;      // percent of its records that an index may lose in one sync
    bool rank_upstreams = true;    // of several upstreams, ask the fastest first
    unsigned jobs = 8;             // transfers at once
    unsigned jobs_per_host = 8;    // connections to one server at once
    std::uint64_t limit_rate = 0;  // bytes a second, of all transfers together; 0: no limit
    unsigned retries = 4;          // further tries of a transfer that failed in a passing way
    std::chrono::seconds stall_timeout{60};  // a transfer with no byte for so long is tried again
    std::vector<ProxyServer> proxy_servers;
    std::filesystem::path ca_bundle;            // PEM; empty: the system's
    std::filesystem::path client_ssl_cert;      // PEM; empty: none
    std::filesystem::path client_ssl_cert_key;  // PEM; empty: it is in client_ssl_cert

    ChannelPriority channel_priority = ChannelPriority::strict;
    bool add_pip_as_python_dependency = true;
    std::vector<conda::VirtualPackage> virtual_packages;  // overrides of the platform's defaults
};

}  // namespace chm::config
