#include "config/network_values.hpp"

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "conda/url.hpp"
#include "config/yaml_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace chm::config {
namespace {

/// With less a transfer would be taken for stalled.
constexpr std::uint64_t k_least_rate = 10'000;

Result<ProxyServer> read_proxy(const YamlMember& member) {
    if (member.key != "http" && member.key != "https") {
        return fail(ErrorKind::config,
                    fmt::format("expected http or https (the scheme of what is fetched), got {}",
                                quote_safely(member.key)));
    }
    CHM_TRY(const std::string text, read_text(member.node));
    auto split = conda::split_credentials(text);
    if (!split || split->credentials.token || split->url.starts_with("file:")) {
        return fail(ErrorKind::config,
                    fmt::format("{}: expected the proxy's URL, such as "
                                "'http://proxy.example.org:3128' (yours is not shown: it may hold "
                                "credentials)",
                                member.key));
    }
    return ProxyServer{
        member.key, std::move(split->url), std::move(split->credentials.user_password)};
}

}  // namespace

Result<std::vector<ProxyServer>> read_proxy_servers(const YamlNode& node) {
    const YamlMap* map = node.map();
    if (map == nullptr) {
        return fail(ErrorKind::config,
                    "expected a mapping, such as {https: 'http://proxy.example.org:3128'}");
    }
    std::vector<ProxyServer> proxies;
    for (const YamlMember& member : *map) {
        CHM_TRY(ProxyServer proxy, read_proxy(member));
        proxies.push_back(std::move(proxy));
    }
    return proxies;
}

std::string show_proxy_servers(const std::vector<ProxyServer>& proxies) {
    std::vector<std::string> items;
    items.reserve(proxies.size());
    for (const ProxyServer& proxy : proxies) {
        items.push_back(fmt::format("{}: {}", proxy.scheme, flow_text(proxy.url)));
    }
    return fmt::format("{{{}}}", fmt::join(items, ", "));
}

Result<std::filesystem::path> read_ssl_verify(const YamlNode& node) {
    const auto flag = read_flag(node);
    if (!flag) {
        return read_path(node);
    }
    if (!*flag) {
        return fail(ErrorKind::config,
                    "a mirror that does not check its upstreams' certificates would take any "
                    "server's packages; behind a proxy that opens TLS, give the file of its "
                    "certificate authority");
    }
    return std::filesystem::path();
}

Result<std::filesystem::path> read_path(const YamlNode& node) {
    const std::string* written = node.scalar();
    if (written != nullptr && written->empty()) {
        return std::filesystem::path();
    }
    if (written != nullptr && written->starts_with('~')) {
        return fail(
            ErrorKind::config,
            fmt::format("'{}': '~' is the shell's; give an absolute path", printable(*written)));
    }
    return read_text(node).map([](const std::string& text) { return std::filesystem::path(text); });
}

std::string show_path(const std::filesystem::path& path, std::string_view none) {
    return path.empty() ? std::string(none) : flow_text(path.string());
}

Result<std::uint64_t> parse_limit_rate(std::string_view text) {
    auto rate = parse_byte_count(text);
    if (!rate) {
        return fail(ErrorKind::config, std::move(rate).error().message);
    }
    if (*rate != 0 && *rate < k_least_rate) {
        return fail(
            ErrorKind::config,
            fmt::format("{} bytes a second is no rate to mirror with; expected at least 10k, "
                        "or 0 for no limit",
                        *rate));
    }
    return rate;
}

}  // namespace chm::config
