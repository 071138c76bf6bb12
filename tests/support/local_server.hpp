// A small HTTP/1.1 server on 127.0.0.1 that serves a directory and misbehaves as a script says. It
// speaks to raw POSIX sockets on purpose: an HTTP library would hide, or refuse to make, exactly
// the faults we need (a body shorter than its Content-Length, a reset in the middle, an answer that
// never comes).
#pragma once

#include "support/http_message.hpp"
#include "support/http_script.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chm::test {

/// A request as the server saw it.
struct RequestRecord {
    std::string method;
    std::string path;  // decoded, without the query
    std::string query;
    std::vector<HttpHeader> headers;           // names in lower case
    std::chrono::steady_clock::time_point at;  // when its head had arrived
    std::uint64_t connection = 0;              // the same number: the same connection
    int status = 0;                // 0 until answered, and for ever if never (hang, close)
    std::uint64_t bytes_sent = 0;  // of the body

    [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const {
        return find_header(headers, name);
    }
};

/// Serves from construction to destruction; the destructor does not wait for delays, slow bodies or
/// clients. Safe to use from several threads.
class LocalServer {
public:
    /// Called once per request, one at a time, when its outcome is certain: just before the last
    /// bytes leave, so that a client that has its answer also finds what this wrote.
    using OnFinished = std::function<void(const RequestRecord&)>;

    /// Throws std::runtime_error when there is no socket to be had: a test cannot go on without its
    /// server.
    explicit LocalServer(std::filesystem::path root, OnFinished on_finished = {});
    LocalServer(const LocalServer&) = delete;
    LocalServer& operator=(const LocalServer&) = delete;
    ~LocalServer();

    /// "http://127.0.0.1:PORT" and `path`, which starts with '/' if not empty.
    [[nodiscard]] std::string url(std::string_view path = "") const;
    [[nodiscard]] std::uint16_t port() const;

    /// Replaces all rules; counts start over.
    void set_script(Script script);
    /// Appends a rule.
    void add_rule(Rule rule);

    /// All requests in order of arrival, also those still being answered.
    [[nodiscard]] std::vector<RequestRecord> requests() const;
    /// Forgets the requests so far and the peak.
    void clear_requests();
    /// The most requests that were being answered at one time.
    [[nodiscard]] std::size_t peak_concurrency() const;

private:
    class Hub;
    class Connection;
    std::unique_ptr<Hub> hub_;
};

}  // namespace chm::test
