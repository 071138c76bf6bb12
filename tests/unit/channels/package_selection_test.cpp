// package_selection.cpp: which files a policy wants of an index.
#include "channels/package_selection.hpp"

#include "channels/repodata.hpp"
#include "channels/subdir_index.hpp"
#include "support/mirror_check.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chm::channels {
namespace {

using Texts = std::vector<std::string>;
using config::PackagePolicy;
const conda::Channel k_channel{"conda-forge", "https://conda.anaconda.org/conda-forge"};

std::vector<conda::MatchSpec> specs(const Texts& texts) {
    std::vector<conda::MatchSpec> all;
    for (const std::string& text : texts) {
        auto spec = conda::MatchSpec::parse(text);
        REQUIRE_MESSAGE(spec, text);
        all.push_back(std::move(*spec));
    }
    return all;
}

config::PackageSettings policy(const Texts& match, const Texts& exclude = {}) {
    config::PackageSettings settings;
    settings.policy = match.empty() ? PackagePolicy::all : PackagePolicy::matching;
    settings.match = specs(match);
    settings.exclude = specs(exclude);
    return settings;
}

Selection select(std::string json, const config::PackageSettings& settings) {
    const auto summary = check_repodata(json, "linux-64");
    REQUIRE_MESSAGE(summary, (summary ? "" : summary.error().message));
    auto selection = select_packages(json, k_channel, "linux-64", settings);
    REQUIRE_MESSAGE(selection, (selection ? "" : selection.error().message));
    return std::move(*selection);
}

Texts names(const Selection& selection) {
    Texts all;
    for (const WantedFile& file : selection.files) {
        all.push_back(file.fn);
    }
    return all;
}

/// The body of a record; `fn` is name-version-build.extension.
std::string record(std::string_view fn, std::string_view more = "") {
    const auto build = fn.rfind('-');
    const auto version = fn.rfind('-', build - 1);
    return fmt::format(R"("{}":{{"name":"{}","version":"{}","build":"{}"{}}})",
                       fn,
                       fn.substr(0, version),
                       fn.substr(version + 1, build - version - 1),
                       fn.substr(build + 1, fn.find('.', build) - build - 1),
                       more);
}

std::string index_of(const Texts& records) {
    return fmt::format(R"({{"packages":{{{}}}}})", fmt::join(records, ","));
}

std::string index_of_files(const Texts& files) {
    Texts records;
    for (const std::string& fn : files) {
        records.push_back(record(fn));
    }
    return index_of(records);
}

}  // namespace

TEST_CASE("package_selection: policy all takes what every section lists, with what it promises") {
    const std::string sha256(64, 'a');
    const std::string md5(32, 'B');
    const Selection selection = select(
        fmt::format(R"({{"packages.conda":{{"b-1-0.conda":{{"sha256":"{}","size":7}}}},)"
                    R"("packages":{{"a-1-0.tar.bz2":{{"md5":"{}","sha256":null,"size":-1}}}},)"
                    R"("v3":{{"conda":{{"c-1-0":{{"size":5,"md5":""}}}},"whl":{{"d-1-0":{{}}}}}},)"
                    R"("v4":{{"conda":{{"e-1-0":{{}}}}}}}})",
                    sha256,
                    md5),
        policy({}));
    REQUIRE(names(selection) == Texts{"a-1-0.tar.bz2", "b-1-0.conda", "c-1-0.conda", "d-1-0.whl"});
    CHECK(selection.files[0].md5 == *Md5::from_hex(md5));
    CHECK_FALSE(selection.files[0].sha256);
    CHECK_FALSE(selection.files[0].size);
    CHECK(selection.files[1].sha256 == *Sha256::from_hex(sha256));
    CHECK(selection.files[1].size == 7);
    CHECK(selection.bytes == 12);
    CHECK(selection.unsized == 2);
    CHECK(selection.left_out == 0);
    CHECK(selection.refused.empty());
}

TEST_CASE("package_selection: policy none wants nothing") {
    const Selection selection = select(index_of_files({"a-1-0.conda", "b-1-0.conda"}), {});
    CHECK(selection.files.empty());
    CHECK(selection.left_out == 2);
}

TEST_CASE("package_selection: a record is wanted when one of the specs matches") {
    const std::string json = index_of_files({"numpy-1.25.0-py311_0.conda",
                                             "numpy-1.26.4-py311_0.conda",
                                             "numpy-base-1.26.4-0.conda",
                                             "python-3.11.7-h1_0.conda",
                                             "r-base-4.3-0.conda"});
    CHECK(names(select(json, policy({"numpy"}))) ==
          Texts{"numpy-1.25.0-py311_0.conda", "numpy-1.26.4-py311_0.conda"});
    CHECK(names(select(json, policy({"numpy >=1.26", "R-Base"}))) ==
          Texts{"numpy-1.26.4-py311_0.conda", "r-base-4.3-0.conda"});
    CHECK(names(select(json, policy({"numpy*"}))).size() == 3);
    CHECK(names(select(json, policy({"^.*-base$"}))) ==
          Texts{"numpy-base-1.26.4-0.conda", "r-base-4.3-0.conda"});
    CHECK(names(select(json, policy({"*"}))).size() == 5);
    CHECK(names(select(json, policy({"*=*=py311_0"}))).size() == 2);
    CHECK(names(select(json, policy({"nothing"}))).empty());
    CHECK(select(json, policy({"numpy"})).left_out == 3);
}

