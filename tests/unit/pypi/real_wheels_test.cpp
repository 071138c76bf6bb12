// Real wheels (tests/data/wheels): every name and requirement parses and round-trips, and targets
// take as many of them, with the same ranks, as pypa/packaging finds.
#include "base/text.hpp"
#include "pypi/requirement.hpp"
#include "pypi/wheel_filename.hpp"
#include "pypi/wheel_target.hpp"
#include "unit/pypi/vectors.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using chm::pypi::MarkerEnvironment;
using chm::pypi::Requirement;
using chm::pypi::ShortVersion;
using chm::pypi::TargetTags;
using chm::pypi::WheelFilename;
using chm::pypi::WheelTarget;

namespace {

struct Count {
    std::size_t fitting = 0;
    std::uint64_t ranks = 0;  // their sum

    bool operator==(const Count&) const = default;
};

std::vector<WheelFilename> parse_wheels() {
    const std::string text = chm::test::read_data("wheels/filenames.txt");
    std::vector<WheelFilename> parsed;
    for (const std::string_view name : chm::test::lines_of(text)) {
        auto wheel = WheelFilename::parse(name);
        REQUIRE_MESSAGE(wheel.has_value(), name);
        parsed.push_back(*std::move(wheel));
    }
    return parsed;
}

const std::vector<WheelFilename>& wheels() {
    static const auto all = parse_wheels();
    return all;
}

Count count(const WheelTarget& target) {
    const auto tags = TargetTags::make(target);
    REQUIRE(tags.has_value());
    Count counted;
    for (const WheelFilename& wheel : wheels()) {
        const auto rank = tags->best_rank(wheel.tags);
        CHECK(tags->mismatch(wheel.tags).empty() == rank.has_value());
        counted.fitting += rank ? 1U : 0U;
        counted.ranks += rank.value_or(0);
    }
    return counted;
}

WheelTarget target(ShortVersion python, std::string platform) {
    WheelTarget made;
    made.python = python;
    made.platform = std::move(platform);
    return made;
}

WheelTarget linux_target(ShortVersion python, std::string platform, ShortVersion glibc) {
    WheelTarget made = target(python, std::move(platform));
    made.glibc = glibc;
    return made;
}

}  // namespace

TEST_CASE("pypi real wheels: every file name is read and can be put together again") {
    CHECK(wheels().size() == 1707);
    for (const WheelFilename& wheel : wheels()) {
        CAPTURE(wheel.text);
        const auto parts = chm::split(wheel.text, '-');
        CHECK(wheel.version.text() == parts[1]);
        CHECK(wheel.text.ends_with("-" + wheel.tags.to_text() + ".whl"));
        CHECK((wheel.build != chm::pypi::BuildTag{}) == (parts.size() == 6));
        CHECK(chm::pypi::Version::parse(wheel.version.to_text()) == wheel.version);
    }
}

TEST_CASE("pypi real wheels: targets take what packaging takes") {
    CHECK(count(linux_target({3, 12}, "linux-64", {2, 28})) == Count{186, 26996});
    CHECK(count(linux_target({3, 9}, "linux-64", {2, 17})) == Count{119, 10225});
    CHECK(count(linux_target({3, 10}, "linux-ppc64le", {2, 17})) == Count{17, 1067});
    WheelTarget free_threaded = linux_target({3, 13}, "linux-aarch64", {2, 35});
    free_threaded.free_threaded = true;
    CHECK(count(free_threaded) == Count{60, 16876});
    WheelTarget mac = target({3, 12}, "osx-arm64");
    mac.macos = ShortVersion{14, 5};
    CHECK(count(mac) == Count{45, 10360});
    CHECK(count(target({3, 12}, "win-64")) == Count{101, 677});
    WheelTarget arm = target({3, 14}, "win-arm64");
    arm.free_threaded = true;
    CHECK(count(arm) == Count{17, 581});
}

TEST_CASE("pypi real wheels: every requirement is read, round-trips, and holds where it does") {
    struct Row {
        const char* platform;
        const char* python;
        std::size_t holding;
    };
    // How many hold with the extra below, by packaging.
    const std::array<Row, 6> rows{{{"linux-64", "3.12.1", 253},
                                   {"linux-aarch64", "3.9.0", 152},
                                   {"linux-ppc64le", "3.10.13", 147},
                                   {"osx-64", "3.8.20", 98},
                                   {"osx-arm64", "3.13.0rc1", 105},
                                   {"win-64", "3.14.2", 96}}};
    const std::vector<std::string> extras{"extra-8-invokeai-cuda"};
    const std::string text = chm::test::read_data("wheels/requirements.txt");
    const auto lines = chm::test::lines_of(text);
    CHECK(lines.size() == 772);
    for (const Row& row : rows) {
        CAPTURE(row.platform);
        const auto environment = MarkerEnvironment::for_target(row.platform, row.python);
        REQUIRE(environment.has_value());
        std::size_t holding = 0;
        for (const std::string_view line : lines) {
            CAPTURE(line);
            const auto requirement = Requirement::parse(line);
            REQUIRE(requirement.has_value());
            const auto again = Requirement::parse(requirement->to_text());
            REQUIRE(again.has_value());
            CHECK(*again == *requirement);
            const bool holds =
                !requirement->marker || requirement->marker->evaluate(*environment, extras);
            CHECK(holds == (!again->marker || again->marker->evaluate(*environment, extras)));
            holding += holds ? 1U : 0U;
        }
        CHECK(holding == row.holding);
    }
}
