// Small channels in memory, and one-line questions to the solver, for the solver's tests.
#pragma once

#include "channels/subdir_index.hpp"
#include "solver/request.hpp"
#include "solver/solution.hpp"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chm::solver::test {

/// What a test says of one package; the rest is made up.
struct PackageText {
    std::string name;
    std::string version;
    std::vector<std::string> depends = {};
    std::vector<std::string> constrains = {};
    std::string build = "0";
    std::uint64_t build_number = 0;
    std::uint64_t timestamp = 0;
    std::string track_features = {};
    std::string extension = ".conda";
};

/// One subdir's repodata.json, package by package.
class ChannelBuilder {
public:
    explicit ChannelBuilder(std::string channel, std::string subdir = "linux-64")
        : channel_(std::move(channel)), subdir_(std::move(subdir)) {}

    ChannelBuilder& add(const PackageText& package);
    /// A record as it stands: for what no sane builder writes.
    ChannelBuilder& add_raw(std::string_view fn, std::string_view json);
    [[nodiscard]] channels::SubdirIndex open() const;

private:
    std::string channel_;
    std::string subdir_;
    std::string packages_;        // members of "packages"
    std::string packages_conda_;  // and of "packages.conda"
};

using Indexes = std::vector<channels::SubdirIndex>;

template <class... Builders>
Indexes open_all(const Builders&... builders) {
    Indexes indexes;
    (indexes.push_back(builders.open()), ...);
    return indexes;
}

/// The named specs on linux-64; strict priority, no virtual packages, and pip left alone.
SolveRequest ask(const std::vector<std::string>& specs,
                 std::vector<conda::VirtualPackage> virtual_packages = {});

/// "channel::name-version-build" of each package in the solution's order, or "unsolvable: " and the
/// explanation's lines.
std::vector<std::string> answer(const SolveRequest& request, const Indexes& indexes);

/// The explanation as one text; fails the test when there is a solution.
std::string explanation(const SolveRequest& request, const Indexes& indexes);

}  // namespace chm::solver::test
