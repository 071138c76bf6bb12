// The process: hands what surrounds it to cli::run and returns the exit code.
#include "base/reporter_output.hpp"
#include "cli/app.hpp"
#include "cli/interrupt.hpp"
#include "cli/standard_output.hpp"

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace {

std::optional<std::string> environment_variable(std::string_view name) {
    const char* value =
        std::getenv(std::string(name).c_str());  // NOLINT(concurrency-mt-unsafe): nobody sets any
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
    const chm::cli::InterruptWatch interrupt;
    chm::cli::Process process;
    process.arguments.assign(argv + (argc > 0 ? 1 : 0), argv + argc);
    process.environment = environment_variable;
    std::error_code ignored;
    process.working_directory = std::filesystem::current_path(ignored);
    process.out = chm::cli::print_to_standard_output;
    process.err = chm::descriptor_sink(STDERR_FILENO);
    process.stop = interrupt.token();
    const int code = chm::cli::run(process);
    return interrupt.signal() != 0 && code != 0 ? 128 + interrupt.signal() : code;
}
