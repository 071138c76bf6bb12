#include "conda/host/fact_file.hpp"

#include "base/ascii.hpp"
#include "base/file_descriptor.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <fcntl.h>
#include <span>
#include <string_view>
#include <sys/stat.h>

namespace chm::conda {

namespace {

constexpr std::size_t k_longest_version = 64;

bool is_version_character(char c) {
    return is_alphanumeric(c) || c == '.' || c == '-' || c == '_' || c == '+';
}

}  // namespace

std::optional<std::string> read_fact(const std::filesystem::path& path, std::size_t limit) {
    // O_NONBLOCK: opening a pipe must not wait for its writer.
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    struct stat status {};
    if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
        return std::nullopt;
    }
    std::string text(limit, '\0');
    std::size_t filled = 0;
    while (filled < limit) {
        const auto count =
            read_some(file, std::as_writable_bytes(std::span(text).subspan(filled)), path);
        if (!count) {
            return std::nullopt;
        }
        if (*count == 0) {
            break;
        }
        filled += *count;
    }
    text.resize(filled);
    return text;
}

std::optional<std::string> read_version(const std::filesystem::path& path) {
    const auto text = read_fact(path, 4 * k_longest_version);
    if (!text) {
        return std::nullopt;
    }
    const std::string_view trimmed = trim(*text);
    const std::string_view word = trimmed.substr(0, trimmed.find_first_of(" \t\r\n"));
    if (word.empty() || word.size() > k_longest_version ||
        !std::ranges::all_of(word, is_version_character)) {
        return std::nullopt;
    }
    return std::string(word);
}

}  // namespace chm::conda
