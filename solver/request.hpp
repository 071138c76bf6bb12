// What is to be solved, as plain values.
#pragma once

#include "conda/match_spec.hpp"
#include "conda/virtual_package.hpp"
#include "config/settings.hpp"

#include <string>
#include <vector>

namespace chm::solver {

struct SolveRequest {
    std::vector<conda::MatchSpec> specs;  // their order never matters
    std::string platform;                 // "linux-64"
    std::vector<conda::VirtualPackage>
        virtual_packages;  // all of them: nothing of this host is added
    config::ChannelPriority channel_priority = config::ChannelPriority::strict;
    bool add_pip_as_python_dependency = true;
};

}  // namespace chm::solver
