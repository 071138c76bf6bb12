#include "cli/completion.hpp"

#include "conda/platform.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace chm::cli {
namespace {

bool names_file(const std::string& type) {
    return type == "FILE" || type == "DIR";
}

/// Choices of an option are known to its check only; CLI11 shows them in the type name as "{a,b}".
std::vector<std::string> choices_of(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    if (type == "SUBDIR") {
        const auto subdirs = conda::known_subdirs();
        return {subdirs.begin(), subdirs.end()};
    }
    if (type == "MODE") {
        return {"strict", "flexible", "disabled"};
    }
    const auto open = type.find('{');
    const auto close = type.find('}', open == std::string::npos ? 0 : open);
    if (open == std::string::npos || close == std::string::npos) {
        return {};
    }
    return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

std::vector<OptionHelp> options_of(const CLI::App& app) {
    std::vector<OptionHelp> options;
    for (const CLI::Option* option : app.get_options()) {
        const std::string type =
            option->get_type_name().substr(0, option->get_type_name().find(':'));
        OptionHelp help;
        help.description = option->get_description();
        help.takes_value = option->get_items_expected_max() > 0;
        help.takes_file = names_file(type);
        help.choices = choices_of(*option);
        for (const std::string& name : option->get_lnames()) {
            help.name = "--" + name;
            options.push_back(help);
        }
        for (const std::string& name : option->get_snames()) {
            help.name = "-" + name;
            options.push_back(help);
        }
    }
    return options;
}

/// Every option of a command and the global ones, by name.
std::vector<std::string> option_names(const std::vector<OptionHelp>& own,
                                      const std::vector<OptionHelp>& global) {
    std::vector<std::string> names;
    for (const auto* options : {&own, &global}) {
        for (const OptionHelp& option : *options) {
            if (std::find(names.begin(), names.end(), option.name) == names.end()) {
                names.push_back(option.name);
            }
        }
    }
    return names;
}

std::vector<std::string> command_names(const CompletionModel& model) {
    std::vector<std::string> names;
    for (const CommandHelp& command : model.commands) {
        names.push_back(command.name);
    }
    return names;
}

/// All distinct options of the program, for completing what follows them.
std::vector<OptionHelp> all_options(const CompletionModel& model) {
    std::vector<OptionHelp> all = model.global;
    for (const CommandHelp& command : model.commands) {
        for (const OptionHelp& option : command.options) {
            const bool seen = std::any_of(all.begin(), all.end(), [&](const auto& other) {
                return other.name == option.name;
            });
            if (!seen) {
                all.push_back(option);
            }
        }
    }
    return all;
}

/// For single quotes in sh, zsh and fish.
std::string quoted(std::string text, std::string_view escaped_quote) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'') {
            out += escaped_quote;
        } else {
            out += c;
        }
    }
    return out + "'";
}

}  // namespace

CompletionModel completion_model(const CLI::App& root) {
    CompletionModel model;
    model.global = options_of(root);
    for (const CLI::App* command : root.get_subcommands(nullptr)) {
        model.commands.push_back(
            {command->get_name(), command->get_description(), options_of(*command)});
    }
    return model;
}

std::string bash_completion(const CompletionModel& model) {
    std::string text = "# bash completion for chanmirror; made by 'chanmirror completion bash'\n";
    text += "_chanmirror() {\n";
    text +=
        "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} "
        "command='' word\n";
    text += "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n";
    text += fmt::format("        case $word in {}) command=$word; break ;; esac\n",
                        fmt::join(command_names(model), "|"));
    text += "    done\n";
    text += "    case $previous in\n";
    for (const OptionHelp& option : all_options(model)) {
        if (!option.choices.empty()) {
            text += fmt::format(
                "        {}) mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$current\"); return "
                ";;\n",
                option.name,
                fmt::join(option.choices, " "));
        } else if (option.takes_file) {
            text += fmt::format(
                "        {}) mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); return ;;\n",
                option.name);
        } else if (option.takes_value) {
            text += fmt::format("        {}) return ;;\n", option.name);
        }
    }
    text += "    esac\n    local words='' options\n    case $command in\n";
    for (const CommandHelp& command : model.commands) {
        const std::string_view words = command.name == "completion" ? "words='bash zsh fish' " : "";
        text += fmt::format("        {}) {}options='{}' ;;\n",
                            command.name,
                            words,
                            fmt::join(option_names(command.options, model.global), " "));
    }
    text += fmt::format("        *) words='{}' options='{}' ;;\n",
                        fmt::join(command_names(model), " "),
                        fmt::join(option_names({}, model.global), " "));
    text += "    esac\n    [[ $current != -* ]] || words=$options\n";
    text += "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n}\n";
    return text + "complete -o default -F _chanmirror chanmirror\n";
}

