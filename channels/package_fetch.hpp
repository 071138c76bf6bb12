// Fetches package files into the object store: hashed while they arrive, resumed where an earlier
// run or another upstream left off, checked against what the index promises.
#pragma once

#include "base/digest.hpp"
#include "base/result.hpp"
#include "channels/fetch.hpp"
#include "channels/object_store.hpp"
#include "conda/url.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace chm::channels {

struct PackageSource {
    std::string url;  // of the file, without credentials
    conda::Credentials credentials;
};

/// What the index says of a file, and where it may be had.
struct PackageRequest {
    std::string label;  // what progress shows: "conda-forge/linux-64/numpy-1.26.4-….conda"
    std::vector<PackageSource> sources;  // in order of preference, at least one
    std::optional<Sha256> sha256;
    std::optional<Md5> md5;
    std::optional<std::uint64_t> size;
};

struct FetchedPackage {
    Sha256 sha256;
    std::uint64_t size = 0;
    bool was_here = false;  // nothing was transferred
};
/// No source had the right bytes. What the last one that answered did.
struct MissingPackage {
    std::string url;
    std::string expected;  // "sha256 12ab…, 3.4 MB"
    std::string got;       // "404", "sha256 99…", "cut short after 1.2 MB of 3.4 MB"
    unsigned tries = 0;    // requests over all sources
};
using PackageOutcome = std::variant<FetchedPackage, MissingPackage>;

struct PackageFetchOptions {
    std::filesystem::path
        partial_folder;           // <root>/state/partial: unfinished files, kept for resume
    std::uint64_t max_bytes = 0;  // of one file
};

/// One outcome per request, in their order; one missing file does not stop the others. An Error
/// only where going on makes no sense: the disk is full or fails, the run is interrupted (what has
/// arrived is kept for the next run), or no upstream could be reached at all (ErrorKind::network).
/// A partial file is continued by Range and checked as a whole; if its beginning proves wrong, it
/// is fetched anew once from the same source.
Result<std::vector<PackageOutcome>> fetch_packages(std::span<const PackageRequest> requests,
                                                   const ObjectStore& store,
                                                   const PackageFetchOptions& options,
                                                   const FetchEdges& edges);

}  // namespace chm::channels
