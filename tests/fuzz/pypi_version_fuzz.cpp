// Python versions: up to three lines, three versions. The normal form is a fixed point; the order
// has two sides and is transitive; a local version stands right above its public version.
#include "fuzz/fuzz.hpp"
#include "pypi/version.hpp"

#include <algorithm>
#include <vector>

using chm::fuzz::expect;
using chm::pypi::Version;

namespace {

void check_alone(const Version& version) {
    const auto again = Version::parse(version.to_text());
    expect(again && *again == version && again->to_text() == version.to_text(),
           "the normal form gives the same version and the same normal form");
    const auto written = Version::parse(version.text());
    expect(written && *written == version, "the text gives the same version");
    const auto open = Version::parse(version.public_text());
    expect(open && *open <= version && (*open == version) == !version.has_local(),
           "a local version is above its public version");
    const auto base = Version::parse(version.base_text());
    expect(base && !base->is_prerelease() && !base->has_post(), "the base version is a release");
    expect(version.is_prerelease() || *base <= *open, "only pre-releases are below their release");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text = chm::fuzz::as_text(data, size);
    std::vector<Version> versions;
    for (int line = 0; line < 3; ++line) {
        const std::size_t newline = std::min(text.find('\n'), text.size());
        if (auto version = Version::parse(text.substr(0, newline))) {
            check_alone(*version);
            versions.push_back(*std::move(version));
        }
        text.remove_prefix(std::min(newline + 1, text.size()));
    }
    for (const Version& one : versions) {
        for (const Version& two : versions) {
            expect((one < two) == (two > one), "a < b is b > a");
            expect((one == two) == (!(one < two) && !(two < one)), "equal is neither less");
        }
    }
    std::ranges::sort(versions);
    expect(versions.size() < 3 || versions[0] <= versions[2], "the order is transitive");
    return 0;
}
