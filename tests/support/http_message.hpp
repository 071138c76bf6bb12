// What a test server must understand of HTTP/1.1 (RFC 9110, RFC 9112): the request head, dates,
// byte ranges, media types. No sockets here.
#pragma once

#include "base/result.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chm::test {

struct HttpHeader {
    std::string name;  // lower case in requests
    std::string value;

    bool operator==(const HttpHeader&) const = default;
};

/// The value of the first header called `name` (any case); none when there is no such header.
[[nodiscard]] std::optional<std::string_view> find_header(const std::vector<HttpHeader>& headers,
                                                          std::string_view name);

struct HttpRequest {
    std::string method;
    std::string path;   // percent-decoded, without the query; starts with '/'
    std::string query;  // as sent, without the '?'
    std::vector<HttpHeader> headers;
    bool keep_alive = true;

    [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const {
        return find_header(headers, name);
    }
};

/// `head` is everything up to and including the empty line. Accepts the origin form ("/path") and,
/// so that the server can play a proxy, the absolute form ("http://host/path").
Result<HttpRequest> parse_request_head(std::string_view head);

/// "Sun, 06 Nov 1994 08:49:37 GMT".
[[nodiscard]] std::string http_date(std::chrono::sys_seconds time);
/// Reads that form only; the two obsolete ones of RFC 9110 §5.6.7 count as no date.
std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text);

/// A Range header against a body of `size` bytes.
struct RangeChoice {
    enum class Kind { whole, part, unsatisfiable };
    Kind kind = Kind::whole;
    std::uint64_t begin = 0;  // of a part: [begin, end)
    std::uint64_t end = 0;
};
/// Malformed ranges and lists of ranges give the whole, as RFC 9110 §14.2 allows.
[[nodiscard]] RangeChoice choose_range(std::string_view header, std::uint64_t size);

/// Content-Type by suffix, application/octet-stream for the unknown.
[[nodiscard]] std::string_view media_type(const std::filesystem::path& path);

/// "Not Found" for 404; "Unknown" for a code nobody uses.
[[nodiscard]] std::string_view reason_phrase(int status);

}  // namespace chm::test
