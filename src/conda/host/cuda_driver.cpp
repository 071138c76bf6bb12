// The child opens the library, writes one line into a pipe and ends; the parent reads that line as
// it would read a stranger's. The child's streams lead nowhere: the product goes to standard
// output, and drivers print there.
#include "conda/host/cuda_driver.hpp"

#include "base/file_descriptor.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utility>

namespace chm::conda {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t k_longest_answer = 512;
constexpr std::size_t k_longest_reason = 200;
constexpr int k_most_devices = 1024;
constexpr std::chrono::milliseconds k_time_to_end{1000};

// The CUDA driver API's own numbers (cuda.h).
constexpr int k_no_device = 100;        // CUDA_ERROR_NO_DEVICE
constexpr int k_capability_major = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
constexpr int k_capability_minor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR

// --- in the child -------------------------------------------------------------------------------

struct Capability {
    int major = 0;
    int minor = 0;

    auto operator<=>(const Capability&) const = default;
};

/// An open libcuda. Lines that its functions give are what the child answers.
class Library {
public:
    explicit Library(void* handle) : handle_(handle) {}

    [[nodiscard]] std::string answer() const {
        const auto version_of = function<int(int*)>("cuDriverGetVersion");
        const auto init = function<int(unsigned)>("cuInit");
        if (version_of == nullptr || init == nullptr) {
            return "broken it is no CUDA driver: it has no cuDriverGetVersion or no cuInit";
        }
        int version = 0;
        if (const int error = version_of(&version); error != 0) {
            return broken("cuDriverGetVersion", error);
        }
        const int error = init(0);
        if (error == k_no_device) {
            return fmt::format("found {} 0 0 0", version);  // a login node, or all are hidden
        }
        return error != 0 ? broken("cuInit", error) : with_devices(version);
    }

private:
    template <class Function>
    Function* function(const char* name) const {
        return reinterpret_cast<Function*>(::dlsym(handle_, name));
    }

    [[nodiscard]] std::string broken(std::string_view call, int error) const {
        const auto name_of = function<int(int, const char**)>("cuGetErrorName");
        const char* name = nullptr;
        if (name_of == nullptr || name_of(error, &name) != 0 || name == nullptr) {
            return fmt::format("broken {}: error {}", call, error);
        }
        return fmt::format("broken {}: {}", call, std::string_view(name, ::strnlen(name, 80)));
    }

    [[nodiscard]] std::string with_devices(int version) const {
        const auto count_of = function<int(int*)>("cuDeviceGetCount");
        const auto device_of = function<int(int*, int)>("cuDeviceGet");
        const auto attribute_of = function<int(int*, int, int)>("cuDeviceGetAttribute");
        if (count_of == nullptr || device_of == nullptr || attribute_of == nullptr) {
            return "broken it is no CUDA driver: it has no function for devices";
        }
        int count = 0;
        if (const int error = count_of(&count); error != 0) {
            return broken("cuDeviceGetCount", error);
        }
        Capability least{1000, 0};
        for (int index = 0; index < std::min(count, k_most_devices); ++index) {
            int device = 0;
            Capability one;
            if (const int error = device_of(&device, index); error != 0) {
                return broken("cuDeviceGet", error);
            }
            if (attribute_of(&one.major, k_capability_major, device) != 0 ||
                attribute_of(&one.minor, k_capability_minor, device) != 0) {
                return fmt::format("broken device {} does not tell its compute capability", index);
            }
            least = std::min(least, one);
        }
        return fmt::format("found {} {} {} {}", version, count, least.major, least.minor);
    }

    void* handle_;
};

/// The line to send: what the first library says that can be loaded.
std::string child_answer(const std::vector<std::string>& libraries) {
    std::string answer = "absent";
    for (const std::string& library : libraries) {
        if (void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL); handle != nullptr) {
            return Library(handle).answer();
        }
        const char* message = ::dlerror();  // NOLINT(concurrency-mt-unsafe): one thread
        const std::string why = message != nullptr ? message : "dlopen failed";
        // glibc's words for "there is none"; of a library that another one lacks it names that.
        const bool absent =
            why.starts_with(library + ": cannot open shared object file: No such file");
        if (!absent && answer == "absent") {
            answer = "broken it cannot be loaded: " + printable(why, k_longest_reason);
        }
    }
    return answer;
}

/// A child of its own: no terminal, the usual signals, no core file, and never longer than us.
void detach_child(pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) {
        ::_exit(1);  // it ended before the line above
    }
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) {
        ::signal(signal, SIG_DFL);
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (nowhere < 0 || ::dup2(nowhere, stream) < 0) {
            ::close(stream);
        }
    }
}

[[noreturn]] void run_child(int pipe, pid_t parent, const std::vector<std::string>& libraries) {
    detach_child(parent);
    std::string line = child_answer(libraries);
    std::ranges::replace(line, '\n', ' ');
    line.resize(std::min(line.size(), k_longest_answer - 1));
    line += '\n';
    // At most PIPE_BUF bytes into an empty pipe: written whole, or nobody reads it any more.
    const ssize_t written = ::write(pipe, line.data(), line.size());
    ::_exit(written < 0 ? 1 : 0);  // without the exit handlers of the parent's copy
}

// --- in the parent ------------------------------------------------------------------------------

struct Pipe {
    FileDescriptor read_end;
    FileDescriptor write_end;
};

