// Transport: the edge to the network. A batch of GETs goes out, their answers come back; how
// connections, redirects and retries work is the implementation's business (curl_transport.hpp),
// and tests can put a fake in its place.
#pragma once

#include "base/reporter.hpp"
#include "base/result.hpp"
#include "conda/channel.hpp"

#include <chrono>
#include <cstddef>
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

/// How much of a body a sink has, before a try.
struct ResumePoint {
    std::uint64_t offset = 0;  // the server is asked for what follows
    /// Of the version that these bytes are of, where that is known: the server is told to send the
    /// rest only of that one, and else the whole file (If-Range, RFC 9110 §13.1.5).
    std::string etag;
};

/// What comes next.
struct BodyStart {
    std::uint64_t offset = 0;  // of the first byte to come; 0: the file from its beginning
    std::optional<std::uint64_t> total;  // size of the whole file, where the server says it
    std::string etag;                    // as sent; may be empty or weak
};

/// Takes a body that is too large for memory or worth continuing. Per try: start_try, then begin
/// and writes if the server sends a body with 200 or 206, then end_try. An Error of any of them ends
/// the transfer with that Error; it is not tried again.
class BodySink {
public:
    BodySink() = default;
    BodySink(const BodySink&) = delete;
    BodySink& operator=(const BodySink&) = delete;
    virtual ~BodySink() = default;

    virtual ResumePoint start_try() = 0;
    /// The server decides where it starts; what does not fit is the sink's to refuse.
    virtual Result<> begin(const BodyStart& start) = 0;
    virtual Result<> write(std::span<const std::byte> bytes) = 0;
    /// Nothing more comes in this try, whether it went well or not.
    virtual Result<> end_try() = 0;
};

struct TransferRequest {
    std::string url;  // http, https or file; without credentials
    conda::Credentials credentials;
    std::string label;            // what progress shows: "conda-forge/linux-64/repodata.json.zst"
    Validators validators;        // not empty: a conditional request, which may be answered 304
    std::uint64_t max_bytes = 0;  // a longer body is an error (ErrorKind::integrity)
    /// Takes the body in place of TransferResponse::body, and sees to its length itself.
    BodySink* sink = nullptr;
    std::optional<std::uint64_t> expected_bytes = {};  // for progress, until the server says more
    bool no_cache = false;  // asks caches on the way to ask the server (RFC 9111 §5.2.1.4)
    std::optional<unsigned> max_retries = {};  // where fewer are worth it than as configured
    std::chrono::seconds time_limit{0};        // of one try; 0: none, as long as it moves
};

struct TransferResponse {
    int status = 0;    // HTTP's; file:// answers 200, 206, 404 or 416
    std::string body;  // empty when it went to a sink
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
    /// ::interrupted once `stop` is requested, or a sink's own. Errors name the URL. With a sink, a
    /// busy server's last status (503, 429) is a response too, since another source may do; a
    /// broken body is continued, and only tries that did not move it forward count as retries.
    virtual std::vector<Result<TransferResponse>> fetch(std::span<const TransferRequest> requests,
                                                        Reporter& reporter,
                                                        std::stop_token stop) = 0;
};

}  // namespace chm::channels
