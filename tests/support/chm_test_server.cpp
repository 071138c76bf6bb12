// LocalServer as a program, for the demo and the command-line tests: serves DIR until SIGTERM or
// SIGINT, re-reads its script at SIGHUP.
#include "base/atomic_file.hpp"
#include "base/file.hpp"
#include "base/file_descriptor.hpp"
#include "base/text.hpp"
#include "support/http_script.hpp"
#include "support/local_server.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <optional>
#include <pthread.h>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace chm::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t k_max_script = 1 << 20;
constexpr std::size_t k_max_path = 4096;
constexpr std::string_view k_usage =
    "usage: chm_test_server DIR [--script FILE] [--port-file FILE] [--url-file FILE]\n"
    "                           [--log FILE] [--pid-file FILE] [--die-with-parent]\n"
    "Serves DIR on 127.0.0.1 until SIGTERM, and prints its URL. tests/support/http_script.hpp\n"
    "describes scripts; SIGHUP reads the script again. The log gets 'METHOD PATH STATUS BYTES'.\n";

struct Options {
    fs::path directory;
    std::optional<fs::path> script;
    std::optional<fs::path> port_file;
    std::optional<fs::path> url_file;
    std::optional<fs::path> log;
    std::optional<fs::path> pid_file;
    bool die_with_parent = false;
};

Result<Options> parse_options(int argc, char** argv) {
    Options options;
    const std::map<std::string_view, std::optional<fs::path>*> files = {
        {"--script", &options.script},
        {"--port-file", &options.port_file},
        {"--url-file", &options.url_file},
        {"--log", &options.log},
        {"--pid-file", &options.pid_file}};
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (const auto file = files.find(word); file != files.end()) {
            if (++i == argc) {
                return fail(ErrorKind::usage, fmt::format("{} needs a file", word));
            }
            *file->second = argv[i];
        } else if (word == "--die-with-parent") {
            options.die_with_parent = true;
        } else if (!word.starts_with('-') && options.directory.empty()) {
            options.directory = word;
        } else {
            return fail(ErrorKind::usage, fmt::format("unexpected argument '{}'", word));
        }
    }
    std::error_code ignored;
    if (!fs::is_directory(options.directory, ignored)) {
        return fail(ErrorKind::usage,
                    fmt::format("no directory '{}' to serve", options.directory.string()));
    }
    return options;
}

Result<Script> load_script(const std::optional<fs::path>& path) {
    if (!path) {
        return Script{};
    }
    CHM_TRY(const std::string text, read_file(*path, k_max_script));
    Result<Script> script = parse_script(text);
    return script ? std::move(script)
                  : Result<Script>(fail(with_context(std::move(script).error(), path->string())));
}

// One write(2) a line: complete at once, and appended even if a test truncates the file meanwhile.
class Log {
public:
    static Result<Log> open(const std::optional<fs::path>& path) {
        if (!path) {
            return Log(FileDescriptor());
        }
        FileDescriptor fd(::open(path->c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
        if (!fd.is_open()) {
            return fail(io_error("cannot open " + path->string(), errno));
        }
        return Log(std::move(fd));
    }

    void write(const RequestRecord& record) const {
        if (!fd_.is_open()) {
            return;
        }
        const std::string line = fmt::format("{} {} {} {}\n",
                                             printable(record.method),
                                             printable(record.path, k_max_path),
                                             record.status,
                                             record.bytes_sent);
        if (::write(fd_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
            fmt::print(stderr, "chm_test_server: cannot write to the log\n");
        }
    }

private:
    explicit Log(FileDescriptor fd) : fd_(std::move(fd)) {}
    FileDescriptor fd_;
};

Result<> write_line(const std::optional<fs::path>& path, std::string_view text) {
    return path ? write_file_atomically(*path, fmt::format("{}\n", text)) : Result<>();
}

// The kernel sends SIGTERM at the death of the thread that started us.
Result<> follow_parent(pid_t parent) {
    if (::prctl(PR_SET_PDEATHSIG, SIGTERM) != 0) {
        return fail(io_error("cannot follow the parent", errno));
    }
    // It may have died before that call.
    return ::getppid() == parent ? Result<>()
                                 : Result<>(fail(ErrorKind::interrupted, "the parent is gone"));
}

Result<> serve(const Options& options, const sigset_t& signals) {
    CHM_TRY(Script script, load_script(options.script));
    CHM_TRY(const Log log, Log::open(options.log));
    LocalServer server(options.directory,
                       [&log](const RequestRecord& record) { log.write(record); });
    server.set_script(std::move(script));
    CHM_CHECK(write_line(options.pid_file, std::to_string(::getpid())));
    CHM_CHECK(write_line(options.url_file, server.url()));
    CHM_CHECK(write_line(options.port_file, std::to_string(server.port())));
    fmt::print("{}\n", server.url());
    std::fflush(stdout);
    int signal = 0;
    while (::sigwait(&signals, &signal) == 0 && signal == SIGHUP) {
        Result<Script> again = load_script(options.script);
        if (again) {
            server.set_script(std::move(*again));
        } else {
            fmt::print(stderr, "chm_test_server: keeps its script: {}\n", again.error().message);
        }
    }
    return {};
}

Result<> run(int argc, char** argv) {
    const pid_t parent = ::getppid();
    CHM_TRY(const Options options, parse_options(argc, argv));
    // Before any thread starts, so that all inherit the mask and sigwait sees every signal.
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
        sigaddset(&signals, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    if (options.die_with_parent) {
        CHM_CHECK(follow_parent(parent));
    }
    return serve(options, signals);
}

}  // namespace
}  // namespace chm::test

int main(int argc, char** argv) {
    try {
        const chm::Result<> done = chm::test::run(argc, argv);
        if (done) {
            return 0;
        }
        fmt::print(stderr, "chm_test_server: {}\n", done.error().message);
        if (done.error().kind == chm::ErrorKind::usage) {
            fmt::print(stderr, "{}", chm::test::k_usage);
            return 2;
        }
    } catch (const std::exception& error) {
        fmt::print(stderr, "chm_test_server: {}\n", error.what());
    }
    return 1;
}