/// The streams are replaced in the child, so an end of the pipe must not be one of them: that
/// happens in a process that was started without some.
FileDescriptor beside_streams(int fd) {
    FileDescriptor given(fd);
    if (fd > STDERR_FILENO) {
        return given;
    }
    return FileDescriptor(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

std::optional<Pipe> open_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return std::nullopt;
    }
    Pipe pipe{beside_streams(ends[0]), beside_streams(ends[1])};
    return pipe.read_end.is_open() && pipe.write_end.is_open() ? std::optional(std::move(pipe))
                                                               : std::nullopt;
}

/// What came up to the end of the line; without one what there was when the child or the time
/// ended.
struct Heard {
    std::string text;
    bool in_time = true;
};

Heard hear(const FileDescriptor& pipe, Clock::time_point deadline) {
    Heard heard;
    while (heard.text.size() < k_longest_answer && heard.text.find('\n') == std::string::npos) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        pollfd readable{.fd = pipe.get(), .events = POLLIN, .revents = 0};
        const int ready =
            left.count() > 0 ? ::poll(&readable, 1, static_cast<int>(left.count())) : 0;
        if (ready < 0 && errno == EINTR) {
            continue;
        }
        if (ready <= 0) {
            heard.in_time = false;
            break;
        }
        std::array<char, k_longest_answer> buffer{};
        const auto count = read_some(pipe, std::as_writable_bytes(std::span(buffer)), "the child");
        if (!count || *count == 0) {
            break;
        }
        heard.text.append(buffer.data(), *count);
    }
    return heard;
}

/// Reaps the child, killing it if it has not ended by itself when `patience` is over. One that is
/// stuck inside the kernel cannot be killed: it is left to init after a second. The status of
/// waitpid(2), if there is one.
std::optional<int> end_child(pid_t child, std::chrono::milliseconds patience) {
    constexpr timespec k_pause{0, 2'000'000};
    const auto kill_at = Clock::now() + patience;
    const auto leave_at = kill_at + k_time_to_end;
    bool killed = false;
    while (true) {
        int status = 0;
        const pid_t ended = ::waitpid(child, &status, WNOHANG);
        if (ended == child) {
            return status;
        }
        if ((ended < 0 && errno != EINTR) || Clock::now() > leave_at) {
            return std::nullopt;
        }
        if (!killed && Clock::now() >= kill_at) {
            ::kill(child, SIGKILL);
            killed = true;
        }
        ::nanosleep(&k_pause, nullptr);
    }
}

std::optional<std::array<int, 4>> four_numbers(std::string_view text) {
    const std::vector<std::string_view> fields = split(text, ' ');
    std::array<int, 4> numbers{};
    if (fields.size() != numbers.size()) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const char* const end = fields[i].data() + fields[i].size();
        const auto [rest, error] = std::from_chars(fields[i].data(), end, numbers[i]);
        if (error != std::errc() || rest != end || numbers[i] < 0) {
            return std::nullopt;
        }
    }
    return numbers;
}

/// The child's line without its end. cuDriverGetVersion counts 1000 for a major, 10 for a minor
/// version.
CudaAnswer understand(std::string_view line) {
    constexpr std::string_view k_broken = "broken ";
    constexpr std::string_view k_found = "found ";
    if (line == "absent") {
        return NoCudaDriver{};
    }
    if (line.starts_with(k_broken)) {
        return BrokenCudaDriver{printable(line.substr(k_broken.size()), k_longest_reason)};
    }
    const auto numbers = four_numbers(line.starts_with(k_found) ? line.substr(k_found.size()) : "");
    if (!numbers) {
        return BrokenCudaDriver{"its answer makes no sense"};
    }
    const auto [version, devices, major, minor] = *numbers;
    if (version < 1000 || version > 999'999 || devices > k_most_devices || major > 999 ||
        minor > 99 || (devices > 0 && major == 0)) {
        return BrokenCudaDriver{"its answer makes no sense"};
    }
    CudaDriver driver;
    driver.version = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
    driver.devices = static_cast<unsigned>(devices);
    if (devices > 0) {
        driver.compute_capability = fmt::format("{}.{}", major, minor);
    }
    return driver;
}

std::string how_it_ended(std::optional<int> status) {
    if (status && WIFSIGNALED(*status)) {
        return fmt::format("it crashes (signal {})", WTERMSIG(*status));
    }
    if (status && WIFEXITED(*status)) {
        return fmt::format("it ends the process (status {})", WEXITSTATUS(*status));
    }
    return "it ends without an answer";
}

}  // namespace

CudaAnswer ask_cuda_driver(const CudaProbe& probe) {
    auto pipe = open_pipe();
    if (!pipe) {
        return BrokenCudaDriver{"no pipe to ask it through"};
    }
    const auto deadline = Clock::now() + probe.time_limit;
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) {
        return BrokenCudaDriver{"no process to ask it in"};
    }
    if (child == 0) {
        run_child(pipe->write_end.get(), parent, probe.libraries);
    }
    pipe->write_end.close();
    const Heard heard = hear(pipe->read_end, deadline);
    const bool answered = heard.text.ends_with('\n');
    const bool ends_itself = answered || heard.in_time;
    const auto status =
        end_child(child, ends_itself ? k_time_to_end : std::chrono::milliseconds(0));
    if (answered) {
        return understand(std::string_view(heard.text).substr(0, heard.text.size() - 1));
    }
    return BrokenCudaDriver{
        heard.in_time ? how_it_ended(status)
                      : fmt::format("nothing within {}", human_duration(probe.time_limit))};
}

}  // namespace chm::conda
