// From an answer's head and bytes to calls of a BodySink. See the header.
#include "channels/body_delivery.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <charconv>

namespace chm::channels {
namespace {

constexpr std::uint64_t k_longest_error_page = 64 << 10;

bool has_body(int status) {
    return status == 200 || status == 206;
}

/// Reads digits off the front of `text`.
std::optional<std::uint64_t> take_number(std::string_view& text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

bool take(std::string_view& text, std::string_view prefix) {
    const bool there = text.starts_with(prefix);
    text.remove_prefix(there ? prefix.size() : 0);
    return there;
}

}  // namespace

std::optional<ContentRange> parse_content_range(std::string_view header) {
    std::string_view text = trim(header);
    if (!take(text, "bytes ")) {
        return std::nullopt;
    }
    const auto first = take_number(text);
    if (!first || !take(text, "-")) {
        return std::nullopt;
    }
    const auto last = take_number(text);
    if (!last || *last < *first || !take(text, "/")) {
        return std::nullopt;
    }
    if (text == "*") {
        return ContentRange{*first, std::nullopt};
    }
    const auto total = take_number(text);
    if (!total || !text.empty() || *last >= *total) {
        return std::nullopt;
    }
    return ContentRange{*first, total};
}

std::string_view BodyDelivery::if_range() const {
    const bool strong = point_.etag.starts_with('"');
    return point_.offset > 0 && strong ? std::string_view(point_.etag) : std::string_view();
}

Result<> BodyDelivery::begin(const BodyHead& head) {
    BodyStart start;
    start.etag = head.etag;
    if (head.status == 206) {
        const auto range = parse_content_range(head.content_range);
        if (!range) {
            return fail(ErrorKind::integrity,
                        fmt::format("answered with a part of the file without saying which one "
                                    "(Content-Range '{}')",
                                    printable(head.content_range, 80)));
        }
        start.offset = range->first;
        start.total = range->total;
    } else {
        start.total = head.content_length;
    }
    begun_ = true;
    position_ = start.offset;
    total_ = start.total;
    return sink_->begin(start);
}

Result<> BodyDelivery::take(const BodyHead& head, std::span<const std::byte> bytes) {
    if (!has_body(head.status)) {
        dropped_ += bytes.size();
        return {};
    }
    if (!begun_) {
        CHM_CHECK(begin(head));
    }
    position_ += bytes.size();
    return sink_->write(bytes);
}

bool BodyDelivery::is_dropping_too_much() const {
    return dropped_ > k_longest_error_page;
}

Result<bool> BodyDelivery::finish(const BodyHead& head) {
    if (has_body(head.status) && !begun_) {
        if (auto begun = begin(head); !begun) {  // an empty file
            static_cast<void>(sink_->end_try());
            return fail(std::move(begun).error());
        }
    }
    CHM_CHECK(sink_->end_try());
    return !begun_ || !total_ || position_ >= *total_;
}

Result<> BodyDelivery::abandon() {
    return sink_->end_try();
}

}  // namespace chm::channels
