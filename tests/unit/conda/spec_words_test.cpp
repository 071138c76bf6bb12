// Specs in plain words.
#include "conda/spec_words.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using chm::conda::explain;
using chm::conda::in_words;
using chm::conda::MatchSpec;
using chm::conda::SpecField;
using chm::conda::VersionSpec;

namespace {

std::string words(std::string_view text) {
    const auto spec = VersionSpec::parse(text);
    REQUIRE(spec);
    return in_words(*spec);
}

/// "key value: meaning" of every field, one a line.
std::string lines(std::string_view text) {
    const auto spec = MatchSpec::parse(text);
    REQUIRE(spec);
    std::string all;
    for (const SpecField& field : explain(*spec)) {
        all += std::string(field.key) + " " + field.value + ": " + field.meaning + "\n";
    }
    return all;
}

}  // namespace

TEST_CASE("spec_words: version specs") {
    CHECK(words("*") == "any version");
    CHECK(words("1.8") == "exactly 1.8");
    CHECK(words("=1.8") == "1.8 and all that begins with it (1.8.x, 1.8rc1, 1.8.post1)");
    CHECK(words("1.8.*") == words("=1.8"));
    CHECK(words("!=1.8.*") == "not 1.8 and all that begins with it (1.8.x, 1.8rc1, 1.8.post1)");
    CHECK(words("!=1.8") == "anything but 1.8");
    CHECK(words(">=1.8,<2") == "1.8 or newer, and older than 2");
    CHECK(words("<=1|>3") == "1 or older, or newer than 3");
    CHECK(words("~=1.4.2") == "1.4.2 or newer, and within 1.4");
    CHECK(words("~=2!1") == "2!1 or newer, and within epoch 2");
    CHECK(words("~=1") == "1 or newer, and within epoch 0");
    CHECK(words("1.*.0") == "a text like '1.*.0'");
    CHECK(words("!=1.*.0") == "a text unlike '1.*.0'");
    CHECK(words("(1.8|1.9),!=1.8.1") == "(exactly 1.8, or exactly 1.9), and anything but 1.8.1");
    CHECK(words("^1\\.(8|9).*$,<2") == "a text in which ^1\\.(8|9).*$ is found, and older than 2");
}

TEST_CASE("spec_words: fields that say something, the name always") {
    CHECK(lines("*") == "name *: any package\n");
    CHECK(lines("conda-forge/linux-64::pytorch=2.7[build=cuda*]") ==
          "name pytorch: this package\n"
          "version =2.7: 2.7 and all that begins with it (2.7.x, 2.7rc1, 2.7.post1)\n"
          "build cuda*: anything like 'cuda*'\n"
          "channel conda-forge: only from https://conda.anaconda.org/conda-forge\n"
          "subdir linux-64: exactly 'linux-64'\n");
    CHECK(lines("py*[build_number='>=3', license=MIT, build='^a$']") ==
          "name py*: anything like 'py*'\n"
          "build ^a$: one in which ^a$ is found\n"
          "build_number >=3: at least 3\n"
          "license MIT: exactly 'MIT'\n");
    CHECK(lines("x[build_number=3, timestamp='<5', size='!=6', track_features='a b', when='y', "
                "flags=[gpu], extras=[all]]") ==
          "name x: this package\n"
          "build_number 3: exactly 3\n"
          "timestamp <5: below 5 (milliseconds since 1970)\n"
          "size !=6: anything but 6 bytes\n"
          "track_features a b: all of these among the record's\n"
          "extras all: with the dependencies of these extras (CEP 44); solve refuses it so far\n"
          "flags gpu: each matches a flag of the record (CEP 45)\n"
          "when y: counts only where this holds (CEP 43); solve refuses it so far\n");
}