TEST_CASE("package_selection: exclude beats match, and cuts into all") {
    const std::string json = index_of_files({"a-1-0.conda", "a-2-0.conda", "b-1-0.conda"});
    CHECK(names(select(json, policy({"a"}, {"a >=2"}))) == Texts{"a-1-0.conda"});
    const Selection rest = select(json, policy({}, {"a"}));
    CHECK(names(rest) == Texts{"b-1-0.conda"});
    CHECK(rest.left_out == 2);
    CHECK(names(select(json, policy({"a"}, {"*"}))).empty());
}

TEST_CASE("package_selection: a spec may ask for every field of a record") {
    const std::string sha256(64, 'a');
    const std::string md5(32, 'b');
    const std::string json = index_of({
        record("a-1-h_3.conda",
               fmt::format(R"(,"build_number":3,"license":"MIT","license_family":"mit","size":10,)"
                           R"("track_features":"x, y","features":"f","flags":["cuda","z"],)"
                           R"("timestamp":1600000000,"sha256":"{}","md5":"{}")",
                           sha256,
                           md5)),
        record("a-2-0.conda", R"(,"track_features":["x"],"timestamp":1600000000001)"),
    });
    for (const std::string& text : Texts{"a[build_number=3]",
                                         "a[license=mit]",
                                         "a[license_family=MIT]",
                                         "a[size='<11']",
                                         "a[track_features='x y']",
                                         "a[features=f]",
                                         "a[flags=[cuda]]",
                                         "a[timestamp=1600000000000]",
                                         "a[sha256=" + sha256 + "]",
                                         "a[md5=" + md5 + "]",
                                         "a[fn='a-1-h_3.conda']",
                                         "a=1=h_3",
                                         "a[url='*/linux-64/a-1-h_3.conda']",
                                         "conda-forge/linux-64::a==1"}) {
        CAPTURE(text);
        CHECK(names(select(json, policy({text}))) == Texts{"a-1-h_3.conda"});
    }
    CHECK(names(select(json, policy({"a[track_features=x]"}))).size() == 2);
    CHECK(names(select(json, policy({"conda-forge::a", "a[subdir=noarch]"}))).size() == 2);
    CHECK(names(select(json, policy({"https://conda.anaconda.org/conda-forge::a"}))).size() == 2);
    CHECK(names(select(json, policy({"pytorch::a"}))).empty());
    CHECK(names(select(json, policy({"a[subdir=noarch]"}))).empty());
}

TEST_CASE("package_selection: prefer_conda leaves the old format out where the new one is taken") {
    config::PackageSettings settings = policy({});
    settings.prefer_conda = true;
    const std::string json = index_of_files(
        {"a-1-0.tar.bz2", "a-1-0.conda", "a-1-1.tar.bz2", "b-1-0.tar.bz2", "b-1-1.conda"});
    const Selection selection = select(json, settings);
    CHECK(names(selection) ==
          Texts{"a-1-0.conda", "a-1-1.tar.bz2", "b-1-0.tar.bz2", "b-1-1.conda"});
    CHECK(selection.left_out == 1);
    settings.exclude = specs({"a[fn='*.conda']"});
    CHECK(names(select(json, settings)) ==
          Texts{"a-1-0.tar.bz2", "a-1-1.tar.bz2", "b-1-0.tar.bz2", "b-1-1.conda"});
}

TEST_CASE("package_selection: names that are no package's are refused by name") {
    const Selection selection =
        select(R"({"packages":{"../a-1-0.conda":{},"a-1-0/x.conda":{},"repodata.json":{},"":{},)"
               R"(".a-1-0.conda":{},"a-1-\u00e9.conda":{},"a -1-0.conda":{},"a-1\u0000-0":{},)"
               R"("a-1-0.conda":{}},"v3":{"tar.bz2/../..":{"b-1-0":{}}}})",
               policy({}));
    CHECK(names(selection) == Texts{"a-1-0.conda"});
    REQUIRE(selection.refused.size() == 9);
    CHECK(selection.refused[0] == "../a-1-0.conda: unsafe file name");
    CHECK(selection.refused[2].starts_with("repodata.json: not a package's file name"));
    CHECK(selection.refused[7].starts_with("a-1\\x00-0: "));
    CHECK(selection.refused[8].starts_with("b-1-0.tar.bz2/../..: unsafe"));
}

