#include "cli/standard_output.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace {

/// Standard output as `path` while it lives.
class Redirected {
public:
    explicit Redirected(const char* path) : saved_(dup(STDOUT_FILENO)) {
        const int fd = open(path, O_WRONLY | O_CLOEXEC);
        REQUIRE(fd >= 0);
        dup2(fd, STDOUT_FILENO);
        close(fd);
    }
    Redirected(const Redirected&) = delete;
    Redirected& operator=(const Redirected&) = delete;
    ~Redirected() {
        dup2(saved_, STDOUT_FILENO);
        close(saved_);
    }

private:
    int saved_;
};

}  // namespace

TEST_CASE("standard output: a full disk is an error") {
    chm::Result<> result;
    {
        const Redirected full("/dev/full");
        result = chm::cli::print_to_standard_output("text");
    }
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().kind == chm::ErrorKind::io);
    CHECK(result.error().message.find("standard output: No space left on device") !=
          std::string::npos);
}

TEST_CASE("standard output: large and empty texts are written whole") {
    const Redirected null("/dev/null");
    CHECK(chm::cli::print_to_standard_output("").has_value());
    CHECK(chm::cli::print_to_standard_output(std::string(1 << 20, 'x')).has_value());
}
