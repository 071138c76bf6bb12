// The key table and one reader per value type.
#include "config/keys.hpp"

#include "base/text.hpp"
#include "conda/channel.hpp"
#include "conda/platform.hpp"
#include "config/network_values.hpp"
#include "config/upstream_list.hpp"
#include "config/yaml_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

namespace chm::config {
namespace {

constexpr std::array k_priorities = {
    std::pair{ChannelPriority::strict, std::string_view{"strict"}},
    std::pair{ChannelPriority::flexible, std::string_view{"flexible"}},
    std::pair{ChannelPriority::disabled, std::string_view{"disabled"}},
};

struct Range {
    unsigned low;
    unsigned high;
};

Result<unsigned> read_count(const YamlNode& node, Range range) {
    CHM_TRY(const std::string text, read_text(node));
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < range.low ||
        value > range.high) {
        return fail(ErrorKind::config,
                    fmt::format("expected a whole number from {} to {}, got '{}'",
                                range.low,
                                range.high,
                                printable(text)));
    }
    return value;
}

/// A list of channels; `allowed` is a name that is none.
Result<std::vector<std::string>> read_channels(const YamlNode& node,
                                               std::string_view allowed = "") {
    CHM_TRY(std::vector<std::string> channels, read_list(node));
    for (const std::string& channel : channels) {
        if (channel != allowed) {
            CHM_CHECK(conda::parse_channel(channel));
        }
    }
    return channels;
}

Result<> set_channels(Settings& settings, const YamlNode& node) {
    CHM_TRY(settings.channels, read_channels(node, "defaults"));
    if (settings.channels.empty()) {
        return fail(ErrorKind::config, "expected at least one channel");
    }
    return {};
}

/// A mapping name → list of channels. Its members are channels, not multichannels, as in conda.
Result<> set_multichannels(Settings& settings, const YamlNode& node) {
    const YamlMap* map = node.map();
    if (map == nullptr) {
        return fail(ErrorKind::config, "expected a mapping, such as {torch: [pytorch, nvidia]}");
    }
    settings.custom_multichannels.clear();
    for (const YamlMember& member : *map) {
        if (member.key == "local" || member.key.find("://") != std::string::npos) {
            return fail(ErrorKind::config,
                        fmt::format("{} cannot be the name of a multichannel (conda keeps 'local', "
                                    "and a URL is a channel)",
                                    quote_safely(member.key)));
        }
        if (member.key != "defaults") {
            CHM_CHECK(conda::parse_channel(member.key));
        }
        auto channels = read_channels(member.node);
        if (!channels) {
            return fail(with_context(std::move(channels).error(), printable(member.key)));
        }
        if (channels->empty()) {
            return fail(ErrorKind::config,
                        fmt::format("{}: expected at least one channel", printable(member.key)));
        }
        settings.custom_multichannels.push_back({member.key, std::move(*channels)});
    }
    return {};
}

std::string show_multichannels(const Settings& settings) {
    std::vector<std::string> items;
    items.reserve(settings.custom_multichannels.size());
    for (const Multichannel& multichannel : settings.custom_multichannels) {
        items.push_back(
            fmt::format("{}: {}", flow_text(multichannel.name), flow_list(multichannel.channels)));
    }
    return fmt::format("{{{}}}", fmt::join(items, ", "));
}

Result<> set_subdirs(Settings& settings, const YamlNode& node) {
    CHM_TRY(settings.subdirs, read_list(node));
    for (const std::string& subdir : settings.subdirs) {
        CHM_CHECK(conda::parse_subdir(subdir));
    }
    return {};
}

/// A mapping name → version ("__cuda: 12.4"); "version=build" where the build matters.
Result<> set_virtual_packages(Settings& settings, const YamlNode& node) {
    const YamlMap* map = node.map();
    if (map == nullptr) {
        return fail(ErrorKind::config, "expected a mapping, such as {__cuda: 12.4}");
    }
    settings.virtual_packages.clear();
    for (const YamlMember& member : *map) {
        const YamlList* list = member.node.list();
        const bool is_null =
            list != nullptr && list->empty();  // "__cuda:", as "__cuda: ''": absent
        if (member.node.scalar() == nullptr && !is_null) {
            return fail(
                ErrorKind::config,
                fmt::format("expected a version for '{}', such as 12.4", printable(member.key)));
        }
        const std::string version = is_null ? "" : *member.node.scalar();
        CHM_TRY(conda::VirtualPackage package,
                conda::parse_virtual_package(member.key + "=" + version));
        settings.virtual_packages.push_back(std::move(package));
    }
    return {};
}

std::string show_virtual_packages(const Settings& settings) {
    std::vector<std::string> items;
    items.reserve(settings.virtual_packages.size());
    for (const conda::VirtualPackage& package : settings.virtual_packages) {
        const std::string value =
            package.version.empty() ? "" : fmt::format("{}={}", package.version, package.build);
        items.push_back(fmt::format("{}: {}", package.name, flow_text(value)));
    }
    return fmt::format("{{{}}}", fmt::join(items, ", "));
}

constexpr std::array k_keys = {
    Key{"root",
        "CHANMIRROR_ROOT",
        "folder of the mirror; a relative path starts at this file's folder",
        "/srv/chanmirror",
        [](Settings& settings, const YamlNode& node) -> Result<> {
            CHM_TRY(const std::string text, read_text(node));
            settings.root = text;
            return {};
        },
        [](const Settings& settings) { return flow_text(settings.root.string()); }},
    Key{"channels",
        "",
        "channels to mirror and to solve with, in order of priority",
        "[pytorch, nvidia, conda-forge]",
        set_channels,
        [](const Settings& settings) { return flow_list(settings.channels); }},
    Key{"custom_multichannels",
        "",
        "names for several channels at once, as in conda",
        "{torch: [pytorch, nvidia, conda-forge]}",
        set_multichannels,
        show_multichannels},
    Key{"default_channels",
        "",
        "what 'defaults' stands for (default: pkgs/main, pkgs/r and for Windows pkgs/msys2)",
        "[pkgs/main, pkgs/r]",
        [](Settings& settings, const YamlNode& node) -> Result<> {
            CHM_TRY(settings.default_channels, read_channels(node));
            return {};
        },
        [](const Settings& settings) { return flow_list(settings.default_channels); }},
    Key{"channel_relations_max_depth",
        "",
        "how far to follow what channels declare to build on (CEP 42); 0: not at all",
        "10",
        [](Settings& settings, const YamlNode& node) -> Result<> {
            CHM_TRY(settings.channel_relations_max_depth, read_count(node, {0, 64}));
            return {};
        },
        [](const Settings& settings) {
            return std::to_string(settings.channel_relations_max_depth);
        }},
    Key{"subdirs",
        "",
        "platforms to mirror; noarch always comes with them (default: this host's)",
        "[linux-64]",
        set_subdirs,
        [](const Settings& settings) { return flow_list(settings.subdirs); }},
    Key{"upstreams",
        "",
        "where to fetch from, per channel, without the channel's name; several: as a list "
        "(default: "
        "its own URL)",
        "{conda-forge: [https://mirror.example.org/conda, https://conda.anaconda.org]}",
        [](Settings& settings, const YamlNode& node) -> Result<> {
            CHM_TRY(settings.upstreams, read_upstreams(node));
            return {};
        },
        [](const Settings& settings) { return show_upstreams(settings.upstreams); }},
    Key{"rank_upstreams",
        "",
        "of several upstreams of a channel, ask the fastest first (measured once a week)",
        "true",
        [](Settings& settings, const YamlNode& node) -> Result<> {
            CHM_TRY(settings.rank_upstreams, read_flag(node));
            return {};
        },
        [](const Settings& settings) {
            return std::string(settings.rank_upstreams ? "true" : "false");
        }},
    Key{"packages",
        "",
        "what package files are stored, per channel: none, matching or all (default: none)",
        "{pytorch: all, default: {match: [python 3.11.*, numpy], prefer_conda: true}}",
        [](Settings& settings, const YamlNode& node) -> Result<> {
            CHM_TRY(settings.packages, read_packages(node));
            return {};
        },
        [](const Settings& settings) { return show_packages(settings.packages); }},
    Key{"jobs",
        "CHANMIRROR_JOBS",
        "transfers at once",
        "8",
        [](Settings& settings, const YamlNode& node) -> Result<> {
            CHM_TRY(settings.jobs, read_count(node, {1, 256}));
            return {};
        },
        [](const Settings& settings) { return std::to_string(settings.jobs); }},
    Key{"jobs_per_host",
        "",
        "connections to one server at once",
        "8",
        [](Settings& settings, const YamlNode& node) -> Result<> {
            CHM_TRY(settings.jobs_per_host, read_count(node, {1, 256}));
            return {};
        },
        [](const Settings& settings) { return std::to_string(settings.jobs_per_host); }},
    Key{"limit_rate",
        "CHANMIRROR_LIMIT_RATE",
        "bytes a second that all transfers together may take, such as 10M; 0: no limit",
        "0",
        [](Settings& settings, const YamlNode& node) -> Result<> {
            CHM_TRY(const std::string text, read_text(node));
            CHM_TRY(settings.limit_rate, parse_limit_rate(text));
            return {};
        },
        [](const Settings& settings) { return std::to_string(settings.limit_rate); }},
    Key{"proxy_servers",
        "",
        "proxies by the scheme of what is fetched, as in conda (default: http_proxy, https_proxy, "
        "no_proxy of the environment)",
        "{https: 'http://proxy.example.org:3128'}",
        [](Settings& settings, const YamlNode& node) -> Result<> {
            CHM_TRY(settings.proxy_servers, read_proxy_servers(node));
            return {};
        },
        [](const Settings& settings) { return show_proxy_servers(settings.proxy_servers); }},
    Key{"ssl_verify",
        "CHANMIRROR_SSL_VERIFY",
        "file of the certificate authorities to trust (PEM); true: the system's",
        "/etc/ssl/certs/our-proxy.pem",
        [](Settings& settings, const YamlNode& node) -> Result<> {
            CHM_TRY(settings.ca_bundle, read_ssl_verify(node));
            return {};
        },
        [](const Settings& settings) { return show_path(settings.ca_bundle, "true"); }},
    Key{"client_ssl_cert",
        "CHANMIRROR_CLIENT_SSL_CERT",
        "client certificate that upstreams ask for (PEM)",
        "/etc/ssl/mirror.pem",
        [](Settings& settings, const YamlNode& node) -> Result<> {
            CHM_TRY(settings.client_ssl_cert, read_path(node));
            return {};
        },
        [](const Settings& settings) { return show_path(settings.client_ssl_cert, "''"); }},
    Key{"client_ssl_cert_key",
        "CHANMIRROR_CLIENT_SSL_CERT_KEY",
        "its key (PEM), unless it is in the same file",
        "/etc/ssl/mirror.key",
        [](Settings& settings, const YamlNode& node) -> Result<> {
            CHM_TRY(settings.client_ssl_cert_key, read_path(node));
            return {};
        },
        [](const Settings& settings) { return show_path(settings.client_ssl_cert_key, "''"); }},
    Key{"retries",
        "CHANMIRROR_RETRIES",
        "further tries of a transfer that failed in a passing way",
        "4",
        [](Settings& settings, const YamlNode& node) -> Result<> {
            CHM_TRY(settings.retries, read_count(node, {0, 100}));
            return {};
        },
        [](const Settings& settings) { return std::to_string(settings.retries); }},
    Key{"stall_timeout",
        "CHANMIRROR_STALL_TIMEOUT",
        "seconds without a byte after which a transfer is tried again",
        "60",
        [](Settings& settings, const YamlNode& node) -> Result<> {
            CHM_TRY(const unsigned seconds, read_count(node, {1, 86'400}));
            settings.stall_timeout = std::chrono::seconds(seconds);
            return {};
        },
        [](const Settings& settings) { return std::to_string(settings.stall_timeout.count()); }},
    Key{"max_shrink",
        "",
        "percent of its records that an index may lose in one sync (then: --accept-shrink)",
        "10",
        [](Settings& settings, const YamlNode& node) -> Result<> {
            CHM_TRY(settings.max_shrink, read_count(node, {0, 100}));
            return {};
        },
        [](const Settings& settings) { return std::to_string(settings.max_shrink); }},
    Key{"channel_priority",
        "CHANMIRROR_CHANNEL_PRIORITY",
        "strict, flexible or disabled, as in conda",
        "strict",
        [](Settings& settings, const YamlNode& node) -> Result<> {
            CHM_TRY(const std::string text, read_text(node));
            CHM_TRY(settings.channel_priority, parse_channel_priority(text));
            return {};
        },
        [](const Settings& settings) { return std::string(to_text(settings.channel_priority)); }},
    Key{"add_pip_as_python_dependency",
        "",
        "a solution that has python also gets pip, as with conda and mamba",
        "true",
        [](Settings& settings, const YamlNode& node) -> Result<> {
            CHM_TRY(settings.add_pip_as_python_dependency, read_flag(node));
            return {};
        },
        [](const Settings& settings) {
            return std::string(settings.add_pip_as_python_dependency ? "true" : "false");
        }},
    Key{"virtual_packages",
        "",
        "what target machines offer, beside the platform's defaults",
        "{__cuda: 12.4, __glibc: 2.28}",
        set_virtual_packages,
        show_virtual_packages},
};

}  // namespace

std::span<const Key> keys() {
    return k_keys;
}

const Key* find_key(std::string_view name) {
    for (const Key& key : k_keys) {
        if (key.name == name) {
            return &key;
        }
    }
    return nullptr;
}

std::string_view to_text(ChannelPriority priority) {
    for (const auto& [value, name] : k_priorities) {
        if (value == priority) {
            return name;
        }
    }
    return "strict";
}

Result<ChannelPriority> parse_channel_priority(std::string_view text) {
    std::vector<std::string> names;
    for (const auto& [value, name] : k_priorities) {
        if (name == text) {
            return value;
        }
        names.emplace_back(name);
    }
    return fail(ErrorKind::config,
                fmt::format("expected strict, flexible or disabled, got '{}'{}",
                            printable(text),
                            did_you_mean(text, names)));
}

}  // namespace chm::config
