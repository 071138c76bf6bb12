// The program in-process: exit codes, where output goes, what never throws. What each command
// prints is in tests/cli/.
#include "cli/app.hpp"

#include "base/json.hpp"
#include "cli/command.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>

namespace {

struct Ran {
    int code = -1;
    std::string out;
    std::string err;
};

Ran run(std::vector<std::string> arguments,
        const std::map<std::string, std::string>& environment = {}) {
    const chm::test::TempDir folder;
    Ran ran;
    chm::cli::Process process;
    process.arguments = std::move(arguments);
    process.environment = [&](std::string_view name) -> std::optional<std::string> {
        const auto found = environment.find(std::string(name));
        return found != environment.end() ? std::optional(found->second) : std::nullopt;
    };
    process.working_directory = folder.path();
    process.out = [&](std::string_view text) -> chm::Result<> {
        ran.out += text;
        return {};
    };
    process.err = [&](std::string_view text) { ran.err += text; };
    ran.code = chm::cli::run(process);
    return ran;
}

}  // namespace

TEST_CASE("app: help and version go to standard output and need nothing") {
    for (const char* flag : {"--help", "-h", "--version"}) {
        const Ran ran = run({flag});
        CHECK(ran.code == 0);
        CHECK(ran.out.find("chanmirror") != std::string::npos);
        CHECK(ran.err.empty());
    }
}

TEST_CASE("app: every command has help with an example") {
    for (const chm::cli::Command& command : chm::cli::commands()) {
        CAPTURE(command.name);
        const Ran ran = run({std::string(command.name), "--help"});
        CHECK(ran.code == 0);
        CHECK(ran.out.find("Example:\n  ") != std::string::npos);
        CHECK(ran.out.find("chanmirror " + std::string(command.name)) != std::string::npos);
    }
}

TEST_CASE("app: command names are unique") {
    std::set<std::string_view> names;
    for (const chm::cli::Command& command : chm::cli::commands()) {
        CHECK(names.insert(command.name).second);
    }
}

TEST_CASE("app: usage errors are 2, on one line of standard error, and name the word") {
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{},
                                               {"snyc"},
                                               {"--nonsense"},
                                               {"sync", "--nonsense"},
                                               {"status", "extra"},
                                               {"-q", "-v", "status"}}) {
        const Ran ran = run(arguments, {{"HOME", "/nonexistent"}});
        CHECK(ran.code == 2);
        CHECK(ran.out.empty());
        CHECK(ran.err.starts_with("chanmirror: error: "));
        CHECK(ran.err.find('\n') == ran.err.size() - 1);
    }
    CHECK(run({"snyc"}).err.find("did you mean 'sync'?") != std::string::npos);
    CHECK(run({"sync", "--upstraem", "x"}).err.find("did you mean '--upstream'?") !=
          std::string::npos);
}

TEST_CASE("app: hostile words reach the terminal harmless") {
    const Ran ran = run({"\x1b[2J\nevil"});
    CHECK(ran.code == 2);
    CHECK(ran.err.find('\x1b') == std::string::npos);
    CHECK(ran.err.find('\n') == ran.err.size() - 1);
}

TEST_CASE("app: with --json an error is a JSON object") {
    const Ran ran = run({"--json", "status"}, {{"CHANMIRROR_ROOT", "/nonexistent/root"}});
    CHECK(ran.code == 2);
    const auto parsed = chm::parse_json(ran.err);
    REQUIRE(parsed.has_value());
    CHECK(parsed->text("event") == "error");
    CHECK(parsed->text("message").find("/nonexistent/root does not exist") !=
          std::string_view::npos);
}

TEST_CASE("app: a product that cannot be written is a failure") {
    const chm::test::TempDir folder;
    chm::cli::Process process;
    process.arguments = {"--help"};
    process.environment = [](std::string_view) { return std::optional<std::string>(); };
    process.working_directory = folder.path();
    process.out = [](std::string_view) -> chm::Result<> {
        return chm::fail(chm::ErrorKind::io, "writing standard output: No space left on device");
    };
    std::string err;
    process.err = [&](std::string_view text) { err += text; };
    CHECK(chm::cli::run(process) == 1);
    CHECK(err == "chanmirror: error: writing standard output: No space left on device\n");
}
