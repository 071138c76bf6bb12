// Tests of base/error.
#include "base/error.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <string>

using chm::Error;
using chm::ErrorKind;

TEST_CASE("error: context goes in front and the kind stays") {
    const Error inner{ErrorKind::parse, "line 3: expected '}'"};
    const Error outer = chm::with_context(inner, "reading state.json");
    CHECK(outer == Error{ErrorKind::parse, "reading state.json: line 3: expected '}'"});
}

TEST_CASE("error: errno as text and advice") {
    struct Row {
        int errno_value;
        std::string message;
    };
    for (const Row& row : {
             Row{ENOENT, "reading /m/a: No such file or directory"},
             Row{ENOSPC,
                 "reading /m/a: No space left on device; free some space or choose another place"},
             Row{EDQUOT,
                 "reading /m/a: Disk quota exceeded; free some space or choose another place"},
             Row{EACCES,
                 "reading /m/a: Permission denied; check the permissions and the owner of this "
                 "path"},
             Row{EROFS,
                 "reading /m/a: Read-only file system; check the permissions of the mount, or "
                 "choose another place"},
             Row{99999, "reading /m/a: error 99999"},
         }) {
        CHECK(chm::io_error("reading /m/a", row.errno_value) == Error{ErrorKind::io, row.message});
    }
}

TEST_CASE("error: a hostile file name stays on one line") {
    const Error error = chm::io_error("reading /m/a\n\x1b[2Jb", EIO);
    CHECK(error.message == "reading /m/a\\x0a\\x1b[2Jb: Input/output error");
}
