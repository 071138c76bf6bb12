// A command: a name, one line of help, its flags, and what it does. The table is in app.cpp; each
// command has a file cmd_NAME.cpp that defines its add function (docs/adding-a-command.md).
#pragma once

#include "base/result.hpp"
#include "cli/exit_code.hpp"
#include "cli/services.hpp"

#include <functional>
#include <span>
#include <string_view>

namespace CLI {
class App;
}

namespace chm::cli {

using Run = std::function<Result<ExitCode>(Services&)>;

struct Command {
    std::string_view name;
    std::string_view summary;
    /// Adds the command's flags to `app` and returns what runs once they are parsed. Options live
    /// in an object that the returned function owns.
    Run (*add)(CLI::App& app);
};

[[nodiscard]] std::span<const Command> commands();

Run add_completion(CLI::App& app);
Run add_condarc(CLI::App& app);
Run add_config(CLI::App& app);
Run add_explain_spec(CLI::App& app);
Run add_doctor(CLI::App& app);
Run add_init(CLI::App& app);
Run add_snapshot(CLI::App& app);
Run add_solve(CLI::App& app);
Run add_status(CLI::App& app);
Run add_sync(CLI::App& app);
Run add_verify(CLI::App& app);

}  // namespace chm::cli
