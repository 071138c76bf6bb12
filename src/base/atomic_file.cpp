// Write beside the target, fsync, rename, fsync the folder. See the header.
#include "base/atomic_file.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace chm {

namespace {

// A killed run leaves its temporaries, and in a container every run may have the same pid: names
// that are taken are skipped, this many times.
constexpr int k_name_attempts = 10000;
// NAME_MAX is 255; room for the pid and the counter.
constexpr std::size_t k_longest_name = 200;
// As the kernel's own limit (path_resolution(7)).
constexpr int k_link_hops = 40;

std::filesystem::path folder_of(const std::filesystem::path& path) {
    return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

std::filesystem::path temporary_name(const std::filesystem::path& target) {
    static std::atomic<std::uint64_t> counter{0};
    return folder_of(target) / fmt::format(".{}.{}-{}.tmp",
                                           target.filename().native().substr(0, k_longest_name),
                                           ::getpid(),
                                           counter.fetch_add(1));
}

Error writing_error(const std::filesystem::path& target, int errno_value) {
    return io_error("writing " + target.native(), errno_value);
}

int fsync_whole(int fd) {
    int result = 0;
    do {
        result = ::fsync(fd);
    } while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

// "/dev/stdout" and its like name a descriptor of this process. Opening them again would lose the
// offset of a redirected file and fails for a socket, so the descriptor itself is used.
std::optional<int> descriptor_named(const std::filesystem::path& path) {
    const std::string_view text = path.native();
    if (text == "/dev/stdout") {
        return STDOUT_FILENO;
    }
    if (text == "/dev/stderr") {
        return STDERR_FILENO;
    }
    for (const std::string_view prefix : {"/dev/fd/", "/proc/self/fd/"}) {
        if (!text.starts_with(prefix)) {
            continue;
        }
        int number = 0;
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data() + prefix.size(), end, number);
        if (error == std::errc() && stop == end && number >= 0) {
            return number;
        }
    }
    return std::nullopt;
}

/// The path behind a chain of symlinks; the last may name a file that is not there yet.
Result<std::filesystem::path> follow_links(const std::filesystem::path& target) {
    std::filesystem::path at = target;
    for (int hop = 0; hop < k_link_hops; ++hop) {
        std::error_code error;
        if (descriptor_named(at) || !std::filesystem::is_symlink(at, error)) {
            return at;
        }
        const std::filesystem::path next = std::filesystem::read_symlink(at, error);
        if (error) {
            return fail(writing_error(target, error.value()));
        }
        at = next.is_absolute() ? next : folder_of(at) / next;
    }
    return fail(writing_error(target, ELOOP));
}

Result<> write_and_close(FileDescriptor file,
                         std::string_view text,
                         const std::filesystem::path& target) {
    if (!file.is_open()) {
        return fail(writing_error(target, errno));
    }
    CHM_CHECK(write_all(file, std::as_bytes(std::span(text)), target));
    if (const int reason = file.close(); reason != 0) {
        return fail(writing_error(target, reason));
    }
    return {};
}

Result<> write_to(const std::filesystem::path& path, std::string_view text) {
    if (const std::optional<int> number = descriptor_named(path)) {
        return write_and_close(FileDescriptor(::fcntl(*number, F_DUPFD_CLOEXEC, 0)), text, path);
    }
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        return write_file_atomically(path, text);
    }
    if (S_ISREG(status.st_mode)) {
        CHM_TRY(AtomicFile file, AtomicFile::create(path));
        CHM_CHECK(file.set_mode(status.st_mode & 07777U));
        CHM_CHECK(file.write(text));
        return file.commit();
    }
    if (S_ISDIR(status.st_mode)) {
        return fail(ErrorKind::io,
                    fmt::format("writing {}: it is a folder; name a file in it",
                                printable(path.native(), 5000)));
    }
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return write_and_close(FileDescriptor(fd), text, path);
}

}  // namespace

AtomicFile::AtomicFile(FileDescriptor file,
                       std::filesystem::path temporary,
                       std::filesystem::path target)
    : file_(std::move(file)), temporary_(std::move(temporary)), target_(std::move(target)) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : file_(std::move(other.file_)),
      temporary_(std::exchange(other.temporary_, {})),
      target_(std::move(other.target_)) {}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
    if (this != &other) {
        discard();
        file_ = std::move(other.file_);
        temporary_ = std::exchange(other.temporary_, {});
        target_ = std::move(other.target_);
    }
    return *this;
}

