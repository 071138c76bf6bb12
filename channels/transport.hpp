// Transport: the edge to the network. A batch of GETs goes out, their answers come back; how
// connections, redirects and retries work is the implementation's business (curl_transport.hpp),
// and tests can put a fake in its place.
#pragma once

#include "base/reporter.hpp"
#include "base/result.hpp"
#include "conda/channel.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace chm::channels {

/// What a server said about a file's identity, and what we send to ask whether it changed.
struct Validators {
    std::string etag;           // as sent, with quotes and W/
    std::string last_modified;  // HTTP date, as sent

    [[nodiscard]] bool empty() const { return etag.empty() && last_modified.empty(); }
    bool operator==(const Validators&) const = default;
};

struct TransferRequest {
    std::string url;  // http, https or file; without credentials
    conda::Credentials credentials;
    std::string label;            // what progress shows: "conda-forge/linux-64/repodata.json.zst"
    Validators validators;        // not empty: a conditional request, which may be answered 304
    std::uint64_t max_bytes = 0;  // a longer body is an error (ErrorKind::integrity)
};

struct TransferResponse {
    int status = 0;  // HTTP's; file:// answers 200 or 404
    std::string body;
    Validators validators;
    std::string url;  // the one that answered, after redirects; without credentials
};

class Transport {
public:
    Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() = default;

    /// Carries out all requests, several at once, and returns their outcomes in the same order. An
    /// answer with any final status is a response; an Error means that there was none:
    /// ErrorKind::network after the retries are used up, ::integrity for an over-long body,
    /// ::interrupted once `stop` is requested. Errors name the URL.
    virtual std::vector<Result<TransferResponse>> fetch(std::span<const TransferRequest> requests,
                                                        Reporter& reporter,
                                                        std::stop_token stop) = 0;
};

}  // namespace chm::channels
