#include "pypi/wheel_tag.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using chm::pypi::WheelTag;
using chm::pypi::WheelTagSet;

namespace {

std::string error_of(std::string_view text) {
    const auto parsed = WheelTagSet::parse(text);
    REQUIRE_FALSE_MESSAGE(parsed.has_value(), text);
    CHECK(parsed.error().kind == chm::ErrorKind::parse);
    return parsed.error().message;
}

}  // namespace

TEST_CASE("pypi wheel tag: compressed sets stand for all combinations") {
    const auto tags = WheelTagSet::parse("py2.py3-none-any");
    CHECK(tags->expand() == std::vector<WheelTag>{{"py2", "none", "any"}, {"py3", "none", "any"}});
    CHECK(tags->to_text() == "py2.py3-none-any");
    const auto upper = WheelTagSet::parse("CP312-ABI3-Win_AMD64.win_amd64");
    CHECK(upper->expand() == std::vector<WheelTag>{{"cp312", "abi3", "win_amd64"}});
    CHECK(upper->expand()[0].to_text() == "cp312-abi3-win_amd64");
}

TEST_CASE("pypi wheel tag: an error says where") {
    CHECK(error_of("py3-none").find("three tags are expected") != std::string::npos);
    CHECK(error_of("py3-none-any-x").find("three tags are expected") != std::string::npos);
    CHECK(error_of("py3.-none-any").find("offset 4: a tag has one or more") != std::string::npos);
    CHECK(error_of("py3--any").find("offset 4: a tag has one or more") != std::string::npos);
    CHECK(error_of("py3-no!ne-any").find("offset 6") != std::string::npos);
    CHECK(error_of("3py-none-any").find("begins with a letter") != std::string::npos);
}

TEST_CASE("pypi wheel tag: what combines to too much is refused, not expanded") {
    const auto set_of = [](std::size_t count, std::string_view tag) {
        std::string set(tag);
        for (std::size_t i = 1; i < count; ++i) {
            set += "." + std::string(tag);
        }
        return set;
    };
    CHECK(WheelTagSet::parse(set_of(16, "py3") + "-" + set_of(8, "none") + "-" + set_of(8, "any"))
              .has_value());
    CHECK(error_of(set_of(17, "py3") + "-" + set_of(8, "none") + "-" + set_of(8, "any"))
              .find("1088 combinations of tags; at most 1024") != std::string::npos);
    error_of(set_of(4000, "py3") + "-" + set_of(4000, "none") + "-" + set_of(4000, "any"));
    error_of(std::string(1 << 20, '-'));
    error_of("py3-none-" + std::string(60000, '.'));
    error_of(std::string("py3-none-any\0", 13));
}
