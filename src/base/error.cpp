// Building errors: context from the layers above, and errno in words that do not change with the
// locale.
#include "base/error.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace chm {

namespace {

// Long enough for any path the kernel accepts (PATH_MAX) and the words around it.
constexpr std::size_t k_longest_subject = 5000;

std::string_view advice(int errno_value) {
    switch (errno_value) {
        case ENOSPC:
        case EDQUOT:
            return "; free some space or choose another place";
        case EACCES:
        case EPERM:
            return "; check the permissions and the owner of this path";
        case EROFS:
            return "; check the permissions of the mount, or choose another place";
        default:
            return "";
    }
}

}  // namespace

Error with_context(Error error, std::string_view context) {
    error.message = fmt::format("{}: {}", context, error.message);
    return error;
}

Error io_error(std::string_view what, int errno_value) {
    const char* known = strerrordesc_np(errno_value);
    const std::string reason = known != nullptr ? known : fmt::format("error {}", errno_value);
    // File names may hold newlines and escape sequences; a message is one line.
    const std::string subject = printable(what, k_longest_subject);
    return Error{ErrorKind::io, fmt::format("{}: {}{}", subject, reason, advice(errno_value))};
}

}  // namespace chm
