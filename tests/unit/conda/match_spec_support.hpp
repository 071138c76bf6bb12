// What the tests of MatchSpec's source files share: a record to match and specs that must parse.
#pragma once

#include "conda/match_spec.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>

namespace chm::test {

using conda::MatchSpec;
using conda::Record;
using conda::Version;

inline const std::string k_md5(32, 'a');
inline const std::string k_sha256(64, 'b');

inline MatchSpec spec(std::string_view text) {
    auto parsed = MatchSpec::parse(text);
    REQUIRE_MESSAGE(parsed.has_value(), text);
    return std::move(*parsed);
}

inline Record record(std::string_view name, std::string_view version, std::string_view build) {
    Record result;
    result.name = name;
    const auto parsed = Version::parse(version);
    REQUIRE(parsed.has_value());
    result.version = *parsed;
    result.build = build;
    return result;
}

/// A record with every field filled in.
inline Record full_record() {
    static constexpr std::array<std::string_view, 2> k_features = {"a", "b"};
    static constexpr std::array<std::string_view, 2> k_flags = {"cuda", "blas:mkl"};
    Record result = record("pkg", "1.8", "b_3");
    result.build_number = 3;
    result.channel = "conda-forge";
    result.subdir = "linux-64";
    result.fn = "pkg-1.8-b_3.conda";
    result.url = "https://conda.anaconda.org/conda-forge/linux-64/pkg-1.8-b_3.conda";
    result.track_features = k_features;
    result.license = "MIT";
    result.license_family = "BSD";
    result.features = "mkl";
    result.flags = k_flags;
    result.sha256 = *Sha256::from_hex(k_sha256);
    result.md5 = *Md5::from_hex(k_md5);
    result.size = 1000;
    result.timestamp = 1700000000000;
    return result;
}

/// The canonical text, which must mean the same.
inline std::string canonical(std::string_view text) {
    const MatchSpec parsed = spec(text);
    const std::string printed = parsed.to_text();
    CHECK_MESSAGE(spec(printed) == parsed, printed);
    CHECK(spec(printed).to_text() == printed);
    return printed;
}

}  // namespace chm::test
