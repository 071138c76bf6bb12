// The one place that catches, prints errors and picks the exit code.
#include "cli/app.hpp"

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/progress.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <sstream>
#include <utility>

namespace chm::cli {
namespace {

constexpr std::array k_commands = {
    Command{"init", "Write a commented chanmirror.yml and an empty mirror root", add_init},
    Command{"sync", "Bring channels up to date, in one transaction", add_sync},
    Command{"solve", "Solve an environment on the mirror's indexes and write a lock", add_solve},
    Command{"condarc", "Print client configuration that points at this mirror", add_condarc},
    Command{"explain-spec", "Show how a package spec is read", add_explain_spec},
    Command{"status", "Show what the mirror holds", add_status},
    Command{"verify", "Prove what is stored and what is published", add_verify},
    Command{"snapshot", "List, compare, restore and tidy up the mirror's snapshots", add_snapshot},
    Command{"config", "Show every setting and where it comes from", add_config},
    Command{
        "doctor", "Show what this machine offers a solve: CPU, GPU, virtual packages", add_doctor},
    Command{"completion", "Print a completion script for bash, zsh or fish", add_completion},
};

constexpr std::string_view k_footer =
    "Exit codes:\n"
    "  0    done, and whole\n"
    "  1    failed (a full disk, a locked root, …)\n"
    "  2    the command line or the configuration is wrong\n"
    "  3    no set of packages satisfies the request\n"
    "  4    an upstream cannot be reached; the mirror is unchanged\n"
    "  5    bytes are not what was promised; the mirror is unchanged\n"
    "  6    published, without the files that missing.json names\n"
    "  130  interrupted (143: terminated); the mirror is as it was or as it was to be\n"
    "\n"
    "Example:\n"
    "  chanmirror sync pytorch nvidia conda-forge\n"
    "  chanmirror solve --spec pytorch-gpu --spec python=3.12 -c conda-forge --virtual __cuda=12.6 "
    "-o torch.lock\n"
    "  chanmirror condarc -o ~/.condarc";

void add_global_options(CLI::App& app, GlobalOptions& options) {
    app.set_version_flag(
        "--version", std::string("chanmirror ") + CHM_VERSION, "Print the version and exit");
    app.add_option("--root", options.root, "Folder of the mirror [CHANMIRROR_ROOT]")
        ->type_name("DIR");
    app.add_option("--config",
                   options.config_file,
                   "Configuration file [CHANMIRROR_CONFIG]; default: ./chanmirror.yml, else "
                   "$XDG_CONFIG_HOME/chanmirror/config.yml")
        ->type_name("FILE");
    app.add_flag("--offline", options.offline, "Fetch nothing from a network");
    app.add_flag(
        "--json", options.json, "One JSON document on standard output, progress as JSON lines");
    app.add_flag("-q,--quiet", options.quiet, "Only warnings and errors");
    app.add_flag("-v,--verbose", options.verbose, "Say more of what is done");
    app.add_flag("--no-progress", options.no_progress, "Plain lines instead of progress bars");
    app.add_option("--color", options.color, "When to use colour (NO_COLOR is honoured)")
        ->type_name("WHEN")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
}

/// The parser and what each command runs.
struct Program {
    CLI::App app{"chanmirror - a local mirror of conda channels, solved and locked", "chanmirror"};
    GlobalOptions options;
    std::vector<std::pair<CLI::App*, Run>> runs;

