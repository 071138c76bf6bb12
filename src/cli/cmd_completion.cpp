// chanmirror completion: a completion script for the user's shell.
#include "cli/command.hpp"
#include "cli/completion.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace chm::cli {

Run add_completion(CLI::App& app) {
    const auto shell = std::make_shared<std::string>();
    app.add_option("SHELL", *shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    app.footer("Example:\n  source <(chanmirror completion bash)");
    return [shell, &app](Services& services) -> Result<ExitCode> {
        const CompletionModel model = completion_model(*app.get_parent());
        CHM_CHECK(services.print(*shell == "bash"  ? bash_completion(model)
                                 : *shell == "zsh" ? zsh_completion(model)
                                                   : fish_completion(model)));
        return ExitCode::whole;
    };
}

}  // namespace chm::cli
