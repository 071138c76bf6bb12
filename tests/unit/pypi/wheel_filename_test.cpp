// File names of wheels: the answers of pypa/packaging (tests/data/pypi), and what is refused.
#include "pypi/wheel_filename.hpp"

#include "unit/pypi/vectors.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using chm::pypi::BuildTag;
using chm::pypi::WheelFilename;

namespace {

std::string error_of(std::string_view text) {
    const auto parsed = WheelFilename::parse(text);
    REQUIRE_FALSE_MESSAGE(parsed.has_value(), text);
    CHECK(parsed.error().kind == chm::ErrorKind::parse);
    return parsed.error().message;
}

std::string tags_of(const WheelFilename& wheel) {
    std::string text;
    for (const auto& tag : wheel.tags.expand()) {
        text += (text.empty() ? "" : " ") + tag.to_text();
    }
    return text;
}

/// docs/pypi-semantics.md, "Differences from packaging": names that are no names, other characters.
bool differs_from_packaging(std::string_view file) {
    const std::size_t dash = file.find('-');
    const bool has_odd_name = file.substr(0, dash).ends_with('_') ||
                              file.substr(0, dash).ends_with('.') || file.starts_with('_') ||
                              file.starts_with('.');
    return has_odd_name || file.find_first_of(" /+", dash) < file.size() ||
           file.find("\xc3\xa9") < file.size();
}

}  // namespace

TEST_CASE("pypi wheel file: parts are those that packaging finds") {
    const std::string table = chm::test::read_data("pypi/wheel_filename.tsv");
    std::size_t compared = 0;
    for (const auto& row : chm::test::rows_of(table, 7)) {
        CAPTURE(row[0]);
        const auto parsed = WheelFilename::parse(row[0]);
        if (!parsed && row[1] != "ERR" && differs_from_packaging(row[0])) {
            continue;
        }
        CAPTURE((parsed ? "" : parsed.error().message));
        CHECK(parsed.has_value() == (row[1] != "ERR"));
        if (!parsed || row[1] == "ERR") {
            continue;
        }
        ++compared;
        CHECK(parsed->text == row[0]);
        CHECK(parsed->name == row[1]);
        CHECK(parsed->version.to_text() == row[2]);
        CHECK(parsed->build.number == row[3]);
        CHECK(parsed->build.suffix == row[4]);
        CHECK(tags_of(*parsed) == row[5]);
    }
    CHECK(compared >= 600);
}

TEST_CASE("pypi wheel file: the parts of a torch wheel") {
    const auto wheel = WheelFilename::parse(
        "torch-2.7.0+cu128-1-cp310-cp310-manylinux2014_x86_64.manylinux_2_17_x86_64.whl");
    REQUIRE(wheel.has_value());
    CHECK(wheel->name == "torch");
    CHECK(wheel->version == *chm::pypi::Version::parse("2.7.0+cu128"));
    CHECK(wheel->build == BuildTag{"1", ""});
    CHECK(wheel->tags.platforms().size() == 2);
    CHECK(wheel->tags.to_text() == "cp310-cp310-manylinux2014_x86_64.manylinux_2_17_x86_64");
}

TEST_CASE("pypi wheel file: build tags are ordered by number, then by suffix") {
    CHECK(BuildTag{} < BuildTag{"0", ""});
    CHECK(BuildTag{"2", ""} < BuildTag{"10", ""});
    CHECK(BuildTag{"2", "a"} < BuildTag{"2", "b"});
    CHECK(BuildTag{"2", "z"} < BuildTag{"3", ""});
    CHECK(BuildTag{"99999999999999999999", ""} < BuildTag{"100000000000000000000", ""});
    CHECK(WheelFilename::parse("a-1-007_x-py3-none-any.whl")->build == BuildTag{"7", "_x"});
    CHECK(WheelFilename::parse("a-1-000-py3-none-any.whl")->build == BuildTag{"0", ""});
}

TEST_CASE("pypi wheel file: an error says where") {
    CHECK(error_of("torch-2.7.0.tar.gz").find("ends in '.whl'") != std::string::npos);
    CHECK(error_of("a-1-py3-none.whl").find("name-version-python-abi-platform.whl") !=
          std::string::npos);
    CHECK(error_of("a-1-2-3-py3-none-any.whl").find("is expected") != std::string::npos);
    CHECK(error_of("a__b-1-py3-none-any.whl").find("no '__'") != std::string::npos);
    CHECK(error_of("a-x-py3-none-any.whl").find("offset 2") != std::string::npos);
    CHECK(error_of("a-1-x-py3-none-any.whl").find("offset 4: a build tag begins with a digit") !=
          std::string::npos);
    CHECK(error_of("a-1-1%-py3-none-any.whl").find("offset 5") != std::string::npos);
    CHECK(error_of("torch-2.7.0%2Bcu128-cp310-cp310-win_amd64.whl").find("offset 11") !=
          std::string::npos);
    CHECK(error_of("../a-1-py3-none-any.whl").find("offset 0") != std::string::npos);
}

TEST_CASE("pypi wheel file: hostile names are errors") {
    error_of("");
    error_of(".whl");
    error_of("-----.whl");
    error_of(std::string("a\0-1-py3-none-any.whl", 21));
    error_of("a-1-py3-none-any\xff.whl");
    error_of("a-" + std::string(1 << 20, '1') + "-py3-none-any.whl");
    error_of(std::string(1 << 20, '-') + ".whl");
    CHECK(WheelFilename::parse("a-" + std::string(900, '1') + "-py3-none-any.whl").has_value());
}
