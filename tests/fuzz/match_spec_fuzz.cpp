// MatchSpec: its canonical text is a fixed point and asks the same of a record; the short cut
// dependency_name agrees with the parser, and the plain way to match with the other; conditions are parsed on their own too.
#include "conda/match_spec.hpp"
#include "conda/spec_words.hpp"
#include "fuzz/fuzz.hpp"

#include <array>

using chm::conda::MatchSpec;
using chm::fuzz::expect;

namespace {

chm::conda::Record make_record() {
    static const std::array<std::string_view, 1> features = {"cuda"};
    chm::conda::Record record;
    record.name = "numpy";
    record.version = *chm::conda::Version::parse("1.26.4");
    record.build = "py311h64a7726_0";
    record.channel = "conda-forge";
    record.subdir = "linux-64";
    record.fn = "numpy-1.26.4-py311h64a7726_0.conda";
    record.url =
        "https://conda.anaconda.org/conda-forge/linux-64/numpy-1.26.4-py311h64a7726_0.conda";
    record.track_features = features;
    record.license = "BSD-3-Clause";
    record.flags = features;
    record.size = 7;
    return record;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const chm::conda::Record record = make_record();
    const std::string_view text = chm::fuzz::as_text(data, size);
    static_cast<void>(chm::conda::parse_condition(text));
    const auto short_cut = chm::conda::dependency_name(text);
    const auto spec = MatchSpec::parse(text);
    if (!spec) {
        return 0;
    }
    expect(!short_cut || *short_cut == spec->name.text(), "dependency_name gives the spec's name");
    const auto again = MatchSpec::parse(spec->to_text());
    expect(again && *again == *spec, "a spec's canonical text gives the same spec");
    expect(spec->matches(record) == again->matches(record), "and it matches the same");
    expect(!chm::conda::explain(*spec).empty(), "every spec can be explained");
    MatchSpec slow = *spec;
    if (!slow.size) {  // true of every record with a size: nothing but the way there changes
        slow.size = {chm::conda::BuildNumberSpec::Op::greater_equal, 0};
    }
    expect(slow.matches(record) == spec->matches(record), "the fast way answers as the slow way");
    return 0;
}
