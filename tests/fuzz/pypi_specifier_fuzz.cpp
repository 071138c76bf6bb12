// Version specifiers: the first line, asked about the versions on the other lines. The canonical
// text is a fixed point and takes the same versions; opposite operators give opposite answers; the
// policies on pre-releases are each within the next.
#include "fuzz/fuzz.hpp"
#include "pypi/version_specifier.hpp"

#include <algorithm>
#include <string>

using chm::fuzz::expect;
using chm::pypi::PrereleasePolicy;
using chm::pypi::SpecifierOperator;
using chm::pypi::Version;
using chm::pypi::VersionSpecifier;
using chm::pypi::VersionSpecifierSet;

namespace {

void check(const VersionSpecifierSet& set,
           const VersionSpecifierSet& again,
           const Version& version) {
    const bool allowed = set.contains(version, PrereleasePolicy::allow);
    const bool specified = set.contains(version);
    const bool excluded = set.contains(version, PrereleasePolicy::exclude);
    expect(allowed >= specified && specified >= excluded, "policies are each within the next");
    expect(again.contains(version, PrereleasePolicy::allow) == allowed &&
               again.contains(version) == specified,
           "the canonical text takes the same versions");
    for (const VersionSpecifier& clause : set.clauses()) {
        const bool is_equal = clause.op() == SpecifierOperator::equal;
        if (!is_equal && clause.op() != SpecifierOperator::not_equal) {
            continue;
        }
        const auto opposite =
            VersionSpecifier::parse((is_equal ? "!=" : "==") + std::string(clause.operand()));
        expect(opposite && opposite->contains(version) != clause.contains(version),
               "== and != are opposites");
    }
}

/// Each operator with a version, asked about that version.
void check_bounds(const Version& version) {
    const std::string open(version.public_text());
    const auto takes = [&](const std::string& specifier) {
        const auto clause = VersionSpecifier::parse(specifier);
        return clause && clause->contains(version);
    };
    expect(takes("==" + version.to_text()) && takes(">=" + open) && takes("<=" + open),
           "a version is equal to itself");
    expect(!takes(">" + open) && !takes("<" + open) && !takes("!=" + version.to_text()),
           "a version is neither above nor below itself");
    expect(takes("==" + std::string(version.base_text()) + ".*"), "a release is its own prefix");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text = chm::fuzz::as_text(data, size);
    const std::size_t newline = std::min(text.find('\n'), text.size());
    const auto set = VersionSpecifierSet::parse(text.substr(0, newline));
    text.remove_prefix(std::min(newline + 1, text.size()));
    if (!set) {
        return 0;
    }
    const auto again = VersionSpecifierSet::parse(set->to_text());
    expect(again && *again == *set && again->to_text() == set->to_text(),
           "the canonical text gives the same set");
    for (int line = 0; line < 4 && !text.empty(); ++line) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (const auto version = Version::parse(text.substr(0, end))) {
            check(*set, *again, *version);
            check_bounds(*version);
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return 0;
}
