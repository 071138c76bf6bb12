// Files that appear whole or not at all: write to a temporary beside the target, fsync, rename,
// fsync the folder. A reader or a kill -9 at any moment sees the old file or the new one.
#pragma once

#include "base/file_descriptor.hpp"
#include "base/result.hpp"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace chm {

/// A file being written. Nothing shows under `target` until commit(); the destructor removes an
/// uncommitted temporary. commit() is explicit because a destructor cannot report a full disk.
class AtomicFile {
public:
    /// Creates the temporary ".NAME.PID-N.tmp" in target's folder, which must exist.
    static Result<AtomicFile> create(std::filesystem::path target);
    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&& other) noexcept;
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile();

    Result<> write(std::span<const std::byte> bytes);
    Result<> write(std::string_view text);
    /// Gives the file these permission bits instead of 0644 less the umask.
    Result<> set_mode(unsigned mode);
    /// fsync, rename over the target (mode 0644 less the umask), fsync the folder.
    Result<> commit();

private:
    AtomicFile(FileDescriptor file, std::filesystem::path temporary, std::filesystem::path target);
    void discard() noexcept;
    /// Removes the temporary and tells why.
    tl::unexpected<Error> give_up(Error error);

    FileDescriptor file_;
    std::filesystem::path temporary_;  // empty once committed, given up or moved from
    std::filesystem::path target_;
};

/// create + write + commit.
Result<> write_file_atomically(const std::filesystem::path& target, std::string_view text);

/// For a path the user named (-o FILE): replaces a regular file (keeping its mode) or a missing one
/// atomically,
/// follows a symlink to the file it names, and writes straight into anything else (a pipe,
/// /dev/stdout), which must not be renamed over.
Result<> write_output(const std::filesystem::path& target, std::string_view text);

/// Makes `link` a symlink to `destination` in one step, replacing what was there (the flip of
/// `current`).
Result<> replace_symlink(const std::filesystem::path& link,
                         const std::filesystem::path& destination);

/// Writes a new file whose bytes a later sync_file_system() brings to the disk: for thousands of
/// small files, each of which an fsync would slow down. Fails when it exists.
Result<> write_unsynced_file(const std::filesystem::path& path, std::string_view bytes);

/// Brings everything of the folder's file system to the disk (syncfs).
Result<> sync_file_system(const std::filesystem::path& folder);

/// fsync of a folder, so that names created in it survive a power cut.
Result<> sync_directory(const std::filesystem::path& directory);

}  // namespace chm