    Program() {
        add_global_options(app, options);
        app.footer(std::string(k_footer));
        app.require_subcommand(0, 1);
        app.get_formatter()->column_width(34);
        for (const Command& command : k_commands) {
            CLI::App* sub =
                app.add_subcommand(std::string(command.name), std::string(command.summary));
            sub->fallthrough();  // global options may follow the command
            runs.emplace_back(sub, command.add(*sub));
        }
    }
};

std::vector<std::string> command_names() {
    std::vector<std::string> names;
    for (const Command& command : k_commands) {
        names.emplace_back(command.name);
    }
    return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    return names;
}

/// CLI11's message, or a better one for what people mistype most: a command or an option.
Error usage_error(const Program& program, const CLI::ParseError& error) {
    const auto chosen = program.app.get_subcommands();
    const std::vector<std::string> extras = program.app.remaining(true);
    std::string message = error.what();
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && !extras.empty()) {
        const std::string& word = extras.front();
        if (word.starts_with("-")) {
            std::vector<std::string> names = option_names(program.app);
            if (!chosen.empty()) {
                const auto own = option_names(*chosen.front());
                names.insert(names.end(), own.begin(), own.end());
            }
            message =
                fmt::format("unknown option {}{}", quote_safely(word), did_you_mean(word, names));
        } else if (chosen.empty()) {
            message = fmt::format(
                "unknown command {}{}", quote_safely(word), did_you_mean(word, command_names()));
        } else {
            message = fmt::format(
                "{}: unexpected argument {}", chosen.front()->get_name(), quote_safely(word));
        }
    }
    const std::string help = chosen.empty()
                                 ? "chanmirror --help"
                                 : fmt::format("chanmirror {} --help", chosen.front()->get_name());
    const std::string_view joint = message.ends_with('?') ? " See" : "; see";
    return {ErrorKind::usage, fmt::format("{}{} '{}'", printable(message, 500), joint, help)};
}

void print_error(const Process& process, const GlobalOptions& options, const Error& error) {
    if (!options.json) {
        process.err(fmt::format("chanmirror: error: {}\n", printable(error.message, 4000)));
        return;
    }
    const Json line = Json::Object{{"v", 1},
                                   {"event", "error"},
                                   {"exit_code", static_cast<int>(exit_code_of(error.kind))},
                                   {"message", error.message}};
    process.err(to_json(line) + "\n");
}

int finish(const Process& process, const GlobalOptions& options, Result<ExitCode> result) {
    if (result) {
        return static_cast<int>(*result);
    }
    print_error(process, options, result.error());
    return static_cast<int>(exit_code_of(result.error().kind));
}

Result<ExitCode> run_command(const Process& process, const Program& program) {
    const SystemClock clock;
    const auto reporter = make_reporter(program.options, process.environment, clock);
    for (const auto& [app, run_one] : program.runs) {
        if (app->parsed()) {
            Services services{program.options,
                              process.environment,
                              process.working_directory,
                              clock,
                              *reporter,
                              process.out,
                              process.err,
                              process.stop};
            return run_one(services);
        }
    }
    return fail(ErrorKind::usage, "no command given; see 'chanmirror --help'");
}

int parse_and_run(const Process& process) {
    Program program;
    std::vector<std::string> reversed(process.arguments.rbegin(), process.arguments.rend());
    try {
        program.app.parse(reversed);
    } catch (const CLI::Success& wanted) {  // --help, --version
        std::ostringstream text;
        program.app.exit(wanted, text, text);
        return finish(
            process, program.options, process.out(text.str()).map([] { return ExitCode::whole; }));
    } catch (const CLI::ParseError& error) {
        return finish(process, program.options, fail(usage_error(program, error)));
    }
    if (program.options.quiet && program.options.verbose) {
        return finish(process,
                      program.options,
                      fail(ErrorKind::usage, "--quiet and --verbose exclude each other"));
    }
    return finish(process, program.options, run_command(process, program));
}

}  // namespace

std::span<const Command> commands() {
    return k_commands;
}

int run(const Process& process) {
    try {
        return parse_and_run(process);
    } catch (const std::bad_alloc&) {
        process.err("chanmirror: error: out of memory\n");
    } catch (const std::exception& exception) {
        process.err(fmt::format("chanmirror: error: internal: {}\n", printable(exception.what())));
    }
    return static_cast<int>(ExitCode::failed);
}

}  // namespace chm::cli
