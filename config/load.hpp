// The stage's front door: settings from flags, environment, one configuration file and the built-in
// defaults, in that order of precedence, with the origin of each value.
#pragma once

#include "base/result.hpp"
#include "config/settings.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chm::config {

/// Reads one environment variable; a test passes a map. Nothing else in the program reads the
/// environment.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

/// What the command line says about configuration.
struct LoadRequest {
    std::optional<std::filesystem::path> config_file;  // --config
    std::optional<std::filesystem::path> root;         // --root
    std::filesystem::path working_directory;
};

struct Origin {
    std::string key;
    std::string where;  // "default", "CHANMIRROR_ROOT", "--root", "/etc/chanmirror.yml:3"
};

struct Loaded {
    Settings settings;
    std::optional<std::filesystem::path> config_file;  // the one that was read
    std::vector<Origin> origins;                       // one per key, in the table's order
};

/// The file is --config, else CHANMIRROR_CONFIG, else ./chanmirror.yml, else
/// $XDG_CONFIG_HOME/chanmirror/config.yml; the first that is named or exists is the only one read.
/// Errors (ErrorKind::config) name file and line; an unknown key gets the nearest known one.
Result<Loaded> load(const LoadRequest& request, const Environment& environment);

/// The commented chanmirror.yml that `chanmirror init` writes: every key with its help and default;
/// `root` is set.
std::string commented_file(const std::filesystem::path& root);

}  // namespace chm::config
