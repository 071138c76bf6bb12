// From an answer's head and bytes to a sink.
#include "channels/body_delivery.hpp"

#include <doctest/doctest.h>

#include <string>

namespace chm::channels {
namespace {

class RecordingSink final : public BodySink {
public:
    ResumePoint start_try() override { return point; }
    Result<> begin(const BodyStart& start) override {
        log += "begin " + std::to_string(start.offset) + "/" +
               (start.total ? std::to_string(*start.total) : "?") + " ";
        return {};
    }
    Result<> write(std::span<const std::byte> bytes) override {
        log += "write " + std::to_string(bytes.size()) + " ";
        return {};
    }
    Result<> end_try() override {
        log += "end";
        return {};
    }

    ResumePoint point;
    std::string log;
};

Result<> take(BodyDelivery& delivery, const BodyHead& head, std::string_view text) {
    return delivery.take(head, std::as_bytes(std::span(text)));
}

TEST_CASE("body_delivery: Content-Range") {
    const auto known = parse_content_range(" bytes 5-9/10 ");
    REQUIRE(known);
    CHECK(known->first == 5);
    CHECK(known->total == 10);
    const auto unknown = parse_content_range("bytes 0-18446744073709551615/*");
    REQUIRE(unknown);
    CHECK(unknown->first == 0);
    CHECK_FALSE(unknown->total);
    for (const char* bad : {"",
                            "bytes",
                            "bytes */10",
                            "bytes 5-/10",
                            "bytes -9/10",
                            "bytes 9-5/10",
                            "bytes 5-10/10",
                            "bytes 5-9/10 x",
                            "bytes 5-9/",
                            "items 5-9/10",
                            "bytes 5-99999999999999999999/*"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_content_range(bad));
    }
}

TEST_CASE("body_delivery: a whole body, in pieces") {
    RecordingSink sink;
    BodyDelivery delivery(sink);
    const BodyHead head{200, {}, 5, {}};
    CHECK(take(delivery, head, "abc"));
    CHECK(take(delivery, head, "de"));
    CHECK(delivery.position() == 5);
    CHECK(*delivery.finish(head));
    CHECK(sink.log == "begin 0/5 write 3 write 2 end");
}

TEST_CASE("body_delivery: the rest of a body, where the server says that it begins") {
    RecordingSink sink;
    sink.point.offset = 3;
    BodyDelivery delivery(sink);
    CHECK(delivery.asked().offset == 3);
    const BodyHead head{206, "bytes 3-4/6", 2, {}};
    CHECK(take(delivery, head, "de"));
    CHECK(delivery.position() == 5);
    CHECK(delivery.total() == 6);
    CHECK_FALSE(*delivery.finish(head));  // the server left one byte out
    CHECK(sink.log == "begin 3/6 write 2 end");
}

TEST_CASE("body_delivery: a part without its place is refused") {
    RecordingSink sink;
    sink.point.offset = 3;
    BodyDelivery delivery(sink);
    const auto taken = take(delivery, {206, {}, 2, {}}, "de");
    REQUIRE_FALSE(taken);
    CHECK(taken.error().kind == ErrorKind::integrity);
    CHECK(sink.log.empty());
}

TEST_CASE("body_delivery: an empty file begins too, an error page does not") {
    RecordingSink empty;
    BodyDelivery nothing(empty);
    CHECK(*nothing.finish({200, {}, 0, {}}));
    CHECK(empty.log == "begin 0/0 end");
    RecordingSink missing;
    BodyDelivery page(missing);
    CHECK(take(page, {404, {}, 4, {}}, "gone"));
    CHECK_FALSE(page.is_dropping_too_much());
    CHECK(take(page, {404, {}, 4, {}}, std::string(70'000, 'x')));
    CHECK(page.is_dropping_too_much());
    CHECK(*page.finish({404, {}, 4, {}}));
    CHECK(missing.log == "end");
}

TEST_CASE("body_delivery: If-Range is sent for strong ETags of something that is here") {
    RecordingSink sink;
    for (const auto& [offset, etag, sent] :
         {std::tuple{3, "\"a\"", "\"a\""}, {0, "\"a\"", ""}, {3, "W/\"a\"", ""}, {3, "", ""}}) {
        sink.point = {static_cast<std::uint64_t>(offset), etag};
        CHECK(BodyDelivery(sink).if_range() == sent);
    }
}

}  // namespace
}  // namespace chm::channels
