// Whole files, folders, hardlinks. See the header.
#include "base/file.hpp"

#include "base/atomic_file.hpp"
#include "base/file_descriptor.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace chm {

namespace {

constexpr std::size_t k_piece = std::size_t{256} * 1024;

tl::unexpected<Error> too_large(const std::filesystem::path& path, std::uint64_t limit) {
    return fail(
        ErrorKind::io,
        fmt::format("reading {}: the file is larger than {} bytes, the most that is read here",
                    printable(path.native(), 5000),
                    limit));
}

// What link(2) says when the file system cannot do it, as against "this link is wrong". EPERM also
// stands for fs.protected_hardlinks, EMLINK for a file with all the links it may have.
bool needs_copy(int errno_value) {
    return errno_value == EXDEV || errno_value == EPERM || errno_value == EMLINK ||
           errno_value == EOPNOTSUPP || errno_value == ENOSYS;
}

Result<> copy_whole(const std::filesystem::path& existing, const std::filesystem::path& copy_path) {
    CHM_TRY(const FileDescriptor source, open_to_read(existing));
    CHM_TRY(AtomicFile target, AtomicFile::create(copy_path));
    std::vector<std::byte> buffer(k_piece);
    while (true) {
        CHM_TRY(const std::size_t count, read_some(source, buffer, existing));
        if (count == 0) {
            return target.commit();
        }
        CHM_CHECK(target.write(std::span<const std::byte>(buffer).first(count)));
    }
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path, std::uint64_t limit) {
    CHM_TRY(const FileDescriptor file, open_to_read(path));
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) {
        return fail(io_error("reading " + path.native(), errno));
    }
    // Only a hint: pipes and /proc say 0, and a file may grow while it is read.
    const auto expected = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
    if (S_ISREG(status.st_mode) && expected > limit) {
        return too_large(path, limit);
    }
    std::string text;
    std::vector<char> buffer(std::clamp<std::uint64_t>(expected + 1, 4096, k_piece));
    text.reserve(S_ISREG(status.st_mode) ? expected : 0);
    while (true) {
        CHM_TRY(const std::size_t count,
                read_some(file, std::as_writable_bytes(std::span(buffer)), path));
        if (count == 0) {
            return text;
        }
        if (count > limit - text.size()) {
            return too_large(path, limit);
        }
        text.append(buffer.data(), count);
    }
}

Result<> make_directories(const std::filesystem::path& path) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) {
        return fail(io_error("creating folder " + path.native(), error.value()));
    }
    return {};
}

Result<> link_or_copy(const std::filesystem::path& existing, const std::filesystem::path& link) {
    if (::link(existing.c_str(), link.c_str()) == 0) {
        return {};
    }
    int reason = errno;
    if (needs_copy(reason)) {
        struct stat status {};
        if (::lstat(link.c_str(), &status) != 0) {
            return copy_whole(existing, link);
        }
        reason = EEXIST;
    }
    Error error =
        io_error(fmt::format("linking {} as {}", existing.native(), link.native()), reason);
    return fail(std::move(error));
}

Result<> remove_tree(const std::filesystem::path& path) {
    std::error_code error;
    std::filesystem::remove_all(path, error);
    if (error) {
        return fail(io_error("removing " + path.native(), error.value()));
    }
    return {};
}

}  // namespace chm
