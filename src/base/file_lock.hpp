// One writer per mirror root, across processes and hosts. An advisory flock(2) that the kernel
// drops when its holder dies, so a crash never leaves a root locked; the file's text only names the
// holder for messages.
#pragma once

#include "base/clock.hpp"
#include "base/file_descriptor.hpp"
#include "base/result.hpp"

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>
#include <utility>

namespace chm {

class FileLock {
public:
    /// Takes the lock at `path` (created if missing) for `purpose` ("chanmirror sync"). When
    /// another process holds it, waits up to `patience`, then fails with ErrorKind::locked: who
    /// holds it (command, pid, host, since when) and what to do. ErrorKind::interrupted when `stop`
    /// is requested while waiting.
    struct Options {
        std::string purpose;
        std::chrono::milliseconds patience{0};
        std::stop_token stop = {};
    };
    static Result<FileLock> acquire(const std::filesystem::path& path,
                                    const Options& options,
                                    const Clock& clock);

    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    /// Releases the lock; the file stays, empty.
    ~FileLock();

private:
    explicit FileLock(FileDescriptor file) : file_(std::move(file)) {}
    void release() noexcept;
    FileDescriptor file_;
};

}  // namespace chm
