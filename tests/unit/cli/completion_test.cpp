#include "cli/completion.hpp"

#include <CLI/CLI.hpp>
#include <doctest/doctest.h>

using chm::cli::bash_completion;
using chm::cli::completion_model;
using chm::cli::CompletionModel;
using chm::cli::fish_completion;
using chm::cli::OptionHelp;
using chm::cli::zsh_completion;

namespace {

/// A program with one of everything that completion has to tell apart.
CompletionModel sample() {
    CLI::App root("sample", "sample");
    root.add_option("--root", "Folder")->type_name("DIR")->expected(1);
    static bool quiet = false;
    root.add_flag("-q,--quiet", quiet, "It's quiet: [very]");
    CLI::App* command = root.add_subcommand("go", "Goes");
    static std::string format;
    command->add_option("--format", format, "What")->check(CLI::IsMember({"a", "b"}));
    command->add_option("THING", "A positional");
    return completion_model(root);
}

const OptionHelp& option_named(const std::vector<OptionHelp>& options, std::string_view name) {
    for (const OptionHelp& option : options) {
        if (option.name == name) {
            return option;
        }
    }
    FAIL("no such option");
    return options.front();
}

}  // namespace

TEST_CASE("completion: the model has every option, with what it takes") {
    const CompletionModel model = sample();
    CHECK(option_named(model.global, "--root").takes_file);
    CHECK_FALSE(option_named(model.global, "--quiet").takes_value);
    CHECK_FALSE(option_named(model.global, "-q").takes_value);
    REQUIRE(model.commands.size() == 1);
    CHECK(model.commands.front().summary == "Goes");
    const OptionHelp& format = option_named(model.commands.front().options, "--format");
    CHECK(format.choices == std::vector<std::string>{"a", "b"});
    CHECK(format.takes_value);
}

TEST_CASE("completion: descriptions are quoted for each shell") {
    const CompletionModel model = sample();
    CHECK(zsh_completion(model).find(R"('*--quiet[It'\''s quiet very]')") != std::string::npos);
    CHECK(fish_completion(model).find(R"(-l quiet -d 'It\'s quiet: [very]')") != std::string::npos);
}

TEST_CASE("completion: choices are offered after their option") {
    const CompletionModel model = sample();
    CHECK(bash_completion(model).find("--format) mapfile -t COMPREPLY < <(compgen -W 'a b'") !=
          std::string::npos);
    CHECK(fish_completion(model).find("-l format -d 'What' -x -a 'a b'") != std::string::npos);
}
