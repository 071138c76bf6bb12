// Large files are hashed out of the page cache itself, mapped a window at a time: copying them with
// read(2) costs a sixth of the rate. A window is populated before it is touched (MADV_POPULATE_READ,
// Linux 5.14), so that a disk that cannot read it gives an error and not SIGBUS; where that fails,
// read(2) has the last word.
#include "base/file_hashing.hpp"

#include "base/file_descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <span>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace chm {

namespace {

constexpr std::uint64_t k_window = 16U << 20U;  // a multiple of every page size
constexpr std::uint64_t k_worth_mapping = 256U << 10U;
constexpr std::size_t k_piece = 128U << 10U;
/// So long a sleep goes before `stop` is looked at.
constexpr std::chrono::milliseconds k_nap{100};

Error reading_error(const std::filesystem::path& path, int errno_value) {
    return io_error("reading " + path.native(), errno_value);
}

/// Whether the first page is in the page cache. Where the kernel cannot say: yes, and nothing is
/// dropped.
bool is_cached(int fd) {
    char byte = 0;
    const iovec piece{&byte, 1};
    return ::preadv2(fd, &piece, 1, 0, RWF_NOWAIT) >= 0 || errno != EAGAIN;
}

template <class D>
bool hash_mapped(int fd, std::uint64_t offset, std::uint64_t length, Hasher<D>& hasher) {
    void* const place =
        ::mmap(nullptr, length, PROT_READ, MAP_SHARED, fd, static_cast<off_t>(offset));
    if (place == MAP_FAILED) {
        return false;
    }
    const bool populated = ::madvise(place, length, MADV_POPULATE_READ) == 0;
    if (populated) {
        hasher.update(std::span(static_cast<const std::byte*>(place), length));
    }
    ::munmap(place, length);
    return populated;
}

/// Hashes up to `length` bytes; fewer where the file ends.
template <class D>
Result<std::uint64_t> hash_read(int fd,
                                std::uint64_t offset,
                                std::uint64_t length,
                                Hasher<D>& hasher,
                                const std::filesystem::path& path) {
    std::vector<std::byte> buffer(std::min<std::uint64_t>(k_piece, length));
    std::uint64_t done = 0;
    while (done < length) {
        const std::size_t wanted = std::min<std::uint64_t>(buffer.size(), length - done);
        const ssize_t count = ::pread(fd, buffer.data(), wanted, static_cast<off_t>(offset + done));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return fail(reading_error(path, errno));
        }
        if (count == 0) {
            break;
        }
        hasher.update(std::span(buffer).first(static_cast<std::size_t>(count)));
        done += static_cast<std::uint64_t>(count);
    }
    return done;
}

template <class D>
Result<std::uint64_t> hash_window(int fd,
                                  std::uint64_t offset,
                                  std::uint64_t length,
                                  Hasher<D>& hasher,
                                  const std::filesystem::path& path) {
    if (length >= k_worth_mapping && hash_mapped(fd, offset, length, hasher)) {
        return length;
    }
    return hash_read(fd, offset, length, hasher, path);
}

}  // namespace

Pace::Pace(std::uint64_t bytes_per_second, const Clock& clock)
    : bytes_per_second_(bytes_per_second), clock_(clock), due_(clock.steady()) {}

void Pace::spend(std::uint64_t bytes, const std::stop_token& stop) {
    if (bytes_per_second_ == 0) {
        return;
    }
    std::chrono::nanoseconds early{0};
    {
        const std::scoped_lock guard(mutex_);
        const SteadyTime now = clock_.steady();
        const double seconds = static_cast<double>(bytes) / static_cast<double>(bytes_per_second_);
        due_ = std::max(due_, now) + std::chrono::duration_cast<SteadyTime::duration>(
                                         std::chrono::duration<double>(seconds));
        early = due_ - now;
    }
    while (early > early.zero() && !stop.stop_requested()) {
        const auto nap = std::min<std::chrono::nanoseconds>(early, k_nap);
        std::this_thread::sleep_for(nap);
        early -= nap;
    }
}

template <class D>
Result<HashedFile<D>> hash_file(const std::filesystem::path& path, const HashingOptions& options) {
    CHM_TRY(const FileDescriptor file, open_to_read(path));
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) {
        return fail(reading_error(path, errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return fail(ErrorKind::io, "reading " + path.native() + ": it is not a regular file");
    }
    const auto size = static_cast<std::uint64_t>(status.st_size);
    const bool keep_cached = is_cached(file.get());
    ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
    Hasher<D> hasher;
    std::uint64_t done = 0;
    while (done < size) {
        if (options.stop.stop_requested()) {
            return fail(ErrorKind::interrupted, "interrupted while reading " + path.native());
        }
        const std::uint64_t wanted = std::min(k_window, size - done);
        if (!keep_cached && done + wanted < size) {  // the disk reads on while this is hashed
            ::posix_fadvise(file.get(),
                            static_cast<off_t>(done + wanted),
                            static_cast<off_t>(k_window),
                            POSIX_FADV_WILLNEED);
        }
        CHM_TRY(const std::uint64_t count, hash_window(file.get(), done, wanted, hasher, path));
        if (!keep_cached) {
            ::posix_fadvise(file.get(),
                            static_cast<off_t>(done),
                            static_cast<off_t>(wanted),
                            POSIX_FADV_DONTNEED);
        }
        done += count;
        if (options.progress) {
            options.progress(count);
        }
        if (options.pace != nullptr) {
            options.pace->spend(count, options.stop);
        }
        if (count < wanted) {
            break;  // somebody cut it short while it was read
        }
    }
    return HashedFile<D>{hasher.finish(), done};
}

template Result<HashedFile<Sha256>> hash_file<Sha256>(const std::filesystem::path&,
                                                      const HashingOptions&);
template Result<HashedFile<Md5>> hash_file<Md5>(const std::filesystem::path&,
                                                const HashingOptions&);

}  // namespace chm
