// Transport over one curl_multi loop in the calling thread. The only file that sees libcurl is
// curl_transport.cpp.
#pragma once

#include "base/clock.hpp"
#include "channels/retry.hpp"
#include "channels/transport.hpp"

#include <chrono>
#include <memory>

namespace chm::channels {

struct CurlOptions {
    unsigned connections = 8;  // transfers at once
    RetryPolicy retry;
    std::chrono::seconds connect_timeout{30};
    std::chrono::seconds stall_timeout{60};  // no byte for so long: the try has failed
    bool offline = false;  // only file:// is allowed; anything else is an ErrorKind::network
};

/// HTTP/2 where offered over TLS; the environment's proxies, the system's CA bundle and ~/.netrc
/// are honoured. Up to 8 redirects, never from https to http, and credentials never go to another
/// host. Bodies are taken as they are: no content encoding is asked for. `clock` must outlive the
/// transport.
std::unique_ptr<Transport> make_curl_transport(const CurlOptions& options, const Clock& clock);

}  // namespace chm::channels
