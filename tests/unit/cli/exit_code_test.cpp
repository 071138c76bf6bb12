#include "cli/exit_code.hpp"

#include <doctest/doctest.h>

using chm::ErrorKind;
using chm::cli::exit_code_of;

TEST_CASE("exit code: as the command line contract has it") {
    const auto code = [](ErrorKind kind) { return static_cast<int>(exit_code_of(kind)); };
    CHECK(code(ErrorKind::usage) == 2);
    CHECK(code(ErrorKind::config) == 2);
    CHECK(code(ErrorKind::network) == 4);
    CHECK(code(ErrorKind::integrity) == 5);
    CHECK(code(ErrorKind::interrupted) == 130);
    CHECK(code(ErrorKind::io) == 1);
    CHECK(code(ErrorKind::locked) == 1);
    CHECK(code(ErrorKind::not_found) == 1);
    CHECK(code(ErrorKind::internal) == 1);
}
