// Transport over one curl_multi loop in the calling thread. The only file that sees libcurl is
// curl_transport.cpp.
#pragma once

#include "base/clock.hpp"
#include "channels/retry.hpp"
#include "channels/transport.hpp"
#include "config/settings.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

namespace chm::channels {

struct CurlOptions {
    unsigned transfers = 8;             // at once
    unsigned connections_per_host = 8;  // at once
    std::uint64_t limit_rate = 0;       // bytes a second, of all together; 0: no limit
    RetryPolicy retry;
    std::chrono::seconds connect_timeout{30};
    std::chrono::seconds stall_timeout{60};  // no byte for so long: the try has failed
    bool offline = false;  // only file:// is allowed; anything else is an ErrorKind::network
    std::vector<config::ProxyServer> proxy_servers;  // of a scheme without one: the environment's
    std::filesystem::path ca_bundle;                 // PEM, in place of the system's; empty: these
    std::filesystem::path client_cert;               // PEM; empty: none
    std::filesystem::path client_key;                // PEM; empty: in client_cert
};

/// As the user has configured it.
[[nodiscard]] CurlOptions curl_options(const config::Settings& settings);

/// HTTP/2 where offered over TLS; ~/.netrc is honoured, and no_proxy also for configured proxies.
/// A server that asks to wait (Retry-After) is left alone by all transfers for so long. Up to 8
/// redirects, never from https to http, and credentials never go to another
/// host. Bodies are taken as they are: no content encoding is asked for. `clock` must outlive the
/// transport.
std::unique_ptr<Transport> make_curl_transport(const CurlOptions& options, const Clock& clock);

}  // namespace chm::channels
