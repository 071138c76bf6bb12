// package_policy.cpp: the key `packages`, and which entry serves a channel.
#include "config/package_policy.hpp"

#include "config/settings.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chm::config {
namespace {

YamlNode node_of(std::string_view yaml) {
    auto node = parse_yaml(yaml, "c.yml");
    REQUIRE_MESSAGE(node.has_value(), yaml);
    return std::move(*node);
}

std::vector<PackageSettings> packages(std::string_view yaml) {
    auto read = read_packages(node_of(yaml));
    REQUIRE_MESSAGE(read, (read ? "" : read.error().message));
    return std::move(*read);
}

std::string refused(std::string_view yaml) {
    const auto read = read_packages(node_of(yaml));
    REQUIRE_MESSAGE(!read, yaml);
    CHECK(read.error().kind == ErrorKind::config);
    CHECK(read.error().message.find('\n') == std::string::npos);
    return read.error().message;
}

bool contains(std::string_view text, std::string_view part) {
    CAPTURE(text);
    return text.find(part) != std::string_view::npos;
}

std::vector<std::string> texts(const std::vector<conda::MatchSpec>& specs) {
    std::vector<std::string> all;
    for (const conda::MatchSpec& spec : specs) {
        all.push_back(spec.to_text());
    }
    return all;
}

}  // namespace

TEST_CASE("packages: one policy for all channels") {
    for (const auto& [yaml, policy] :
         {std::pair{"all", PackagePolicy::all}, std::pair{"none", PackagePolicy::none}}) {
        const auto read = packages(yaml);
        REQUIRE(read.size() == 1);
        CHECK(read[0].channel == "default");
        CHECK(read[0].policy == policy);
    }
    CHECK(packages("{}").empty());
}

TEST_CASE("packages: a mapping of channels, short and long") {
    const auto read = packages(R"({
        pytorch: all,
        "https://conda.anaconda.org/nvidia/label/cuda-12.4.0": {match: "cudatoolkit >=11"},
        conda-forge: {policy: matching, match: [numpy 1.26.*, "*[license=MIT]"],
                      exclude: ["*[build=*debug*]"], prefer_conda: true, licence: "our own"},
        default: {policy: none}})");
    REQUIRE(read.size() == 4);
    CHECK(read[0].channel == "pytorch");
    CHECK(read[0].policy == PackagePolicy::all);
    CHECK(read[1].channel == "nvidia/label/cuda-12.4.0");
    CHECK(read[1].policy == PackagePolicy::matching);
    CHECK(texts(read[1].match) == std::vector<std::string>{"cudatoolkit[version='>=11']"});
    CHECK(read[2].policy == PackagePolicy::matching);
    CHECK(read[2].match.size() == 2);
    CHECK(read[2].exclude.size() == 1);
    CHECK(read[2].prefer_conda);
    CHECK(read[2].licence == "our own");
    CHECK(read[3].channel == "default");
    CHECK(read[3].policy == PackagePolicy::none);
    CHECK_FALSE(read[3].prefer_conda);
}

TEST_CASE("packages: what is shown is read as the same settings") {
    for (const std::string_view yaml :
         {"none",
          "all",
          "{}",
          "{pytorch: all, default: {match: numpy}}",
          "{a: {policy: all, exclude: ['b[version=\">=1,<2\"]', '*cuda*'], prefer_conda: on}}",
          "{pkgs/main: {policy: all, licence: 'our contract: 123, [x] \"y\" {z} # no'}}",
          "{'https://h.example.org:8080/c': {match: ['x=1=*_cpu', '^a.*$', "
          "'b[build=\"^x.*$\"]', 'conda-forge::c']}}"}) {
        CAPTURE(yaml);
        const auto read = packages(yaml);
        const std::string shown = show_packages(read);
        CAPTURE(shown);
        CHECK(packages(shown) == read);
    }
}

