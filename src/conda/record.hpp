// One artifact as a channel's index describes it (CEP 34, 36). A plain value of views: the strings
// belong to whoever read the index (channels/subdir_index.hpp) and must outlive the record.
#pragma once

#include "base/digest.hpp"
#include "conda/version.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace chm::conda {

/// The dependencies of one extra (CEP 44).
struct ExtraDepends {
    std::string_view extra;
    std::span<const std::string_view> depends;
};

struct Record {
    std::string_view name;
    Version version;
    std::string_view build;
    std::uint64_t build_number = 0;
    std::string_view channel;  // canonical name: "conda-forge", "nvidia/label/cuda-12.4.1"
    std::string_view subdir;   // "linux-64"
    std::string_view fn;       // "numpy-1.26.4-py311h64a7726_0.conda"
    std::string_view url;      // canonical upstream URL, without credentials
    std::span<const std::string_view> depends;
    std::span<const std::string_view> constrains;
    std::span<const std::string_view> track_features;
    std::string_view license;
    std::optional<Sha256> sha256;
    std::optional<Md5> md5;
    std::optional<std::uint64_t> size;    // bytes
    std::uint64_t timestamp = 0;          // of the build, milliseconds since 1970; 0: unknown
    std::uint64_t indexed_timestamp = 0;  // of its publication (CEP 47); the same
    // What few records have; a spec that asks for it ([flags=…]) matches only if the reader fills
    // it in.
    std::span<const std::string_view> flags;      // CEP 45
    std::span<const ExtraDepends> extra_depends;  // CEP 44
    std::string_view license_family;
    std::string_view features;  // legacy, as written
};

}  // namespace chm::conda
