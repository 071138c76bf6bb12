// The explicit lock's text. Names in it come from channels and from users: none may break out of
// its line.
#include "emit/explicit.hpp"

#include "base/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

namespace chm::emit {
namespace {

constexpr std::size_t k_longest_comment = 100'000;

std::string comment(std::string_view key, const std::string& value) {
    return fmt::format("# {}: {}\n", key, printable(value, k_longest_comment));
}

/// CEP 23 lets comments stand only in lines of their own that start with '#'.
std::string header_lines(const LockHeader& header) {
    std::string text = "# made by chanmirror\n";
    text += comment("platform", header.platform);
    text += comment("specs", fmt::format("{}", fmt::join(header.specs, ", ")));
    text += comment("channels", fmt::format("{}", fmt::join(header.channels, ", ")));
    text +=
        comment("virtual packages", fmt::format("{}", fmt::join(header.virtual_packages, ", ")));
    text += comment("snapshot", header.snapshot);
    return text + "@EXPLICIT\n";
}

/// '#' begins the hash and white space ends a URL; a file name of a hostile index may hold either.
std::string url_text(std::string_view url) {
    std::string text;
    for (const char c : url) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= 0x20 || byte >= 0x7F || c == '#' || c == '?' || c == '"' || c == '\\') {
            text += fmt::format("%{:02X}", byte);
        } else {
            text += c;
        }
    }
    return text;
}

}  // namespace

ExplicitLock explicit_lock(const solver::Solution& solution, const LockHeader& header) {
    ExplicitLock lock;
    lock.text = header_lines(header);
    for (const solver::SolvedPackage& package : solution.packages) {
        lock.text += url_text(package.url);
        if (package.sha256) {
            lock.text += '#' + package.sha256->hex();
        } else if (package.md5) {
            lock.text += '#' + package.md5->hex();
        } else {
            lock.unhashed.push_back(package.fn);
        }
        lock.text += '\n';
    }
    return lock;
}

}  // namespace chm::emit
