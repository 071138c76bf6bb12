#include "config/upstream_list.hpp"

#include "conda/channel.hpp"
#include "config/yaml_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace chm::config {
namespace {

/// Adds the upstreams of `channel` (a canonical name, or "default"), in order of preference.
Result<> add_upstreams(const std::string& channel,
                       const YamlNode& node,
                       std::vector<UpstreamSetting>& upstreams) {
    if (node.map() != nullptr) {
        return fail(ErrorKind::config, "expected a URL or a list of URLs");
    }
    CHM_TRY(const std::vector<std::string> urls, read_list(node));
    if (urls.empty()) {
        return fail(ErrorKind::config, "expected a URL or a list of URLs");
    }
    for (const std::string& url : urls) {
        CHM_TRY(UpstreamSetting upstream, parse_upstream(channel, url));
        const bool is_known = std::ranges::any_of(upstreams, [&](const UpstreamSetting& other) {
            return other.channel == channel && other.base_url == upstream.base_url;
        });
        if (is_known) {
            return fail(ErrorKind::config,
                        fmt::format("{} has the same upstream twice (its URL is not shown: it may "
                                    "hold credentials)",
                                    channel));
        }
        upstreams.push_back(std::move(upstream));
    }
    return {};
}

}  // namespace

Result<std::vector<UpstreamSetting>> read_upstreams(const YamlNode& node) {
    std::vector<UpstreamSetting> upstreams;
    const YamlMap* map = node.map();
    if (map == nullptr) {
        CHM_CHECK(add_upstreams("default", node, upstreams));
        return upstreams;
    }
    for (const YamlMember& member : *map) {
        std::string name = member.key;
        if (name != "default") {
            CHM_TRY(conda::Channel channel, conda::parse_channel(name));
            name = std::move(channel.name);
        }
        if (std::ranges::find(upstreams, name, &UpstreamSetting::channel) != upstreams.end()) {
            return fail(ErrorKind::config, fmt::format("channel '{}' is given twice", name));
        }
        CHM_CHECK(add_upstreams(name, member.node, upstreams));
    }
    return upstreams;
}

std::string show_upstreams(const std::vector<UpstreamSetting>& upstreams) {
    std::vector<std::string> items;
    for (auto first = upstreams.begin(); first != upstreams.end();) {
        std::vector<std::string> urls;
        auto next = first;
        for (; next != upstreams.end() && next->channel == first->channel; ++next) {
            urls.push_back(next->base_url);
        }
        items.push_back(fmt::format("{}: {}",
                                    flow_text(first->channel),
                                    urls.size() == 1 ? flow_text(urls[0]) : flow_list(urls)));
        first = next;
    }
    return fmt::format("{{{}}}", fmt::join(items, ", "));
}

Result<UpstreamSetting> parse_upstream(std::string channel, std::string_view url) {
    CHM_TRY(conda::SplitUrl split, conda::split_credentials(url));
    if (split.url.find_first_of("?#") != std::string::npos) {
        return fail(
            ErrorKind::config,
            "an upstream's URL has no '?' or '#' part (not shown: it may hold credentials)");
    }
    if (!split.url.starts_with("file:") && split.url.find("/t/") != std::string::npos) {
        return fail(
            ErrorKind::config,
            "an upstream's token stands behind the host: https://HOST/t/TOKEN/PATH (not shown)");
    }
    return UpstreamSetting{std::move(channel), std::move(split.url), std::move(split.credentials)};
}

}  // namespace chm::config
