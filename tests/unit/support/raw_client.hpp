// A client that sees the wire as it is: sends what it is told, keeps every byte, and says how the
// connection ended.
#pragma once

#include "base/file_descriptor.hpp"
#include "support/http_message.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace chm::test {

struct Reply {
    enum class End { complete, closed, reset, timeout };
    int status = 0;  // 0: no head arrived
    std::vector<HttpHeader> headers;
    std::string body;
    End end = End::timeout;  // complete: as many bytes as Content-Length says
    std::chrono::milliseconds took{0};

    /// The value of a header, or "".
    [[nodiscard]] std::string header(std::string_view name) const;
};

class RawClient {
public:
    /// Not connected if that failed: every reply is then empty.
    explicit RawClient(std::uint16_t port);

    bool send(std::string_view bytes);
    /// One reply: to its Content-Length, or the end of the connection, or `patience`.
    Reply receive(bool has_body = true,
                  std::chrono::milliseconds patience = std::chrono::seconds(20));
    /// A request with "Host" and the given header lines (each ends with \r\n).
    Reply get(std::string_view path, std::string_view headers = "");
    Reply head(std::string_view path, std::string_view headers = "");

private:
    [[nodiscard]] Reply::End fill(std::chrono::steady_clock::time_point deadline);

    FileDescriptor socket_;
    std::string received_;
};

/// get() on a connection of its own.
Reply get(std::uint16_t port, std::string_view path, std::string_view headers = "");

}  // namespace chm::test
