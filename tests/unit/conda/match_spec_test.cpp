// MatchSpec: the answers on which all solvers agree, the decisions of docs/conda-semantics.md where
// they do not, every field, and canonical text.
#include "conda/match_spec.hpp"

#include "unit/conda/match_spec_support.hpp"
#include "unit/conda/vectors.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

using namespace chm::conda;
using chm::test::canonical, chm::test::full_record, chm::test::k_md5, chm::test::k_sha256;
using chm::test::record, chm::test::spec;

namespace {

bool takes(std::string_view text, std::string_view version, std::string_view build = "b_0") {
    return spec(text).matches(record("pkg", version, build));
}

bool takes_full(std::string_view text) {
    return spec(text).matches(full_record());
}

}  // namespace

TEST_CASE("match spec: answers on which all solvers agree") {
    const std::string text = chm::test::read_vectors("matchspec.tsv");
    std::size_t agreed = 0;
    for (const auto& row : chm::test::rows_of(text, 8)) {
        // Decided against them, each with its own test below: CEP 29 calls the first fuzzy and
        // builds case-insensitive; what can never match is an error; the last says nothing about
        // build numbers.
        if (row[7] != "yes" || row[0] == "pkg =1.8 *" || row[0] == "pkg[build=B_0]" ||
            row[0] == "pkg[md5=x]" || row[0] == "pkg@" || row[0] == "pkg[build_number='>=1']") {
            continue;
        }
        ++agreed;
        CAPTURE(row[0]);
        const auto parsed = MatchSpec::parse(row[0]);
        REQUIRE((row[4] == "ERR") == !parsed.has_value());
        if (parsed) {
            const Record candidate = record(row[1], row[2], row[3]);
            CHECK(parsed->matches(candidate) == (row[4] == "1"));
            CHECK(spec(parsed->to_text()).matches(candidate) == (row[4] == "1"));
        }
    }
    CHECK(agreed == 417);
}

TEST_CASE("match spec: version and build by position (CEP 29)") {
    for (const std::string_view fuzzy : {"pkg=1.8",
                                         "pkg =1.8",
                                         "pkg 1.8.*",
                                         "pkg 1.8.* *",
                                         "pkg=1.8.*",
                                         "pkg=1.8.*=*",
                                         "pkg =1.8.* *",
                                         "pkg ==1.8.* *",
                                         "pkg =1.8 *",
                                         "pkg = 1.8",
                                         "pkg[version=1.8.*]",
                                         "pkg[version=\"1.8.*\"]",
                                         "pkg[version='=1.8']"}) {
        CAPTURE(fuzzy);
        CHECK(canonical(fuzzy) == "pkg=1.8");
        CHECK(takes(fuzzy, "1.8.2"));
        CHECK_FALSE(takes(fuzzy, "1.9"));
    }
    for (const std::string_view exact : {"pkg 1.8",
                                         "pkg 1.8 *",
                                         "pkg==1.8",
                                         "pkg=1.8=*",
                                         "pkg==1.8=*",
                                         "pkg ==1.8 *",
                                         "pkg == 1.8",
                                         "pkg[version=1.8]",
                                         "pkg[version=\"1.8\"]",
                                         "pkg [version=1.8]",
                                         "  pkg  1.8  "}) {
        CAPTURE(exact);
        CHECK(canonical(exact) == "pkg==1.8");
        CHECK(takes(exact, "1.8.0"));
        CHECK_FALSE(takes(exact, "1.8.2"));
    }
    for (const std::string_view three : {"pkg 1.8 b_0",
                                         "pkg ==1.8 b_0",
                                         "pkg=1.8=b_0",
                                         "pkg==1.8=b_0",
                                         "pkg =1.8=b_0",
                                         "pkg 1.8=b_0",
                                         "pkg[version=1.8,build=b_0]"}) {
        CAPTURE(three);
        CHECK(canonical(three) == "pkg==1.8=b_0");
    }
    CHECK(canonical("pkg =1.8 b_0") == "pkg=1.8[build='b_0']");
    CHECK(canonical("pkg=*=b_0") == "pkg[build='b_0']");
    CHECK(canonical("pkg=*") == "pkg");
    CHECK(canonical("pkg >=1.8=b_0") == "pkg[version='>=1.8',build='b_0']");
    CHECK(canonical("pkg=1.8|1.9") == "pkg[version='=1.8|==1.9']");
    CHECK(takes("pkg=1.8|1.9", "1.8.2"));
    CHECK_FALSE(takes("pkg=1.8|1.9", "1.9.1"));
}

TEST_CASE("match spec: spaces around operators are ignored") {
    CHECK(canonical("pkg >= 1.8 , < 2 *_0") == "pkg[version='>=1.8,<2',build='*_0']");
    CHECK(canonical("pkg (>=1 ,<1.5) | 1.8") == "pkg[version='>=1,<1.5|==1.8']");
    CHECK(canonical("pkg\t>=1.8\tb_0") == "pkg[version='>=1.8',build='b_0']");
    CHECK(canonical("x264 >=1 !164.3095,<1!165") ==
          "x264[version='>=1!164.3095,<1!165']");  // published
}

