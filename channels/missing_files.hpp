// <root>/missing.json: the files that policies want and no upstream had with the right bytes. A
// mirror that lacks them is published without them, and the run exits with 6.
#pragma once

#include "base/clock.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace chm::channels {

struct MissingFile {
    std::string channel;
    std::string subdir;
    std::string fn;
    std::string url;
    std::string expected;    // "sha256 12ab…, 3.4 MB"
    std::string got;         // "404"
    unsigned tries = 0;      // of the last run
    std::string first_seen;  // UTC

    bool operator==(const MissingFile&) const = default;
};

/// Sorted by channel, subdir, fn.
using MissingFiles = std::vector<MissingFile>;

[[nodiscard]] std::string to_text(const MissingFiles& files);
/// ErrorKind::integrity.
Result<MissingFiles> parse_missing_files(std::string_view text);

/// Gives each of `now` the time at which `before` first saw it, else `time`.
void keep_first_seen(MissingFiles& now, const MissingFiles& before, WallTime time);

/// What the file says; nothing when it is not there or damaged (it is only a report).
[[nodiscard]] MissingFiles read_missing_files(const std::filesystem::path& file);

}  // namespace chm::channels
