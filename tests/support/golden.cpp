// Comparing with, and rewriting, golden files.
#include "support/golden.hpp"

#include "base/file.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <vector>

namespace chm::test::golden {
namespace {

constexpr std::uint64_t k_limit = std::uint64_t{4} << 20;

std::string accept(std::string_view text, const std::filesystem::path& file) {
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    return fmt::format("{}: {}", file.string(), out ? "accepted, run again" : "cannot be written");
}

std::string first_difference(std::string_view text, std::string_view expected) {
    const std::vector<std::string_view> got = split(text, '\n');
    const std::vector<std::string_view> want = split(expected, '\n');
    const auto [left, right] = std::mismatch(got.begin(), got.end(), want.begin(), want.end());
    return fmt::format("line {}: got '{}', expected '{}'",
                       left - got.begin() + 1,
                       left != got.end() ? *left : "(end)",
                       right != want.end() ? *right : "(end)");
}

}  // namespace

std::string complaint(std::string_view text, const std::filesystem::path& file) {
    const char* accepting = std::getenv("CHM_ACCEPT");
    if (accepting != nullptr && std::string_view(accepting) == "1") {
        return accept(text, file);
    }
    const auto expected = read_file(file, k_limit);
    if (!expected) {
        return expected.error().message + " (CHM_ACCEPT=1 writes it)";
    }
    return *expected == text ? std::string()
                             : fmt::format("{}: {}; CHM_ACCEPT=1 rewrites it",
                                           file.string(),
                                           first_difference(text, *expected));
}

}  // namespace chm::test::golden
