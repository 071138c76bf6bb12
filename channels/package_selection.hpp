// Which package files of an index a mirror stores, by the channel's policy.
#pragma once

#include "base/digest.hpp"
#include "base/result.hpp"
#include "conda/channel.hpp"
#include "config/package_policy.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chm::channels {

/// One record's file, as the index describes it.
struct WantedFile {
    std::string fn;
    std::optional<Sha256> sha256;
    std::optional<Md5> md5;
    std::optional<std::uint64_t> size;

    bool operator==(const WantedFile&) const = default;
};

struct Selection {
    std::vector<WantedFile> files;     // sorted by fn, each once
    std::uint64_t bytes = 0;           // of those whose size the index says
    std::uint64_t unsized = 0;         // files without a size
    std::uint64_t left_out = 0;        // records that the policy does not want
    std::vector<std::string> refused;  // what it would want and cannot have: "FN: reason"; after
                                       // k_max_refused only their number
};
inline constexpr std::size_t k_max_refused = 1000;

/// The records of "packages", "packages.conda" and "v3" that the policy wants. Refused are names
/// that are no package's ("name-version-build.extension" in ASCII, safe as a path segment; so an
/// index cannot name its own file), one of two names that differ only in case (the lower-case one
/// stays, else the first), files that are listed twice with different digests, and records that
/// cannot be read as far as the policy asks. `json` has passed check_repodata. Memory is bounded by
/// the selection, beside what simdjson needs for the text.
Result<Selection> select_packages(std::string& json,
                                  const conda::Channel& channel,
                                  std::string_view subdir,
                                  const config::PackageSettings& settings);

}  // namespace chm::channels
