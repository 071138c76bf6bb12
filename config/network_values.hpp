// The keys that say how to reach upstreams: proxies, certificates, the rate. Their names are
// conda's where conda has them.
#pragma once

#include "base/result.hpp"
#include "config/settings.hpp"
#include "config/yaml.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace chm::config {

/// A mapping "http" or "https" (of what is fetched) → the proxy's URL. Errors (ErrorKind::config,
/// as of all here) repeat no URL: it may hold credentials.
Result<std::vector<ProxyServer>> read_proxy_servers(const YamlNode& node);
/// YAML of one line, without the credentials.
[[nodiscard]] std::string show_proxy_servers(const std::vector<ProxyServer>& proxies);

/// conda's ssl_verify: "true" is the empty path, for the system's authorities. "false" is refused:
/// no index is signed, so the server's certificate is all that tells the right one from another.
Result<std::filesystem::path> read_ssl_verify(const YamlNode& node);

/// A file's path, or '' for none. "~/…" is not expanded and so refused: such a file is never found.
Result<std::filesystem::path> read_path(const YamlNode& node);
/// YAML of the path; `none` for the empty one.
[[nodiscard]] std::string show_path(const std::filesystem::path& path, std::string_view none);

/// "10M", "500k", "0": bytes a second.
Result<std::uint64_t> parse_limit_rate(std::string_view text);

}  // namespace chm::config
