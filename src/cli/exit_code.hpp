// What the process tells its caller; stable, and documented in --help.
#pragma once

#include "base/error.hpp"

namespace chm::cli {

enum class ExitCode {
    whole = 0,
    failed = 1,
    usage = 2,
    unsolvable = 3,
    upstream = 4,    // unreachable or stale; the mirror is unchanged
    integrity = 5,   // bytes are not what was promised
    incomplete = 6,  // published, but with files missing that missing.json names
    interrupted = 130,
    terminated = 143,
};

[[nodiscard]] constexpr ExitCode exit_code_of(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::usage:
        case ErrorKind::config:
            return ExitCode::usage;
        case ErrorKind::network:
            return ExitCode::upstream;
        case ErrorKind::integrity:
            return ExitCode::integrity;
        case ErrorKind::interrupted:
            return ExitCode::interrupted;
        default:
            return ExitCode::failed;
    }
}

}  // namespace chm::cli
