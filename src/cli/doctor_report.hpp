// What `chanmirror doctor` says: a machine's facts and what follows from them, as text and as JSON.
#pragma once

#include "cli/solve_target.hpp"

#include <optional>
#include <string>
#include <vector>

namespace chm::cli {

struct Examination {
    conda::HostFacts facts;
    std::string rocm_path = "/opt/rocm";  // where it was looked for
    TargetLayers layers;                  // no flags
    std::string configured_where;         // which file gives layers.configured
    std::optional<std::string> config_file;
    std::optional<std::string> root;    // none: the configuration does not load
    std::vector<std::string> problems;  // errors of the configuration and of CONDA_OVERRIDE_*
};

[[nodiscard]] std::string doctor_text(const Examination& examination);
/// One document, ending in a newline.
[[nodiscard]] std::string doctor_json(const Examination& examination);

}  // namespace chm::cli
