// What targets accept, in order: the lists of pypa/packaging (tests/data/pypi).
#include "pypi/wheel_target.hpp"

#include "unit/pypi/vectors.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using chm::pypi::parse_short_version;
using chm::pypi::ShortVersion;
using chm::pypi::TargetTags;
using chm::pypi::WheelTagSet;
using chm::pypi::WheelTarget;

namespace {

/// "3.13t linux-64 glibc=2.28"
WheelTarget target_of(std::string_view text) {
    const auto words = chm::split(text, ' ');
    WheelTarget target;
    target.free_threaded = words[0].ends_with('t');
    target.python =
        *parse_short_version(words[0].substr(0, words[0].size() - (target.free_threaded ? 1 : 0)));
    target.platform = words[1];
    if (words.size() > 2) {
        const std::size_t equal = words[2].find('=');
        const auto version = parse_short_version(words[2].substr(equal + 1));
        REQUIRE(version.has_value());
        const std::string_view what = words[2].substr(0, equal);
        (what == "glibc" ? target.glibc : what == "musl" ? target.musl : target.macos) = version;
    }
    return target;
}

TargetTags tags_of(std::string_view target) {
    auto tags = TargetTags::make(target_of(target));
    REQUIRE_MESSAGE(tags.has_value(), target);
    return std::move(*tags);
}

}  // namespace

TEST_CASE("pypi wheel target: the lists are packaging's, in its order") {
    const std::string table = chm::test::read_data("pypi/wheel_tags.tsv");
    const auto rows = chm::test::rows_of(table, 3);
    CHECK(rows.size() == 13);
    for (const auto& row : rows) {
        CAPTURE(row[0]);
        const TargetTags tags = tags_of(row[0]);
        const auto wanted = chm::split(row[1], ' ');
        const auto found = tags.list();
        REQUIRE(found.size() == wanted.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            REQUIRE(found[i].to_text() == wanted[i]);
            CHECK(tags.best_rank(*WheelTagSet::parse(wanted[i])) == i);
        }
    }
}

TEST_CASE("pypi wheel target: the best of a set counts") {
    const TargetTags tags = tags_of("3.12 linux-64 glibc=2.28");
    const auto rank = [&](std::string_view text) {
        return tags.best_rank(*WheelTagSet::parse(text));
    };
    CHECK(rank("cp312-cp312-manylinux_2_28_x86_64") == 0);
    CHECK(rank("cp312-cp312-manylinux_2_27_x86_64.manylinux_2_28_x86_64") == 0);
    CHECK(rank("cp312-cp312-linux_x86_64") > rank("cp312-cp312-manylinux1_x86_64"));
    CHECK(rank("cp312-abi3-linux_x86_64") < rank("cp39-abi3-manylinux_2_28_x86_64"));
    CHECK(rank("cp39-abi3-manylinux_2_28_x86_64") < rank("py3-none-any"));
    CHECK(rank("py2.py3-none-any") == rank("py3-none-any"));
    CHECK(rank("py3-none-any") < rank("py30-none-any"));
    CHECK_FALSE(rank("cp313-abi3-linux_x86_64").has_value());
    CHECK_FALSE(rank("cp312-cp312-manylinux_2_29_x86_64").has_value());
    CHECK_FALSE(rank("cp312-cp312-any").has_value());
    CHECK_FALSE(rank("cp312-cp312-win_amd64").has_value());
    CHECK_FALSE(rank("cp31-abi3-linux_x86_64").has_value());
    CHECK_FALSE(rank("cp312-cp313-linux_x86_64").has_value());
}

TEST_CASE("pypi wheel target: without glibc or macOS only what needs none fits") {
    CHECK(tags_of("3.12 linux-64").best_rank(*WheelTagSet::parse("cp312-cp312-linux_x86_64")) == 0);
    CHECK_FALSE(tags_of("3.12 linux-64")
                    .best_rank(*WheelTagSet::parse("cp312-cp312-manylinux1_x86_64"))
                    .has_value());
    CHECK(tags_of("3.12 osx-arm64").best_rank(*WheelTagSet::parse("py3-none-any")).has_value());
}

TEST_CASE("pypi wheel target: targets that do not exist are usage errors") {
    for (const std::string target : {"3.12 noarch",
                                     "3.12 freebsd-64",
                                     "2.7 linux-64",
                                     "3.1 linux-64",
                                     "3.100 linux-64",
                                     "3.12 linux-64 glibc=3.0",
                                     "3.12 linux-64 glibc=2.100",
                                     "3.12 linux-64 musl=0.9",
                                     "3.12 osx-64 macos=9.0",
                                     "3.12 osx-64 macos=9999.0"}) {
        CAPTURE(target);
        const auto tags = TargetTags::make(target_of(target));
        REQUIRE_FALSE(tags.has_value());
        CHECK(tags.error().kind == chm::ErrorKind::usage);
    }
}

TEST_CASE("pypi wheel target: short versions have two numbers") {
    CHECK(parse_short_version("2.28") == ShortVersion{2, 28});
    CHECK(chm::pypi::to_text(ShortVersion{2, 28}) == "2.28");
    CHECK(ShortVersion{2, 9} < ShortVersion{2, 28});
    for (const std::string text :
         {"", "2", "2.", ".2", "2.28.1", "2.-1", "2.99999999999", " 2.1"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_short_version(text).has_value());
    }
}