TEST_CASE("match spec: builds are matched without regard to case") {
    CHECK(takes("pkg[build=B_0]", "1.8", "b_0"));
    CHECK(takes("pkg * ^B_\\d$", "1.8", "b_0"));
    CHECK_FALSE(takes("pkg * ^b_\\D$", "1.8", "b_0"));
    CHECK(canonical("PKG=1.8=B_0") == "pkg==1.8=b_0");
    CHECK(canonical("pkg[build='^B_\\D$']") ==
          "pkg[build='^B_\\D$']");  // \d would be something else
}

TEST_CASE("match spec: odd but accepted, with a warning") {
    for (const std::string_view odd : {"pkg=", "pkg[name=other]", "pkg>1.8.*"}) {
        CAPTURE(odd);
        REQUIRE(spec(odd).warnings.size() == 1);
        CHECK(spec(odd).name.text() == "pkg");
    }
    CHECK(canonical("pkg=") == "pkg");
    CHECK(spec("pkg=") == spec("pkg"));
    CHECK(spec("pkg").warnings.empty());
}

TEST_CASE("match spec: channel, subdir, namespace") {
    CHECK(canonical("conda-forge::pkg") == "conda-forge::pkg");
    CHECK(canonical("conda-forge/linux-64::pkg") == "conda-forge/linux-64::pkg");
    CHECK(canonical("nvidia/label/cuda-12.4.1::pkg") == "nvidia/label/cuda-12.4.1::pkg");
    CHECK(canonical("pkgs/main/noarch::pkg") == "pkgs/main/noarch::pkg");
    CHECK(canonical("https://conda.anaconda.org/conda-forge/linux-64::pkg=1") ==
          "conda-forge/linux-64::pkg=1");
    CHECK(canonical("https://repo.anaconda.com/pkgs/main::pkg") == "pkgs/main::pkg");
    CHECK(canonical("https://prefix.dev/x::pkg") == "https://prefix.dev/x::pkg");
    CHECK(canonical("http://localhost:8080/x:ns:pkg") == "http://localhost:8080/x::pkg");
    CHECK(canonical("http://[::1]:8080/x::pkg") == "pkg[channel='http://[::1]:8080/x']");
    CHECK(canonical("chan:ns:pkg") == "chan::pkg");
    CHECK(canonical("ns:pkg") == "pkg");
    CHECK(canonical("::pkg") == "pkg");
    CHECK(canonical("*::pkg") == "pkg");
    CHECK(canonical("*/linux-64::pkg>=1.0") == "pkg[subdir='linux-64',version='>=1.0']");
    CHECK(canonical("conda-*::pkg") == "pkg[channel='conda-*']");
    CHECK(canonical("a::pkg[channel='b/noarch']") == "b/noarch::pkg");  // keywords override
    CHECK(canonical("pkg[subdir=linux-64]") == "pkg[subdir='linux-64']");

    CHECK(takes_full("conda-forge::pkg"));
    CHECK(takes_full("conda-forge/linux-64::pkg"));
    CHECK(takes_full("conda-*::pkg"));
    CHECK(takes_full("https://conda.anaconda.org/conda-forge::pkg"));
    CHECK(takes_full("pkg[subdir='linux-*']"));
    CHECK_FALSE(takes_full("conda-forge/noarch::pkg"));
    CHECK_FALSE(takes_full("conda::pkg"));
    CHECK_FALSE(takes_full("https://prefix.dev/conda-forge::pkg"));
}

TEST_CASE("match spec: a channel given by a foreign URL matches by URL and by name") {
    Record foreign = record("pkg", "1", "0");
    foreign.url = "https://prefix.dev/x/noarch/pkg-1-0.conda";
    foreign.channel = "prefix.dev/x";
    CHECK(spec("https://prefix.dev/x::pkg").matches(foreign));
    CHECK(spec("prefix.dev/x::pkg").matches(foreign));
    CHECK_FALSE(spec("https://prefix.dev/xy::pkg").matches(foreign));
    foreign.channel = "";
    CHECK(spec("https://prefix.dev/x::pkg").matches(foreign));
    foreign.url = "https://prefix.dev/xy/noarch/pkg-1-0.conda";
    CHECK_FALSE(spec("https://prefix.dev/x::pkg").matches(foreign));
}

