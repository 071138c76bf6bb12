// One try's body on its way from a transport to a BodySink: what the head of the answer means for
// where the body starts, and whether all of it came.
#pragma once

#include "base/result.hpp"
#include "channels/transport.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace chm::channels {

/// "bytes 5-9/10", "bytes 5-9/*" (RFC 9110 §14.4).
struct ContentRange {
    std::uint64_t first = 0;
    std::optional<std::uint64_t> total;
};
/// None when it is anything else, "bytes */10" too, which has no bytes.
std::optional<ContentRange> parse_content_range(std::string_view header);

/// Of the answer that carries the body, not of a redirect before it.
struct BodyHead {
    int status = 0;
    std::string_view content_range;               // empty: the header is not there
    std::optional<std::uint64_t> content_length;  // of this body, which may be a part
    std::string_view etag;
};

/// Made when a try starts; finish() or abandon() ends it.
class BodyDelivery {
public:
    explicit BodyDelivery(BodySink& sink) : sink_(&sink), point_(sink.start_try()) {}

    [[nodiscard]] const ResumePoint& asked() const { return point_; }
    /// The value for If-Range; empty: none. Only a strong ETag may be sent there.
    [[nodiscard]] std::string_view if_range() const;

    /// Bodies of other statuses than 200 and 206 are no concern of a sink: dropped. ErrorKind::
    /// integrity when a 206 does not say which part it is.
    Result<> take(const BodyHead& head, std::span<const std::byte> bytes);
    /// More of such a dropped body has come than an error page needs: reading on makes no sense.
    [[nodiscard]] bool is_dropping_too_much() const;

    /// The try is over without a fault of the wire. False: the server left off before the end.
    Result<bool> finish(const BodyHead& head);
    /// The try broke.
    Result<> abandon();

    /// Bytes of the file that are here, also those from before.
    [[nodiscard]] std::uint64_t position() const { return position_; }
    [[nodiscard]] std::optional<std::uint64_t> total() const { return total_; }

private:
    Result<> begin(const BodyHead& head);

    BodySink* sink_;
    ResumePoint point_;
    bool begun_ = false;
    std::uint64_t position_ = point_.offset;
    std::optional<std::uint64_t> total_;
    std::uint64_t dropped_ = 0;
};

}  // namespace chm::channels
