// Version: two lines, two versions. Parsing what was parsed changes nothing; order has two sides.
#include "conda/version.hpp"
#include "fuzz/fuzz.hpp"

#include <algorithm>

using chm::conda::Version;
using chm::fuzz::expect;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = chm::fuzz::as_text(data, size);
    const std::size_t newline = std::min(text.find('\n'), text.size());
    const auto one = Version::parse(text.substr(0, newline));
    const auto two = Version::parse(text.substr(std::min(newline + 1, text.size())));
    if (one) {
        const auto again = Version::parse(one->text());
        expect(again && *again == *one, "a version's text gives the same version");
    }
    if (one && two) {
        expect((*one < *two) == (*two > *one), "a < b is b > a");
        expect((*one == *two) == (!(*one < *two) && !(*two < *one)), "equal is neither less");
    }
    return 0;
}
