#include "pypi/package_name.hpp"

#include <doctest/doctest.h>

#include <string>

using chm::pypi::is_valid_name;
using chm::pypi::normalize_name;
using chm::pypi::parse_name;

TEST_CASE("pypi name: PEP 503 normalization") {
    CHECK(normalize_name("Torch_Vision..X") == "torch-vision-x");
    CHECK(normalize_name("a-_.b") == "a-b");
    CHECK(normalize_name("nvidia_nccl_cu12") == "nvidia-nccl-cu12");
    CHECK(normalize_name("numpy") == "numpy");
    CHECK(normalize_name("") == "");
    CHECK(normalize_name("_a_") == "-a-");
}

TEST_CASE("pypi name: valid names have a letter or digit at both ends") {
    for (const std::string name : {"a", "1", "A.b_c-d", "a..b", "2to3"}) {
        CAPTURE(name);
        CHECK(is_valid_name(name));
        CHECK(*parse_name(name) == normalize_name(name));
    }
    for (const std::string name : {"", "-a", "a-", "_", "a b", "a/b", "a\xc3\xa9", "a+", "a\n"}) {
        CAPTURE(name);
        CHECK_FALSE(is_valid_name(name));
        CHECK_FALSE(parse_name(name).has_value());
    }
}

TEST_CASE("pypi name: an error says where") {
    CHECK(parse_name("").error().message ==
          "package name '', offset 0: a name begins with a letter or digit");
    CHECK(parse_name("a!b").error().message ==
          "package name 'a!b', offset 1: a name has only ASCII letters, digits, '.', '-' and '_'");
    CHECK(parse_name("ab_").error().message ==
          "package name 'ab_', offset 2: a name ends in a letter or digit");
    CHECK_FALSE(parse_name(std::string(1 << 20, 'a')).has_value());
    CHECK_FALSE(parse_name(std::string("a\0b", 3)).has_value());
}
