// Written and hashed as the bytes come, so that nothing is read a second time except what an earlier
// run has left. See the header.
#include "channels/partial_file.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace chm::channels {
namespace {

constexpr std::size_t k_read_size = std::size_t{256} * 1024;

Error writing_error(const std::filesystem::path& path) {
    return io_error("writing " + path.native(), errno);
}

/// A file of ours that may be continued; closed when there is none.
Result<FileDescriptor> open_leftover(const std::filesystem::path& path, std::uint64_t& size) {
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!file.is_open()) {
        if (errno == ENOENT || errno == ELOOP) {  // a symlink is not followed but replaced
            return FileDescriptor();
        }
        return fail(io_error("reading " + path.native(), errno));
    }
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) {
        return fail(io_error("reading " + path.native(), errno));
    }
    size = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
    // A kill on the way into the store may have left it read-only.
    if (S_ISREG(status.st_mode) && (status.st_mode & S_IWUSR) == 0) {
        ::fchmod(file.get(), (status.st_mode & 0777U) | S_IWUSR);
    }
    return S_ISREG(status.st_mode) ? std::move(file) : FileDescriptor();
}

}  // namespace

std::string FilePromise::text() const {
    std::string text;
    if (sha256) {
        text = "sha256 " + sha256->hex();
    } else if (md5) {
        text = "md5 " + md5->hex();
    }
    if (size) {
        text += (text.empty() ? "" : ", ") + human_bytes(*size);
    }
    return text.empty() ? "any bytes" : text;
}

PartialFile::PartialFile(std::filesystem::path path,
                         const FilePromise& promise,
                         std::uint64_t max_bytes)
    : path_(std::move(path)), promise_(promise), max_bytes_(max_bytes) {}

std::uint64_t PartialFile::limit() const {
    return std::min(promise_.size.value_or(max_bytes_), max_bytes_);
}

Error PartialFile::refusal(std::uint64_t size) const {
    const bool promised = promise_.size && *promise_.size <= max_bytes_;
    return {ErrorKind::integrity,
            fmt::format("{} bytes or more, where {} {}",
                        size,
                        promised ? "the index promises" : "a file may have no more than",
                        limit())};
}

void PartialFile::hash(std::span<const std::byte> bytes) {
    sha256_->update(bytes);
    if (md5_) {
        md5_->update(bytes);
    }
}

Result<> PartialFile::take_up(const std::stop_token& stop) {
    std::uint64_t found = 0;
    CHM_TRY(const FileDescriptor file, open_leftover(path_, found));
    if (!file.is_open()) {
        return {};
    }
    if (found == 0 || found > limit() || !promise_.has_digest()) {
        return discard();
    }
    sha256_.emplace();
    if (!promise_.sha256) {
        md5_.emplace();
    }
    std::vector<std::byte> buffer(k_read_size);
    while (!stop.stop_requested()) {
        CHM_TRY(const std::size_t count, read_some(file, buffer, path_));
        if (count == 0) {
            pieced_ = true;
            return {};
        }
        hash(std::span<const std::byte>(buffer).first(count));
        size_ += count;
    }
    return fail(ErrorKind::interrupted, "interrupted");
}

ResumePoint PartialFile::start_try() {
    ++tries_;
    other_size_ = false;
    // Without a digest only a server that knows what it has sent may continue it.
    const bool may_continue = promise_.has_digest() || etag_.starts_with('"');
    asked_ = may_continue ? size_ : 0;
    return {asked_, etag_};
}

Result<> PartialFile::begin(const BodyStart& start) {
    answered_ = true;
    if (start.total &&
        (*start.total > limit() || start.total != promise_.size.value_or(*start.total))) {
        other_size_ = true;
        return fail(ErrorKind::integrity,
                    *start.total > limit() ? refusal(*start.total).message
                                           : fmt::format("{} bytes, where the index promises {}",
                                                         *start.total,
                                                         *promise_.size));
    }
    if (start.offset == 0) {
        CHM_CHECK(open_new());
    } else if (start.offset == size_ && start.offset == asked_) {
        CHM_CHECK(open_to_append());
    } else {
        return fail(ErrorKind::integrity,
                    fmt::format("asked for the bytes from {} on, answered with those from {} on",
                                asked_,
                                start.offset));
    }
    etag_ = start.etag;
    return {};
}

/// A new file, not the old one cut to nothing: whatever else names that keeps its bytes.
Result<> PartialFile::open_new() {
    CHM_CHECK(discard());
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    file_ = FileDescriptor(::open(path_.c_str(), flags, 0644));
    if (!file_.is_open()) {
        return fail(writing_error(path_));
    }
    sha256_.emplace();
    if (promise_.md5 && !promise_.sha256) {
        md5_.emplace();
    }
    return {};
}

Result<> PartialFile::open_to_append() {
    file_ = FileDescriptor(::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file_.is_open()) {
        return fail(writing_error(path_));
    }
    if (::lseek(file_.get(), 0, SEEK_END) != static_cast<off_t>(size_)) {
        return fail(ErrorKind::io,
                    fmt::format("writing {}: somebody else has changed it meanwhile; run again",
                                printable(path_.native(), 5000)));
    }
    pieced_ = true;
    return {};
}

Result<> PartialFile::write(std::span<const std::byte> bytes) {
    if (bytes.size() > limit() - size_) {
        return fail(refusal(size_ + bytes.size()));
    }
    CHM_CHECK(write_all(file_, bytes, path_));
    hash(bytes);
    size_ += bytes.size();
    return {};
}

Result<> PartialFile::end_try() {
    errno = file_.close();
    return errno == 0 ? Result<>() : Result<>(fail(writing_error(path_)));
}

PartialFile::Verdict PartialFile::check() {
    Verdict verdict;
    if (!sha256_) {
        verdict.wrong = "no bytes";
        return verdict;
    }
    verdict.sha256 = sha256_->finish();
    if (promise_.size && *promise_.size != size_) {
        verdict.wrong = fmt::format(
            "cut short after {} of {}", human_bytes(size_), human_bytes(*promise_.size));
    } else if (promise_.sha256 && *promise_.sha256 != verdict.sha256) {
        verdict.wrong = "sha256 " + verdict.sha256.hex();
    } else if (const Md5 md5 = md5_ ? md5_->finish() : Md5{}; md5_ && *promise_.md5 != md5) {
        verdict.wrong = "md5 " + md5.hex();
    }
    return verdict;
}

Result<> PartialFile::discard() {
    file_.close();
    sha256_.reset();
    md5_.reset();
    size_ = 0;
    pieced_ = false;
    etag_.clear();
    if (::unlink(path_.c_str()) != 0 && errno != ENOENT) {
        return fail(io_error("removing " + path_.native(), errno));
    }
    return {};
}

}  // namespace chm::channels
