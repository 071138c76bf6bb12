// What a command gets from the outside: the edges, the global options, and where its product goes.
// Built once per run in app.cpp; tests build their own and run commands in-process.
#pragma once

#include "base/clock.hpp"
#include "base/reporter.hpp"
#include "base/result.hpp"
#include "config/load.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>

namespace chm::cli {

struct GlobalOptions {
    std::optional<std::filesystem::path> root;
    std::optional<std::filesystem::path> config_file;
    bool offline = false;
    bool json = false;
    bool quiet = false;
    bool verbose = false;
    bool no_progress = false;
    std::string color = "auto";  // auto, always, never
};

struct Services {
    const GlobalOptions& global;
    const config::Environment& environment;
    const std::filesystem::path& working_directory;
    const Clock& clock;
    Reporter& reporter;
    /// Writes to standard output, which carries the product and nothing else. Fails when that is a
    /// full disk or a closed pipe.
    const std::function<Result<>(std::string_view)>& print;
    /// Writes lines to standard error, also with --quiet: why there is no product.
    const std::function<void(std::string_view)>& complain;
    std::stop_token stop;

    [[nodiscard]] Result<config::Loaded> load_settings() const {
        return config::load({global.config_file, global.root, working_directory}, environment);
    }
};

}  // namespace chm::cli