TEST_CASE("packages: errors name the channel, the key and the spec's line") {
    CHECK(refused("[all]").starts_with("expected none, matching or all"));
    CHECK(refused("matchin") ==
          "expected none, matching or all, got 'matchin'; did you mean 'matching'?");
    CHECK(contains(refused("~"), "expected"));
    CHECK(contains(refused("{pytorch: [all]}"), "pytorch: expected none, matching or all"));
    CHECK(
        contains(refused("{pytorch: everything}"), "pytorch: expected none, matching or all, got"));
    CHECK(contains(refused("{Bad Name: all}"), "Bad Name"));
    CHECK(contains(refused("{defaults: all}"), "defaults"));
    CHECK(contains(refused("{default: {policy: all, licens: x}}"), "did you mean 'licence'?"));
    CHECK(contains(refused("{default: {policy: all, prefer_conda: perhaps}}"),
                   "default: prefer_conda: expected true or false"));
    CHECK(contains(refused("{pytorch: all, 'https://conda.anaconda.org/pytorch': none}"),
                   "channel 'pytorch' is given twice"));
    const std::string spec = refused("pytorch:\n  match:\n    - numpy\n    - 'numpy ==='\n");
    CHECK(spec.starts_with("pytorch: match: line 4: spec 'numpy ==='"));
    CHECK(contains(refused("{a: {match: [[b]]}}"), "a: match: line 1: expected a MatchSpec"));
    CHECK(contains(refused("{a: {match: {b: c}}}"), "expected a MatchSpec"));
    CHECK(contains(refused("{a: {policy: all, exclude: ''}}"), "a: exclude: line 1: expected"));
    CHECK(contains(refused("{a: {match: 'b[when=python]'}}"), "'when' and 'extras'"));
    CHECK(contains(refused("{a: {match: 'b[extras=[x]]'}}"), "'when' and 'extras'"));
}

TEST_CASE("packages: policy and match belong together") {
    CHECK(contains(refused("matching"), "matching what?"));
    CHECK(contains(refused("{a: matching}"), "a: policy: matching what?"));
    CHECK(contains(refused("{a: {policy: matching}}"), "matching what?"));
    CHECK(contains(refused("{a: {match: []}}"), "expected 'policy'"));
    CHECK(contains(refused("{a: {policy: matching, match: []}}"), "matching what?"));
    CHECK(contains(refused("{a: {policy: all, match: b}}"), "a: match: it goes with policy"));
    CHECK(contains(refused("{a: {policy: none, match: b}}"), "not with none"));
    CHECK(contains(refused("{a: {exclude: b}}"), "a: expected 'policy'"));
    CHECK(contains(refused("{a: {}}"), "a: expected 'policy'"));
}

TEST_CASE("packages: storing Anaconda's channels needs a licence") {
    for (const char* channel : {"pkgs/main",
                                "pkgs/r",
                                "'https://repo.anaconda.com/pkgs/free'",
                                "main",
                                "anaconda",
                                "anaconda/label/cuda",
                                "'https://mirror.example.org/anaconda/pkgs/main'"}) {
        CAPTURE(channel);
        const std::string key = channel;
        const std::string message = refused("{" + key + ": all}");
        CHECK(contains(message, "Anaconda"));
        CHECK(contains(message, "our contract 123"));
        CHECK(contains(refused("{" + key + ": {match: numpy}}"), "Anaconda"));
        CHECK(packages("{" + key + ": none}").size() == 1);
        CHECK(packages("{" + key + ": {policy: all, licence: 'our contract 123'}}").size() == 1);
    }
    for (const char* channel : {"conda-forge",
                                "pytorch",
                                "rapidsai",
                                "main-thing",
                                "nvidia",
                                "'https://mirror.example.org/conda-forge'"}) {
        CHECK(packages("{" + std::string(channel) + ": all}").size() == 1);
    }
}

TEST_CASE("packages: the entry that serves a channel") {
    Settings settings;
    CHECK(settings_for(settings, "pytorch").policy == PackagePolicy::none);
    settings.packages = packages("{pytorch: {match: numpy}, default: all}");
    CHECK(settings_for(settings, "pytorch").policy == PackagePolicy::matching);
    CHECK(settings_for(settings, "pytorch").channel == "pytorch");
    CHECK(settings_for(settings, "pytorch/label/x").policy == PackagePolicy::all);
    const PackageSettings rest = settings_for(settings, "pkgs/main");
    CHECK(rest.policy == PackagePolicy::all);
    CHECK(rest.channel == "pkgs/main");
    CHECK_FALSE(require_licence(rest));
    CHECK(require_licence(settings_for(settings, "conda-forge")));
    settings.packages = packages("{default: {policy: all, licence: ours}}");
    CHECK(require_licence(settings_for(settings, "pkgs/main")));
}

TEST_CASE("packages: policies by name") {
    for (const PackagePolicy policy :
         {PackagePolicy::none, PackagePolicy::matching, PackagePolicy::all}) {
        CHECK(parse_package_policy(to_text(policy)) == policy);
    }
    CHECK_FALSE(parse_package_policy(""));
    CHECK_FALSE(parse_package_policy("All"));
}

}  // namespace chm::config