AtomicFile::~AtomicFile() {
    discard();
}

Result<AtomicFile> AtomicFile::create(std::filesystem::path target) {
    if (!target.has_filename()) {
        return fail(writing_error(target, EISDIR));
    }
    for (int attempt = 0; attempt < k_name_attempts; ++attempt) {
        std::filesystem::path temporary = temporary_name(target);
        constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
        FileDescriptor file(::open(temporary.c_str(), flags, 0644));
        if (file.is_open()) {
            return AtomicFile(std::move(file), std::move(temporary), std::move(target));
        }
        if (errno != EEXIST && errno != EINTR) {
            break;
        }
    }
    return fail(writing_error(target, errno));
}

void AtomicFile::discard() noexcept {
    file_.close();
    if (!temporary_.empty()) {
        ::unlink(temporary_.c_str());
        temporary_.clear();
    }
}

tl::unexpected<Error> AtomicFile::give_up(Error error) {
    discard();
    return fail(std::move(error));
}

Result<> AtomicFile::write(std::span<const std::byte> bytes) {
    if (auto written = write_all(file_, bytes, target_); !written) {
        return give_up(std::move(written).error());
    }
    return {};
}

Result<> AtomicFile::write(std::string_view text) {
    return write(std::as_bytes(std::span(text)));
}

Result<> AtomicFile::set_mode(unsigned mode) {
    if (::fchmod(file_.get(), mode) != 0) {
        return give_up(writing_error(target_, errno));
    }
    return {};
}

Result<> AtomicFile::commit() {
    if (!file_.is_open()) {
        return give_up(writing_error(target_, EBADF));
    }
    if (const int reason = fsync_whole(file_.get()); reason != 0) {
        return give_up(writing_error(target_, reason));
    }
    if (const int reason = file_.close(); reason != 0) {
        return give_up(writing_error(target_, reason));
    }
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
        return give_up(writing_error(target_, errno));
    }
    temporary_.clear();
    if (auto synced = sync_directory(folder_of(target_)); !synced) {
        return fail(with_context(std::move(synced).error(),
                                 "writing " + printable(target_.native(), 5000)));
    }
    return {};
}

Result<> write_file_atomically(const std::filesystem::path& target, std::string_view text) {
    CHM_TRY(AtomicFile file, AtomicFile::create(target));
    CHM_CHECK(file.write(text));
    return file.commit();
}

Result<> write_output(const std::filesystem::path& target, std::string_view text) {
    CHM_TRY(const std::filesystem::path path, follow_links(target));
    auto written = write_to(path, text);
    if (!written && path != target) {
        return fail(with_context(std::move(written).error(), printable(target.native(), 5000)));
    }
    return written;
}

Result<> replace_symlink(const std::filesystem::path& link,
                         const std::filesystem::path& destination) {
    const std::string what = "making the symlink " + link.native();
    std::filesystem::path temporary;
    int result = -1;
    for (int attempt = 0; attempt < k_name_attempts && result != 0; ++attempt) {
        temporary = temporary_name(link);
        result = ::symlink(destination.c_str(), temporary.c_str());
        if (result != 0 && errno != EEXIST) {
            break;
        }
    }
    if (result != 0) {
        return fail(io_error(what, errno));
    }
    if (::rename(temporary.c_str(), link.c_str()) != 0) {
        const int reason = errno;
        ::unlink(temporary.c_str());
        return fail(io_error(what, reason));
    }
    return sync_directory(folder_of(link));
}

Result<> write_unsynced_file(const std::filesystem::path& path, std::string_view bytes) {
    const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (!file.is_open()) {
        return fail(writing_error(path, errno));
    }
    while (!bytes.empty()) {
        const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) {
            return fail(writing_error(path, errno));
        }
        bytes.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
    return {};
}

Result<> sync_file_system(const std::filesystem::path& folder) {
    const FileDescriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!file.is_open() || ::syncfs(file.get()) != 0) {
        return fail(io_error("syncing the file system of " + folder.native(), errno));
    }
    return {};
}

Result<> sync_directory(const std::filesystem::path& directory) {
    const FileDescriptor folder(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const int reason = folder.is_open() ? fsync_whole(folder.get()) : errno;
    // Some network and FUSE file systems have no fsync of folders: nothing more can be done there.
    if (reason == 0 || (folder.is_open() && (reason == EINVAL || reason == ENOTSUP))) {
        return {};
    }
    return fail(io_error("syncing folder " + directory.native(), reason));
}

}  // namespace chm
