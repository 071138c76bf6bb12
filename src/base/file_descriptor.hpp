// A file descriptor that closes itself, and the system calls that must be repeated until they are
// done (EINTR, short reads and writes, a full pipe).
#pragma once

#include "base/result.hpp"

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>

namespace chm {

class FileDescriptor {
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int fd) : fd_(fd) {}
    FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept;
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    ~FileDescriptor() { close(); }

    [[nodiscard]] int get() const { return fd_; }
    [[nodiscard]] bool is_open() const { return fd_ >= 0; }
    /// Closes now; the errno of close(2), 0 when all is well. Network file systems report a failed
    /// write only here, so a writer must look.
    int close() noexcept;

private:
    int fd_ = -1;
};

/// Opens a file for reading. A missing one is ErrorKind::not_found.
Result<FileDescriptor> open_to_read(const std::filesystem::path& path);

/// Reads up to buffer.size() bytes; 0 at the end of the file. `path` is for the message.
Result<std::size_t> read_some(const FileDescriptor& file,
                              std::span<std::byte> buffer,
                              const std::filesystem::path& path);

/// Writes all of `bytes`. `path` is for the message.
Result<> write_all(const FileDescriptor& file,
                   std::span<const std::byte> bytes,
                   const std::filesystem::path& path);

}  // namespace chm
