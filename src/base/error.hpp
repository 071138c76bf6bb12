// What can go wrong, as a value. An Error says in one line which object (file, URL, package)
// failed, what was expected, and what to do; the kind exists only for decisions: retry, download
// again, exit code.
#pragma once

#include <string>
#include <string_view>

namespace chm {

enum class ErrorKind {
    usage,        // the command line asks for something that does not exist or cannot be combined
    config,       // a configuration file or environment variable is wrong
    network,      // an upstream cannot be reached or does not answer as HTTP should
    not_found,    // an upstream or the mirror does not have the named thing
    integrity,    // bytes are not what was promised: hash, size, framing, format of an upstream's
                  // index
    parse,        // text of the ecosystem's languages (version, MatchSpec, …) is malformed
    io,           // the local file system refused: permission, space, device
    locked,       // another process holds the mirror root
    interrupted,  // the user asked to stop
    internal,     // a bug here
};

struct [[nodiscard]] Error {
    ErrorKind kind = ErrorKind::internal;
    std::string message;  // one line, no trailing period or newline

    bool operator==(const Error&) const = default;
};

/// The same error, told from one layer up: "context: message". Called by the layer that knows the
/// object's name.
Error with_context(Error error, std::string_view context);

/// An io error from errno: "what: No space left on device". `what` names the operation and the
/// path. The message of ENOSPC, EROFS and EACCES adds what to do.
Error io_error(std::string_view what, int errno_value);

}  // namespace chm
