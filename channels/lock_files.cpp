#include "channels/lock_files.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "conda/channel.hpp"
#include "conda/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace chm::channels {
namespace {

constexpr std::uint64_t k_max_lock_bytes = 64U << 20U;
constexpr std::string_view k_mark = "@EXPLICIT";
constexpr std::string_view k_sha256_prefix = "sha256:";  // conda reads it, too

tl::unexpected<Error> malformed(std::size_t line, std::string_view what) {
    return fail(ErrorKind::integrity,
                fmt::format("not an @EXPLICIT lock: line {}: {}", line, what));
}

Result<> read_digest(std::string_view text, std::size_t line, LockedFile& file) {
    if (text.starts_with(k_sha256_prefix)) {
        text.remove_prefix(k_sha256_prefix.size());
    } else if (const auto md5 = Md5::from_hex(text)) {
        file.md5 = *md5;
        return {};
    }
    const auto sha256 = Sha256::from_hex(text);
    if (!sha256) {
        return malformed(line, "what follows '#' is neither a sha256 nor an md5");
    }
    file.sha256 = *sha256;
    return {};
}

/// No message repeats the line: a URL may hold a password.
Result<LockedFile> parse_line(std::string_view text, std::size_t line) {
    LockedFile file;
    const std::size_t hash = text.find('#');
    if (hash != std::string_view::npos) {
        CHM_CHECK(read_digest(text.substr(hash + 1), line, file));
    }
    file.url = text.substr(0, hash);
    if (!conda::split_url(file.url)) {
        return malformed(line, "expected a package's URL");
    }
    const auto fn =
        conda::percent_decode(std::string_view(file.url).substr(file.url.rfind('/') + 1));
    if (!fn || !conda::is_safe_path_segment(*fn)) {
        return malformed(line, "its URL does not end in a file's name");
    }
    file.fn = *fn;
    return file;
}

}  // namespace

Result<std::vector<LockedFile>> parse_explicit_lock(std::string_view text) {
    std::vector<LockedFile> files;
    std::size_t number = 0;
    bool marked = false;
    while (!text.empty()) {
        ++number;
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trim(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty() || line.starts_with('#')) {
            continue;
        }
        if (line == k_mark) {
            marked = true;
            continue;
        }
        if (!marked) {
            return malformed(number, "expected '@EXPLICIT' before anything else");
        }
        CHM_TRY(LockedFile file, parse_line(line, number));
        files.push_back(std::move(file));
    }
    if (!marked) {
        return malformed(number, "there is no line '@EXPLICIT'");
    }
    return files;
}

Result<std::vector<LockedFile>> read_lock(const std::filesystem::path& file) {
    CHM_TRY(const std::string text, read_file(file, k_max_lock_bytes));
    auto files = parse_explicit_lock(text);
    if (!files) {
        return fail(with_context(std::move(files).error(), printable(file.native(), 5000)));
    }
    return files;
}

LockedPlace place_of(const LockedFile& file, const Manifest& manifest) {
    std::string_view folder(file.url);
    folder = folder.substr(0, folder.rfind('/'));
    const std::size_t slash = folder.rfind('/');
    if (slash == std::string_view::npos) {
        return {};
    }
    const std::string_view subdir_name = folder.substr(slash + 1);
    folder = folder.substr(0, slash);
    LockedPlace best;
    for (const SnapshotChannel& channel : manifest.channels) {
        const SnapshotSubdir* subdir = channel.find(subdir_name);
        if (subdir == nullptr) {
            continue;
        }
        if (folder == channel.url) {
            return {&channel, subdir};
        }
        const bool longer =
            best.channel == nullptr || channel.name.size() > best.channel->name.size();
        if (longer && folder.ends_with("/" + channel.name)) {
            best = {&channel, subdir};
        }
    }
    return best;
}

}  // namespace chm::channels
