// MessagePack: what is written is read back, and hostile data is refused in bounded memory.
#include "channels/msgpack.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace chm::channels {
namespace {

std::string packed(std::string_view json) {
    MsgpackWriter out;
    out.json(*parse_json(json));
    return out.take();
}

std::string fault(std::string_view data) {
    const auto value = parse_msgpack(data);
    if (value) {
        return "(accepted)";
    }
    CHECK(value.error().kind == ErrorKind::parse);
    return value.error().message;
}

TEST_CASE("msgpack: JSON values survive") {
    for (const std::string_view json : {"null",
                                        "true",
                                        "false",
                                        "0",
                                        "-1",
                                        "127",
                                        "128",
                                        "-32",
                                        "-33",
                                        "65536",
                                        "4294967296",
                                        "9223372036854775807",
                                        "-9223372036854775808",
                                        "1.5",
                                        "\"\"",
                                        "\"caf\xc3\xa9\"",
                                        "[]",
                                        "{}",
                                        "[1,[2,{}],\"a\"]",
                                        R"({"a":{"b":[null,true]},"c":""})"}) {
        CAPTURE(json);
        const auto value = parse_msgpack(packed(json));
        REQUIRE(value);
        CHECK(to_json(*value) == json);
    }
    const std::string long_text = "\"" + std::string(70'000, 'x') + "\"";
    CHECK(to_json(*parse_msgpack(packed(long_text))) == long_text);
}

TEST_CASE("msgpack: known bytes") {
    // The format's own encodings: fixmap, fixstr, bin 8, uint 16.
    MsgpackWriter out;
    out.map(2);
    out.text("a");
    out.bytes(std::string_view("\x00\xff", 2));
    out.text("b");
    out.json(Json(256));
    CHECK(out.take() == std::string_view("\x82\xa1"
                                         "a\xc4\x02\x00\xff\xa1"
                                         "b\xcd\x01\x00",
                                         12));
    const auto value = parse_msgpack(std::string_view("\x81\xa1s\xc4\x02\x0a\xff", 7));
    REQUIRE(value);
    CHECK(value->text("s") == "0aff");
}

TEST_CASE("msgpack: what is malformed is refused with its reason") {
    CHECK(fault("").find("cut short") != std::string::npos);
    CHECK(fault("\x81\xa1").find("cut short") != std::string::npos);
    CHECK(fault("\xc1").find("malformed") != std::string::npos);
    CHECK(fault(std::string_view("\x00\x00", 2)).find("follows") != std::string::npos);
    CHECK(fault("\x81\x01\x02").find("key") != std::string::npos);
    CHECK(fault("\x81\x90\x02").find("key") != std::string::npos);
    CHECK(fault(std::string_view("\xd4\x01\x02", 3)).find("extension") != std::string::npos);
    CHECK(fault(std::string(1000, '\x91')).find("deep") != std::string::npos);
    const std::string whole = packed(R"({"a":[1,2,"three"],"b":{"c":1.5}})");
    for (std::size_t length = 0; length < whole.size(); ++length) {
        CHECK(fault(whole.substr(0, length)) != "(accepted)");
    }
}

TEST_CASE("msgpack: a header that announces billions costs nothing") {
    CHECK(fault(std::string_view("\xdd\xff\xff\xff\xff", 5)) != "(accepted)");  // array 32
    CHECK(fault(std::string_view("\xdf\xff\xff\xff\xff", 5)) != "(accepted)");  // map 32
    CHECK(fault(std::string_view("\xc6\xff\xff\xff\xff", 5)) != "(accepted)");  // bin 32
    CHECK(fault(std::string_view("\xdb\xff\xff\xff\xff", 5)) != "(accepted)");  // str 32
}

}  // namespace
}  // namespace chm::channels
