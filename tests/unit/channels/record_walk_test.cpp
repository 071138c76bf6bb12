// Every record once, with what says which bytes it means.
#include "channels/record_walk.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace chm::channels {
namespace {

TEST_CASE("record walk: packages, packages.conda and v3, digests and sizes") {
    const std::string sha(64, 'a');
    const std::string md5(32, 'b');
    std::string json = R"({"x":[1],"packages":{"a-1-0.tar.bz2":{"md5":")" + md5 +
                       R"(","size":7}},"packages.conda":{"b-1-0.conda":{"sha256":")" + sha +
                       R"("}},"v3":{"conda":{"c-1-0":{"sha256":"short","size":-1}}}})";
    std::vector<std::string> names;
    const auto walked = walk_records(json, [&](const WalkedRecord& record) {
        names.emplace_back(record.fn);
        if (record.fn == "a-1-0.tar.bz2") {
            CHECK(record.md5->hex() == md5);
            CHECK(record.size == 7);
            CHECK_FALSE(record.sha256);
            CHECK(record.json == R"({"md5":")" + md5 + R"(","size":7})");
        } else if (record.fn == "b-1-0.conda") {
            CHECK(record.sha256->hex() == sha);
            CHECK_FALSE(record.size);
        } else {
            CHECK_FALSE(record.sha256);
            CHECK_FALSE(record.size);
        }
    });
    REQUIRE_MESSAGE(walked, walked.error().message);
    CHECK(names == std::vector<std::string>{"a-1-0.tar.bz2", "b-1-0.conda", "c-1-0.conda"});
}

TEST_CASE("record walk: what is no index is an error") {
    for (std::string json :
         {"", "[]", "{", R"({"packages":3})", R"({"packages":{"a":{"b":nonsense}}})"}) {
        CAPTURE(json);
        const auto walked = walk_records(json, [](const WalkedRecord&) {});
        REQUIRE_FALSE(walked);
        CHECK(walked.error().kind == ErrorKind::integrity);
    }
}

}  // namespace
}  // namespace chm::channels