namespace {

/// "'--root[Folder of the mirror]:DIR:_files'"
std::string zsh_argument(const OptionHelp& option) {
    std::string description = option.description;
    std::erase_if(description, [](char c) { return c == '[' || c == ']' || c == ':'; });
    std::string argument = fmt::format("*{}[{}]", option.name, description);
    if (!option.choices.empty()) {
        argument += fmt::format(":value:({})", fmt::join(option.choices, " "));
    } else if (option.takes_file) {
        argument += ":file:_files";
    } else if (option.takes_value) {
        argument += ":value: ";
    }
    return quoted(argument, R"('\'')");
}

std::string zsh_arguments(const std::vector<OptionHelp>& own,
                          const std::vector<OptionHelp>& global) {
    std::string text;
    for (const auto* options : {&own, &global}) {
        for (const OptionHelp& option : *options) {
            text += " \\\n            " + zsh_argument(option);
        }
    }
    return text;
}

}  // namespace

std::string zsh_completion(const CompletionModel& model) {
    std::string text =
        "#compdef chanmirror\n# made by 'chanmirror completion zsh'\n_chanmirror() {\n";
    text += "    local -a commands\n    commands=(\n";
    for (const CommandHelp& command : model.commands) {
        text += fmt::format("        {}\n",
                            quoted(fmt::format("{}:{}", command.name, command.summary), R"('\'')"));
    }
    text += "    )\n    local line state\n    _arguments -C";
    text += zsh_arguments({}, model.global);
    text += " \\\n            '1:command:->command' '*::argument:->argument'\n";
    text +=
        "    case $state in\n        command) _describe command commands ;;\n        argument) "
        "case $line[1] in\n";
    for (const CommandHelp& command : model.commands) {
        const std::string rest =
            command.name == "completion" ? " '1:shell:(bash zsh fish)'" : " '*: :_default'";
        text += fmt::format("        {}) _arguments{} \\\n           {} ;;\n",
                            command.name,
                            zsh_arguments(command.options, {}),
                            rest);
    }
    return text + "        esac ;;\n    esac\n}\n_chanmirror \"$@\"\n";
}

namespace {

std::string fish_option(const OptionHelp& option, std::string_view condition) {
    const bool is_long = option.name.starts_with("--");
    std::string line = fmt::format("complete -c chanmirror{} {} {} -d {}",
                                   condition,
                                   is_long ? "-l" : "-s",
                                   option.name.substr(is_long ? 2 : 1),
                                   quoted(option.description, R"(\')"));
    if (!option.choices.empty()) {
        line += fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
    } else if (option.takes_file) {
        line += " -r -F";
    } else if (option.takes_value) {
        line += " -x";
    }
    return line + "\n";
}

}  // namespace

std::string fish_completion(const CompletionModel& model) {
    std::string text = "# fish completion for chanmirror; made by 'chanmirror completion fish'\n";
    text += "complete -c chanmirror -f\n";
    for (const OptionHelp& option : model.global) {
        text += fish_option(option, "");
    }
    for (const CommandHelp& command : model.commands) {
        text += fmt::format("complete -c chanmirror -n __fish_use_subcommand -a {} -d {}\n",
                            command.name,
                            quoted(command.summary, R"(\')"));
        const std::string condition =
            fmt::format(" -n '__fish_seen_subcommand_from {}'", command.name);
        for (const OptionHelp& option : command.options) {
            text += fish_option(option, condition);
        }
        if (command.name == "completion") {
            text += fmt::format("complete -c chanmirror{} -a 'bash zsh fish'\n", condition);
        }
    }
    return text;
}

}  // namespace chm::cli
