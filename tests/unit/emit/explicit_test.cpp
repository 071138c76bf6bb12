// explicit.cpp: the @EXPLICIT lock, line by line.
#include "emit/explicit.hpp"

#include "base/digest.hpp"
#include "base/text.hpp"
#include "sample_solution.hpp"
#include "support/golden.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace chm::emit {
namespace {

/// CEP 23's grammar of a line behind "@EXPLICIT": an artifact's URL without '#' or white space, and at most one hash.
bool is_explicit_line(std::string_view line) {
    const auto parts = split(line, '#');
    const std::string_view url = parts.front();
    const bool is_artifact = url.ends_with(".conda") || url.ends_with(".tar.bz2");
    if (!is_artifact || url.find_first_of(" \t\r") != std::string_view::npos || parts.size() > 2) {
        return false;
    }
    return parts.size() == 1 || Md5::from_hex(parts[1]) || Sha256::from_hex(parts[1]);
}

std::vector<std::string> package_lines(const std::string& text) {
    std::vector<std::string> lines;
    bool is_behind = false;
    for (const std::string_view line : split(text, '\n')) {
        if (is_behind && !line.empty()) {
            lines.emplace_back(line);
        }
        is_behind = is_behind || line == "@EXPLICIT";
    }
    return lines;
}

}  // namespace

TEST_CASE("explicit: a lock with every kind of hash") {
    const ExplicitLock lock = explicit_lock(test::sample_solution(), test::sample_header());
    chm::test::golden::check(lock.text, "emit/torch.lock");
    CHECK(lock.unhashed == std::vector<std::string>{"pytorch-1!2.1.0-py3.11_cuda12.1_0.conda"});
}

TEST_CASE("explicit: every package is a line of CEP 23's grammar") {
    const ExplicitLock lock = explicit_lock(test::sample_solution(), test::sample_header());
    const auto lines = package_lines(lock.text);
    REQUIRE(lines.size() == 3);
    for (const std::string& line : lines) {
        CHECK_MESSAGE(is_explicit_line(line), line);
    }
}

TEST_CASE("explicit: the order is the solution's, dependencies first") {
    const auto lines = package_lines(explicit_lock(test::sample_solution(), {}).text);
    REQUIRE(lines.size() == 3);
    CHECK(lines[0].find("libzlib") != std::string::npos);
    CHECK(lines[2].find("pytorch-") != std::string::npos);
}

TEST_CASE("explicit: no packages make a lock without lines") {
    const ExplicitLock lock = explicit_lock({}, test::sample_header());
    CHECK(lock.text.ends_with("\n@EXPLICIT\n"));
    CHECK(lock.unhashed.empty());
}

TEST_CASE("explicit: nothing in the header can break out of its comment") {
    LockHeader header = test::sample_header();
    header.specs = {"a[build='x\n@EXPLICIT\nhttps://evil.example.org/x-1-0.conda']"};
    header.snapshot = "s\r\nhttps://evil.example.org/y-1-0.conda";
    const ExplicitLock lock = explicit_lock(test::sample_solution(), header);
    CHECK(package_lines(lock.text).size() == 3);
    const std::string head = lock.text.substr(0, lock.text.find("@EXPLICIT\nhttps"));
    for (const std::string_view line : split(head, '\n')) {
        CHECK((line.empty() || line.starts_with("# ")));
    }
}

TEST_CASE("explicit: a file name cannot forge a hash or end its line") {
    solver::Solution solution;
    solver::SolvedPackage package = test::sample_solution().packages.front();
    package.url =
        "https://h/c/linux-64/x-1-0.conda#0123456789abcdef0123456789abcdef y?\xc3\xa9.conda";
    solution.packages = {package};
    const auto lines = package_lines(explicit_lock(solution, {}).text);
    REQUIRE(lines.size() == 1);
    CHECK(is_explicit_line(lines[0]));
    CHECK(
        lines[0] ==
        "https://h/c/linux-64/x-1-0.conda%230123456789abcdef0123456789abcdef%20y%3F%C3%A9.conda#" +
            package.sha256->hex());
}

}  // namespace chm::emit
