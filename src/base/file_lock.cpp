// flock(2) with a patience, and the holder's name in the file. See the header.
#include "base/file_lock.hpp"

#include "base/json.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <sys/file.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace chm {

namespace {

constexpr std::chrono::milliseconds k_poll{100};
// A holder's text is under 1 kB; what is longer is not ours.
constexpr std::size_t k_longest_holder = 4096;

/// 0 when locked, else errno; EWOULDBLOCK when somebody else holds it.
int try_lock(int fd) {
    int result = 0;
    do {
        result = ::flock(fd, LOCK_EX | LOCK_NB);
    } while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

std::string host_name() {
    std::array<char, 256> buffer{};
    ::gethostname(buffer.data(), buffer.size() - 1);
    return buffer.data();
}

// The text is for messages only, so a full disk must not refuse the lock: errors are ignored, and
// the work that needed the lock will report them.
void write_holder(int fd, const std::string& purpose, WallTime since) {
    const Json holder(Json::Object{{"command", purpose},
                                   {"pid", std::int64_t{::getpid()}},
                                   {"host", host_name()},
                                   {"since", utc_text(since)}});
    const std::string text = to_json(holder) + "\n";
    if (::ftruncate(fd, 0) == 0) {
        [[maybe_unused]] const ssize_t ignored = ::pwrite(fd, text.data(), text.size(), 0);
    }
}

/// "chanmirror sync (pid 4711 on host gpu1, since …)". Anybody may have written the file.
std::string read_holder(int fd) {
    std::array<char, k_longest_holder> buffer{};
    const ssize_t count = ::pread(fd, buffer.data(), buffer.size(), 0);
    const auto holder =
        parse_json({buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))});
    if (!holder || holder->text("command").empty()) {
        return "another process";  // it has not written its name yet, or could not
    }
    const Json* pid = holder->find("pid");
    const std::int64_t* number = pid != nullptr ? pid->as_integer() : nullptr;
    return fmt::format("{} (pid {} on host {}, since {})",
                       printable(holder->text("command"), 100),
                       number != nullptr ? fmt::to_string(*number) : "unknown",
                       printable(holder->text("host"), 100),
                       printable(holder->text("since"), 40));
}

std::string root_of(const std::filesystem::path& lock) {
    const std::filesystem::path root = lock.has_parent_path() ? lock.parent_path() : ".";
    return printable(root.native(), 5000);
}

}  // namespace

Result<FileLock> FileLock::acquire(const std::filesystem::path& path,
                                   const Options& options,
                                   const Clock& clock) {
    FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (!file.is_open()) {
        return fail(io_error("opening the lock " + path.native(), errno));
    }
    // The waits are added up rather than read from the clock: a test's clock may stand still.
    std::chrono::milliseconds left = options.patience;
    int reason = try_lock(file.get());
    while (reason == EWOULDBLOCK && left > left.zero() && !options.stop.stop_requested()) {
        const std::chrono::milliseconds pause = std::min(left, k_poll);
        std::this_thread::sleep_for(pause);
        left -= pause;
        reason = try_lock(file.get());
    }
    if (reason == EWOULDBLOCK && options.stop.stop_requested()) {
        return fail(ErrorKind::interrupted,
                    fmt::format("stopped while waiting for mirror root {}, in use by {}",
                                root_of(path),
                                read_holder(file.get())));
    }
    if (reason == EWOULDBLOCK) {
        return fail(ErrorKind::locked,
                    fmt::format("mirror root {} is in use by {}; wait for it to end, or stop it",
                                root_of(path),
                                read_holder(file.get())));
    }
    if (reason != 0) {
        return fail(io_error("locking " + path.native(), reason));
    }
    write_holder(file.get(), options.purpose, clock.wall());
    return FileLock(std::move(file));
}

FileLock::FileLock(FileLock&& other) noexcept = default;

FileLock& FileLock::operator=(FileLock&& other) noexcept {
    if (this != &other) {
        release();
        file_ = std::move(other.file_);
    }
    return *this;
}

FileLock::~FileLock() {
    release();
}

void FileLock::release() noexcept {
    if (file_.is_open()) {
        [[maybe_unused]] const int ignored = ::ftruncate(file_.get(), 0);
        file_.close();  // the kernel drops the lock with the last descriptor
    }
}

}  // namespace chm
