// The candidates of one request: every record whose name the request can reach through
// dependencies, in order of preference. Loaded once, then only read.
#pragma once

#include "base/result.hpp"
#include "channels/subdir_index.hpp"
#include "conda/match_spec.hpp"
#include "solver/rank.hpp"
#include "solver/request.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace chm::solver {

/// Index of a package in Universe::packages().
using PackageIndex = std::size_t;
/// Index of a distinct dependency text in Universe::specs().
using SpecIndex = std::size_t;

struct Package {
    Candidate candidate;
    std::vector<SpecIndex> depends;
    std::vector<SpecIndex> constrains;
    bool is_virtual = false;
};

struct Spec {
    conda::MatchSpec match;
    std::string text;  // as it stands in the record or the request
};

class Universe {
public:
    /// `indexes` in order of channel priority. Records with an unreadable dependency are left out
    /// and reported in skipped(). A requested spec that uses what is not implemented (when, extras)
    /// is ErrorKind::usage.
    static Result<Universe> load(const SolveRequest& request,
                                 std::span<const channels::SubdirIndex> indexes);

    [[nodiscard]] const std::vector<Package>& packages() const { return packages_; }
    [[nodiscard]] const std::vector<Spec>& specs() const { return specs_; }
    /// The request's specs, sorted by their canonical text.
    [[nodiscard]] const std::vector<SpecIndex>& requested() const { return requested_; }
    /// Packages of a name, best first; empty when there are none.
    [[nodiscard]] std::span<const PackageIndex> of_name(std::string_view name) const;
    /// Packages that `spec` matches, best first.
    [[nodiscard]] std::vector<PackageIndex> matching(SpecIndex spec) const;
    [[nodiscard]] std::vector<channels::SkippedRecord> skipped() const;

private:
    friend class UniverseLoader;
    std::unique_ptr<channels::RecordSet> records_;
    std::vector<Package> packages_;
    std::vector<Spec> specs_;
    std::vector<SpecIndex> requested_;
    std::unordered_map<std::string_view, std::vector<PackageIndex>> by_name_;
    std::vector<channels::SkippedRecord> skipped_;
};

}  // namespace chm::solver
