// Lockfiles as lists of files by digest: what garbage collection must spare and `verify LOCK` must
// find. Only @EXPLICIT locks (CEP 23); another format is an error, never an empty list.
#pragma once

#include "base/digest.hpp"
#include "base/result.hpp"
#include "channels/snapshot.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chm::channels {

/// One package that a lock names. At most one of the digests is set.
struct LockedFile {
    std::string url;  // without the digest; may hold credentials: never shown
    std::string fn;   // its last segment, decoded
    std::optional<Sha256> sha256 = {};
    std::optional<Md5> md5 = {};
};

/// ErrorKind::integrity names the line that is no URL with digest. A URL without one is accepted.
Result<std::vector<LockedFile>> parse_explicit_lock(std::string_view text);
/// The same of a file, with its name in the message.
Result<std::vector<LockedFile>> read_lock(const std::filesystem::path& file);

/// Channel and subdir of `manifest` that a locked URL means: by the channel's own URL, else by the
/// longest channel name that the URL's folder ends with (a mirror's address). Nulls when there is
/// none.
struct LockedPlace {
    const SnapshotChannel* channel = nullptr;
    const SnapshotSubdir* subdir = nullptr;
};
[[nodiscard]] LockedPlace place_of(const LockedFile& file, const Manifest& manifest);

}  // namespace chm::channels
