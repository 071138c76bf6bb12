#include "cli/product.hpp"

#include "base/atomic_file.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace chm::cli {
namespace {

bool is_standard_output(const std::string& output) {
    return output.empty() || output == "-";
}

}  // namespace

Result<> require_output_folder(const std::string& output, const Services& services) {
    if (is_standard_output(output)) {
        return {};
    }
    const std::filesystem::path folder = (services.working_directory / output).parent_path();
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) {
        return fail(
            ErrorKind::usage,
            fmt::format("-o {}: there is no folder {}; make it first", output, folder.string()));
    }
    return {};
}

Result<> write_product(const std::string& output, std::string_view text, Services& services) {
    if (is_standard_output(output)) {
        return services.print(text);
    }
    const std::filesystem::path file = services.working_directory / output;
    CHM_CHECK(write_output(file, text));
    services.reporter.note("wrote " + file.string());
    return {};
}

}  // namespace chm::cli