TEST_CASE("package_selection: records that cannot be read are refused, the rest goes on") {
    const std::string json = index_of({record("a-1-0.conda", R"(,"sha256":"xyz")"),
                                       record("b-1-0.conda", R"(,"md5":"12")"),
                                       record("c-1-0.conda", R"(,"version":"1..2")"),
                                       record("d-1-0.conda", R"(,"name":"other")"),
                                       record("e-1-0.conda", R"(,"flags":[1])"),
                                       record("f-1-0.conda", R"(,"flags":null,"size":"7")")});
    const Selection all = select(json, policy({}));
    CHECK(names(all) == Texts{"c-1-0.conda", "d-1-0.conda", "e-1-0.conda", "f-1-0.conda"});
    CHECK(all.refused ==
          Texts{"a-1-0.conda: its sha256 is malformed", "b-1-0.conda: its md5 is malformed"});
    const Selection matching = select(json, policy({"*"}));
    CHECK(names(matching) == Texts{"f-1-0.conda"});
    REQUIRE(matching.refused.size() == 5);
    CHECK(matching.refused[2].starts_with("c-1-0.conda: "));
    CHECK(matching.refused[3] == "d-1-0.conda: its name 'other' is not its file's");
    CHECK(matching.refused[4] == "e-1-0.conda: its flags holds something other than text");
    // What no spec could want is not even looked at.
    CHECK(select(json, policy({"f"})).refused.empty());
}

TEST_CASE("package_selection: of names that differ only in case one is taken") {
    const Selection selection = select(
        index_of_files({"A-1-0.conda", "a-1-0.conda", "B-1-X.conda", "B-1-x.conda", "C-1-0.conda"}),
        policy({}));
    CHECK(names(selection) == Texts{"B-1-X.conda", "C-1-0.conda", "a-1-0.conda"});
    CHECK(selection.refused == Texts{"A-1-0.conda: it differs from a-1-0.conda only in case",
                                     "B-1-x.conda: it differs from B-1-X.conda only in case"});
}

TEST_CASE("package_selection: a file in two sections is one file, unless they disagree") {
    const std::string a(64, 'a');
    const std::string b(64, 'b');
    const auto json = [](std::string_view first, std::string_view second) {
        return fmt::format(
            R"({{"packages.conda":{{"a-1-0.conda":{{{}}}}},"v3":{{"conda":{{"a-1-0":{{{}}}}}}}}})",
            first,
            second);
    };
    const auto same = select(json(fmt::format(R"("sha256":"{}")", a), R"("size":5)"), policy({}));
    REQUIRE(same.files.size() == 1);
    CHECK(same.files[0].sha256 == *Sha256::from_hex(a));
    CHECK(same.files[0].size == 5);
    CHECK(same.refused.empty());
    const auto other = select(
        json(fmt::format(R"("sha256":"{}")", a), fmt::format(R"("sha256":"{}")", b)), policy({}));
    CHECK(other.files.empty());
    CHECK(other.refused ==
          Texts{"a-1-0.conda: it is listed twice, with different digests or sizes"});
    CHECK(select(json(R"("size":4)", R"("size":5)"), policy({})).files.empty());
}

TEST_CASE("package_selection: the list of refused files is bounded") {
    Texts bad;
    for (int i = 0; i < 3000; ++i) {
        bad.push_back(fmt::format(R"("x{}":{{}})", i));
    }
    const Selection selection = select(index_of(bad), policy({}));
    REQUIRE(selection.refused.size() == k_max_refused + 1);
    CHECK(selection.refused.back() == "… and 2000 more");
}

TEST_CASE("package_selection: damaged text is an error that names the index") {
    for (const char* text : {"", "[]", R"({"packages":[]})", R"({"packages":{"a-1-0.conda":1}})"}) {
        std::string json = text;
        const auto selection = select_packages(json, k_channel, "linux-64", policy({}));
        REQUIRE_FALSE(selection);
        CHECK(selection.error().kind == ErrorKind::integrity);
        CHECK(selection.error().message.starts_with("conda-forge/linux-64: "));
    }
}

TEST_CASE("package_selection: on a real index it takes what matches() says, record by record") {
    const std::string json = test::real_index(CHM_TEST_DATA, "pytorch/linux-64");
    REQUIRE_FALSE(json.empty());
    const Texts texts = {"pytorch 2.1.*", "torchvision[build='*cu121*']", "*[license=*GPL*]"};
    const auto wanted = specs(texts);
    const auto index = SubdirIndex::open(json, k_channel, "linux-64");
    REQUIRE(index);
    Texts expected;
    for (const std::string_view name : index->names()) {
        RecordSet records;
        index->load(name, records);
        for (const conda::Record& r : records.records()) {
            if (std::ranges::any_of(wanted, [&](const auto& spec) { return spec.matches(r); })) {
                expected.emplace_back(r.fn);
            }
        }
    }
    std::ranges::sort(expected);
    REQUIRE(expected.size() > 10);
    CHECK(names(select(json, policy(texts))) == expected);
    const Selection all = select(json, policy({}));
    CHECK(all.files.size() + all.refused.size() == 2256);
    CHECK(std::ranges::is_sorted(all.files, {}, &WantedFile::fn));
}

}  // namespace chm::channels
