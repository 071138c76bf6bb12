#include "cli/standard_output.hpp"

#include <cerrno>
#include <unistd.h>

namespace chm::cli {

Result<> print_to_standard_output(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
        if (written < 0 && errno != EINTR) {
            return fail(io_error("writing standard output", errno));
        }
        text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
    return {};
}

}  // namespace chm::cli
