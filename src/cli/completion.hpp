// Shell completions, made from the parser itself, so they cannot go out of step with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace chm::cli {

struct OptionHelp {
    std::string name;         // "--root", "-c"
    std::string description;  // one line
    bool takes_value = false;
    bool takes_file = false;
    std::vector<std::string> choices;  // the values it takes, where they are few
};

struct CommandHelp {
    std::string name;
    std::string summary;
    std::vector<OptionHelp> options;
};

struct CompletionModel {
    std::vector<OptionHelp> global;
    std::vector<CommandHelp> commands;
};

/// `root` is the whole program's parser.
[[nodiscard]] CompletionModel completion_model(const CLI::App& root);

[[nodiscard]] std::string bash_completion(const CompletionModel& model);
[[nodiscard]] std::string zsh_completion(const CompletionModel& model);
[[nodiscard]] std::string fish_completion(const CompletionModel& model);

}  // namespace chm::cli