TEST_CASE("match spec: artifact names and URLs") {
    CHECK(canonical("pkg-1.8-b_0") == "pkg-1.8-b_0");  // a name, not a file
    CHECK(canonical("pkg-1.8-b_3.conda") == "pkg==1.8=b_3[fn='pkg-1.8-b_3.conda']");
    CHECK(canonical(
              "https://conda.anaconda.org/conda-forge/linux-64/python-3.11.10-h123456_0.conda") ==
          "conda-forge/linux-64::python==3.11.10=h123456_0[fn='python-3.11.10-h123456_0.conda']");
    CHECK(canonical("https://conda.anaconda.org/x/noarch/x264-1%21164-h_2.tar.bz2#" + k_md5) ==
          "x/noarch::x264==1!164=h_2[fn='x264-1!164-h_2.tar.bz2',md5='" + k_md5 + "']");
    CHECK(spec("https://prefix.dev/x/noarch/a-b-1.0-0.conda#sha256:" + k_sha256).sha256->hex() ==
          k_sha256);
    CHECK(spec("https://prefix.dev/x/noarch/a-b-1.0-0.conda#" + k_sha256).channel ==
          "https://prefix.dev/x");
    CHECK(takes_full("https://conda.anaconda.org/conda-forge/linux-64/pkg-1.8-b_3.conda"));
    CHECK_FALSE(takes_full("https://conda.anaconda.org/conda-forge/linux-64/pkg-1.8-b_3.tar.bz2"));
}

TEST_CASE("match spec: every keyword matches its field") {
    const std::vector<std::array<std::string, 2>> rows = {
        {"pkg[build_number=3]", "pkg[build_number=4]"},
        {"pkg[build_number='>=3']", "pkg[build_number='> 3']"},
        {"pkg[build_number='!=4']", "pkg[build_number='!=3']"},
        {"pkg[build_number='<=3']", "pkg[build_number='<3']"},
        {"pkg[build_number='*']", "pkg[build_number='==2']"},
        {"pkg[version='>=1.8',build='b*']", "pkg[version='>1.8']"},
        {"pkg[fn='pkg-1.8-b_3.conda']", "pkg[fn='pkg-1.8-b_3.tar.bz2']"},
        {"pkg[fn='*.conda']", "pkg[fn='*.tar.bz2']"},
        {"pkg[url='https://conda.anaconda.org/conda-forge/linux-64/pkg-1.8-b_3.conda']",
         "pkg[url='https://x/y']"},
        {"[md5=" + k_md5 + "]", "[md5=" + std::string(32, 'c') + "]"},
        {"*[sha256=" + k_sha256 + "]", "*[sha256=" + std::string(64, 'c') + "]"},
        {"pkg[license=mit]", "pkg[license=bsd]"},
        {"pkg[license_family=bsd]", "pkg[license_family=mit]"},
        {"pkg[features=mkl]", "pkg[features=nomkl]"},
        {"pkg[track_features=a]", "pkg[track_features=c]"},
        {"pkg[track_features='b, a']", "pkg[track_features='a c']"},
        {"pkg[track_features=[a, 'b']]", "pkg[track_features=[a,c]]"},
        {"pkg[timestamp='>=1700000000000']", "pkg[timestamp='>1700000000000']"},
        {"pkg[size=1000]", "pkg[size='<1000']"},
        {"pkg[flags=cuda]", "pkg[flags=rocm]"},
        {"pkg[flags=[cuda, \"blas:*\"]]", "pkg[flags=[cuda, \"mpi:*\"]]"},
        {"[name=pkg]", "[name=other]"},
        {"p*g", "p*x"},
        {"^p.g$", "^g$"},
    };
    for (const auto& [yes, no] : rows) {
        CAPTURE(yes);
        CAPTURE(no);
        CHECK(takes_full(yes));
        CHECK_FALSE(takes_full(no));
        canonical(yes);
        canonical(no);
    }
    CHECK_FALSE(
        spec("pkg[md5=" + k_md5 + "]").matches(record("pkg", "1", "0")));  // unknown is no match
    CHECK_FALSE(spec("pkg[size=0]").matches(record("pkg", "1", "0")));
}

TEST_CASE("match spec: when, extras, flags (CEP 43, 44, 45)") {
    const MatchSpec parsed =
        spec("pkg>=1[extras=[b, 'a', b], when=\"python>=3.10 and __unix\", flags=['x:*',\"c\"]]");
    CHECK(parsed.extras == std::vector<std::string>{"a", "b"});
    CHECK(parsed.when == "python>=3.10 and __unix");
    REQUIRE(parsed.flags.size() == 2);
    CHECK(parsed.flags[1].text() == "x:*");
    CHECK(parsed.to_text() ==
          "pkg[version='>=1',extras=['a','b'],flags=['c','x:*'],when='python>=3.10 and __unix']");
    CHECK(spec("pkg[extras=' a ']").extras == std::vector<std::string>{"a"});
    CHECK(spec("pkg[extras=[]]").extras.empty());
    CHECK(canonical("pkg[when=python]") == "pkg[when='python']");
    CHECK(canonical("pkg[when='a[build=\"x\"]']") == "pkg[when='a[build=\"x\"]']");
    CHECK(canonical("pkg[when=\"a[build='x']\"]") == "pkg[when='a[build=\\'x\\']']");
    CHECK(spec("pkg[when=python]").matches(record("pkg", "1", "0")));  // the solver's business
}
