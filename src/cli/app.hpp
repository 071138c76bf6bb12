// The program: parses the command line, builds the edges, runs one command, prints its error, picks
// the exit code.
#pragma once

#include "config/load.hpp"

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace chm::cli {

/// What the process is given by its surroundings.
struct Process {
    std::vector<std::string> arguments;  // without the program's name
    config::Environment environment;
    std::filesystem::path working_directory;
    std::function<Result<>(std::string_view)> out;
    std::function<void(std::string_view)> err;
    std::stop_token stop;
};

/// The exit code. Never throws.
int run(const Process& process);

}  // namespace chm::cli
