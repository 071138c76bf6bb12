// VersionSpec: its canonical text is a fixed point and asks the same of every version.
#include "conda/version_spec.hpp"
#include "fuzz/fuzz.hpp"

#include <array>

using chm::conda::Version;
using chm::conda::VersionSpec;
using chm::fuzz::expect;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::array versions = {Version::parse("1"),
                                        Version::parse("1.8.3"),
                                        Version::parse("1.0rc1"),
                                        Version::parse("2!2.1.0+cu121"),
                                        Version::parse("0.0.dev1")};
    const auto spec = VersionSpec::parse(chm::fuzz::as_text(data, size));
    if (!spec) {
        return 0;
    }
    const auto again = VersionSpec::parse(spec->to_text());
    expect(again && *again == *spec, "a spec's canonical text gives the same spec");
    for (const auto& version : versions) {
        expect(spec->matches(*version) == again->matches(*version), "and it matches the same");
    }
    return 0;
}
