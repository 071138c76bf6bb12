// The compiled matcher against the slow reading of CEP 29, on every dependency that real channels
// have published; and that it allocates nothing.
#include "conda/record_matcher.hpp"

#include "support/allocation_count.hpp"
#include "unit/conda/match_spec_support.hpp"
#include "unit/conda/slow_version.hpp"
#include "unit/conda/vectors.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using chm::conda::RecordMatcher;
using chm::test::allocation_count;
using chm::test::MatchSpec;
using chm::test::record;
using chm::test::Record;
using chm::test::spec;
using chm::test::Version;

namespace {

/// All distinct dependencies, parsed.
const std::vector<MatchSpec>& real_specs() {
    static const std::vector<MatchSpec> specs = [] {
        const std::string text = chm::test::read_vectors("depends.txt");
        std::vector<MatchSpec> parsed;
        for (const std::string_view line : chm::test::lines_of(text)) {
            parsed.push_back(spec(line));
        }
        return parsed;
    }();
    return specs;
}

/// Versions at which a spec may change its mind: its own literals and what lies beside them.
std::vector<std::string> versions_near(const std::string& spec_text, std::mt19937& random) {
    std::vector<std::string> versions;
    for (const std::string_view alternative : chm::split(spec_text, '|')) {
        for (std::string_view clause : chm::split(alternative, ',')) {
            clause.remove_prefix(std::min(clause.find_first_not_of("<>=!~"), clause.size()));
            std::string literal(clause.substr(0, clause.find('*')));
            while (literal.ends_with('.')) {
                literal.pop_back();
            }
            for (const std::string_view ending : {"", ".1", ".0", "rc1", ".post1", "a", "+cu121"}) {
                if (random() % 3 == 0) {  // a third is enough to meet every kind many times
                    versions.push_back(literal + std::string(ending));
                }
            }
        }
    }
    return versions;
}

std::string build_like(std::string_view pattern, std::mt19937& random) {
    std::string build;
    for (const char c : pattern) {
        build += c == '*' ? std::string(random() % 3, 'x') : std::string(1, c);
    }
    return build;
}

}  // namespace

TEST_CASE("record matcher: as CEP 29 reads, on every real dependency") {
    const std::string text = chm::test::read_vectors("versions.txt");
    const auto published = chm::test::lines_of(text);
    std::mt19937 random(3);
    std::size_t compared = 0;
    for (const MatchSpec& wanted : real_specs()) {
        const std::string version_spec = wanted.version.to_text();
        const RecordMatcher matcher(wanted);
        if (!matcher.is_plain() || version_spec.find_first_of("(^") != std::string::npos) {
            continue;
        }
        auto versions = versions_near(version_spec, random);
        for (int i = 0; i < 1; ++i) {
            versions.emplace_back(published[random() % published.size()]);
        }
        for (const std::string& version : versions) {
            const auto parsed = Version::parse(version);
            if (!parsed) {
                continue;
            }
            Record candidate;
            candidate.name = wanted.name.text();
            candidate.version = *parsed;
            const std::string build =
                random() % 4 == 0 ? "h0_0" : build_like(wanted.build.text(), random);
            candidate.build = build;
            ++compared;
            const bool expected = chm::test::slow_spec(version_spec, version) &&
                                  chm::test::slow_glob(wanted.build.text(), build);
            REQUIRE_MESSAGE(matcher.matches(candidate) == expected,
                            wanted.to_text() << " and " << version << " " << build);
        }
    }
    CHECK(compared > 100'000);
}

TEST_CASE("record matcher: nearly every real dependency is plain") {
    const auto& specs = real_specs();
    const auto plain =
        std::ranges::count_if(specs, [](const auto& s) { return RecordMatcher(s).is_plain(); });
    CHECK(specs.size() == 26'181);
    CHECK(plain >= 26'100);
}

TEST_CASE("record matcher: the fast way answers as the slow way does") {
    const Record candidate = record("numpy", "1.26.4", "py311h64a7726_0");
    for (const MatchSpec& plain : real_specs()) {
        MatchSpec slow = plain;
        slow.size = chm::conda::BuildNumberSpec{chm::conda::BuildNumberSpec::Op::greater_equal,
                                                0};  // true of every size
        Record other = candidate;
        other.name = plain.name.text();
        other.size = 1;
        REQUIRE(RecordMatcher(plain).matches(other) == RecordMatcher(slow).matches(other));
        REQUIRE(plain.matches(other) == RecordMatcher(plain).matches(other));
    }
}

TEST_CASE("record matcher: a match allocates nothing") {
    const Record candidate = record("numpy", "1.26.4", "py311h64a7726_0");
    std::vector<RecordMatcher> matchers;
    for (const MatchSpec& wanted : real_specs()) {
        matchers.emplace_back(wanted);
    }
    const auto keyed = spec(
        "conda-forge/linux-*::numpy[version='>=1',build='py*_0',"
        "build_number='>=0',fn='numpy*',url='*numpy*',license='*',"
        "track_features=x,flags=['gpu*']]");
    matchers.emplace_back(keyed);
    const auto any_name = spec("*[version='1.26.*|>=2']");
    matchers.emplace_back(any_name);
    const std::uint64_t before = allocation_count();
    unsigned matched = 0;
    for (const RecordMatcher& matcher : matchers) {
        matched += matcher.matches(candidate) ? 1U : 0U;
    }
    CHECK(allocation_count() == before);
    CHECK(matched > 10);
    const auto counted = std::make_unique<int>(1);  // the counter counts
    CHECK(allocation_count() == before + 1 + 0 * static_cast<std::uint64_t>(*counted));
}
