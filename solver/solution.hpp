// What a solve gives: the packages, or why there are none. Owns all its texts, so it outlives the
// indexes.
#pragma once

#include "base/digest.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace chm::solver {

struct SolvedPackage {
    std::string name;
    std::string version;
    std::string build;
    std::uint64_t build_number = 0;
    std::string channel;
    std::string subdir;
    std::string fn;
    std::string url;  // canonical upstream URL
    std::optional<Sha256> sha256;
    std::optional<Md5> md5;
    std::optional<std::uint64_t> size;  // bytes
    std::vector<std::string> depends;
    std::vector<std::string> constrains;
};

struct Solution {
    std::vector<SolvedPackage> packages;  // dependencies first, else by name
};

/// No set of packages satisfies the request.
struct Unsolvable {
    std::vector<std::string> explanation;  // lines for people, indented by two spaces per level
};

using Outcome = std::variant<Solution, Unsolvable>;

}  // namespace chm::solver
