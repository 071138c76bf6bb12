#include "channels/stored_files.hpp"

#include "base/text.hpp"
#include "conda/channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

namespace chm::channels {
namespace {

constexpr std::string_view k_no_md5 = "-";

tl::unexpected<Error> damaged(std::size_t line, std::string_view what) {
    return fail(ErrorKind::integrity,
                fmt::format("not a list of stored files: line {}: {}", line, what));
}

Result<StoredFile> parse_line(std::string_view text, std::size_t line) {
    const std::vector<std::string_view> fields = split(text, '\t');
    if (fields.size() != 4) {
        return damaged(line, "expected two digests, a size and a file name");
    }
    const auto digest = Sha256::from_hex(fields[0]);
    if (!digest) {
        return damaged(line, "its digest is malformed");
    }
    StoredFile file{std::string(fields[3]), *digest};
    if (fields[1] != k_no_md5) {
        const auto md5 = Md5::from_hex(fields[1]);
        if (!md5) {
            return damaged(line, "its md5 is malformed");
        }
        file.md5 = *md5;
    }
    const char* end = fields[2].data() + fields[2].size();
    const auto [last, error] = std::from_chars(fields[2].data(), end, file.size);
    if (error != std::errc{} || last != end) {
        return damaged(line, "its size is malformed");
    }
    if (!conda::is_safe_path_segment(file.fn)) {
        return damaged(line, "its file name is unsafe");
    }
    return file;
}

}  // namespace

std::string to_text(const StoredFiles& files) {
    std::string text;
    for (const StoredFile& file : files) {
        fmt::format_to(std::back_inserter(text),
                       "{}\t{}\t{}\t{}\n",
                       file.sha256.hex(),
                       file.md5 ? file.md5->hex() : std::string(k_no_md5),
                       file.size,
                       file.fn);
    }
    return text;
}

Result<StoredFiles> parse_stored_files(std::string_view text) {
    StoredFiles files;
    std::size_t line = 0;
    while (!text.empty()) {
        ++line;
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) {
            return damaged(line, "it is cut short");
        }
        CHM_TRY(StoredFile file, parse_line(text.substr(0, end), line));
        if (!files.empty() && files.back().fn >= file.fn) {
            return damaged(line, "it is out of order");
        }
        files.push_back(std::move(file));
        text.remove_prefix(end + 1);
    }
    return files;
}

const StoredFile* find(const StoredFiles& files, std::string_view fn) {
    const auto place =
        std::lower_bound(files.begin(), files.end(), fn, [](const StoredFile& f, const auto& n) {
            return f.fn < n;
        });
    return place != files.end() && place->fn == fn ? &*place : nullptr;
}

}  // namespace chm::channels
