// open, read and write with their retries. See the header.
#include "base/file_descriptor.hpp"

#include "base/text.hpp"

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace chm {

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
        close();
        fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
}

int FileDescriptor::close() noexcept {
    if (fd_ < 0) {
        return 0;
    }
    const int result = ::close(std::exchange(fd_, -1));
    // Linux has closed the descriptor even on EINTR; a second close could hit another thread's.
    return result == 0 || errno == EINTR ? 0 : errno;
}

Result<FileDescriptor> open_to_read(const std::filesystem::path& path) {
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (file.is_open()) {
        return file;
    }
    const int reason = errno;
    Error error = io_error("reading " + path.native(), reason);
    if (reason == ENOENT) {
        error.kind = ErrorKind::not_found;
    }
    return fail(std::move(error));
}

Result<std::size_t> read_some(const FileDescriptor& file,
                              std::span<std::byte> buffer,
                              const std::filesystem::path& path) {
    while (true) {
        const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
        if (count >= 0) {
            return static_cast<std::size_t>(count);
        }
        if (errno != EINTR) {
            return fail(io_error("reading " + path.native(), errno));
        }
    }
}

Result<> write_all(const FileDescriptor& file,
                   std::span<const std::byte> bytes,
                   const std::filesystem::path& path) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
        if (count >= 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(count));
            continue;
        }
        if (errno == EAGAIN) {  // an inherited pipe or terminal may be non-blocking
            pollfd writable{.fd = file.get(), .events = POLLOUT, .revents = 0};
            ::poll(&writable, 1, -1);
            continue;
        }
        if (errno != EINTR) {
            return fail(io_error("writing " + path.native(), errno));
        }
    }
    return {};
}

}  // namespace chm
