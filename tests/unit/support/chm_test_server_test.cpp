// The program around LocalServer, run as the demo and the command-line tests run it.
#include "base/file.hpp"
#include "support/temp_dir.hpp"
#include "unit/support/raw_client.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using chm::test::get;
using chm::test::TempDir;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& path) {
    return chm::read_file(path, 1 << 20).value_or("");
}

template <class Condition>
bool becomes_true(Condition condition) {
    for (int i = 0; i < 2000; ++i) {
        if (condition()) {
            return true;
        }
        std::this_thread::sleep_for(5ms);
    }
    return false;
}

// A child process whose output goes to a file.
class Child {
public:
    Child(std::vector<std::string> words, const fs::path& out) {
        std::vector<char*> argv;
        argv.reserve(words.size() + 1);
        for (std::string& word : words) {
            argv.push_back(word.data());
        }
        argv.push_back(nullptr);
        const std::string out_name = out.string();
        pid_ = ::fork();
        if (pid_ == 0) {
            const int fd = ::open(out_name.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
            if (::dup2(fd, 1) < 0 || ::dup2(fd, 2) < 0) {
                ::_exit(126);
            }
            ::execv(argv[0], argv.data());
            ::_exit(127);
        }
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            wait();
        }
    }
    void signal(int number) const { ::kill(pid_, number); }
    /// The exit status; negative: the signal that ended it.
    int wait() {
        int status = 0;
        ::waitpid(std::exchange(pid_, -1), &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }
    [[nodiscard]] pid_t pid() const { return pid_; }

private:
    pid_t pid_ = -1;
};

struct Place {
    TempDir dir;
    fs::path root = dir / "root";
    fs::path port_file = dir / "port";
    fs::path log = dir / "log";
    fs::path out = dir / "out";

    Place() {
        fs::create_directory(root);
        std::ofstream(root / "f") << "text";
    }
    [[nodiscard]] std::vector<std::string> command(std::vector<std::string> more = {}) const {
        std::vector<std::string> words = {
            CHM_TEST_SERVER, root, "--port-file", port_file, "--log", log};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    [[nodiscard]] std::uint16_t port() const {
        REQUIRE(becomes_true([&] { return fs::exists(port_file); }));
        return static_cast<std::uint16_t>(std::stoi(text_of(port_file)));
    }
};

}  // namespace

TEST_CASE_FIXTURE(Place, "chm_test_server: says where it is, serves, logs and ends on SIGTERM") {
    Child child(command({"--url-file", dir / "url", "--pid-file", dir / "pid"}), out);
    const std::string url = "http://127.0.0.1:" + std::to_string(port()) + "\n";
    CHECK(text_of(dir / "url") == url);
    CHECK(text_of(dir / "pid") == std::to_string(child.pid()) + "\n");
    CHECK(becomes_true([&] { return text_of(out) == url; }));
    CHECK(get(port(), "/f").body == "text");
    CHECK(text_of(log) == "GET /f 200 4\n");
    CHECK(get(port(), "/no%0Ane").status == 404);
    CHECK(text_of(log).ends_with("\nGET /no\\x0ane 404 13\n"));
    child.signal(SIGTERM);
    CHECK(child.wait() == 0);
}

TEST_CASE_FIXTURE(Place, "chm_test_server: SIGHUP reads the script again, SIGINT ends") {
    const fs::path script = dir / "script";
    std::ofstream(script) << "/f status=503\n";
    Child child(command({"--script", script}), out);
    CHECK(get(port(), "/f").status == 503);
    std::ofstream(script) << "/f status=404\n";
    child.signal(SIGHUP);
    CHECK(becomes_true([&] { return get(port(), "/f").status == 404; }));
    std::ofstream(script) << "/f stattus=410\n";
    child.signal(SIGHUP);
    CHECK(becomes_true([&] { return text_of(out).find("keeps its script") != std::string::npos; }));
    CHECK(get(port(), "/f").status == 404);
    child.signal(SIGINT);
    CHECK(child.wait() == 0);
}

TEST_CASE_FIXTURE(Place, "chm_test_server: --die-with-parent leaves no server behind") {
    // The shell in between is the parent that is killed.
    const std::string line = std::string("\"") + CHM_TEST_SERVER + "\" \"" + root.string() +
                             "\" --die-with-parent --port-file \"" + port_file.string() +
                             "\" & wait";
    Child shell({"/bin/sh", "-c", line}, out);
    const std::uint16_t there = port();
    CHECK(get(there, "/f").status == 200);
    shell.signal(SIGKILL);
    shell.wait();
    CHECK(becomes_true([&] { return get(there, "/f").status == 0; }));
}

TEST_CASE_FIXTURE(Place, "chm_test_server: wrong arguments and scripts are refused") {
    CHECK(Child({CHM_TEST_SERVER}, out).wait() == 2);
    CHECK(Child({CHM_TEST_SERVER, root / "none"}, out).wait() == 2);
    CHECK(Child(command({"--colour"}), out).wait() == 2);
    CHECK(Child(command({"--script"}), out).wait() == 2);
    CHECK(Child(command({"--script", dir / "none"}), out).wait() == 1);
    std::ofstream(dir / "bad") << "\n/f cut=x\n";
    CHECK(Child(command({"--script", dir / "bad"}), out).wait() == 1);
    CHECK(text_of(out).find("bad: line 2: 'cut=x' is wrong") != std::string::npos);
}
