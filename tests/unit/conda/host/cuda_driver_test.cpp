// Drivers that answer, lie, crash and hang: libraries of fake_libcuda.cpp.
#include "conda/host/cuda_driver.hpp"

#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>

using namespace chm::conda;
using namespace std::chrono_literals;

namespace {

std::string fake(const std::string& behaviour) {
    return std::string(CHM_FAKE_DRIVERS) + "/" + behaviour + "/libcuda.so.1";
}

CudaAnswer ask(const std::string& library, std::chrono::milliseconds time_limit = 20s) {
    return ask_cuda_driver({{library}, time_limit});
}

/// Why the driver is broken; empty when it is not.
std::string why(const CudaAnswer& answer) {
    const auto* broken = std::get_if<BrokenCudaDriver>(&answer);
    return broken != nullptr ? broken->why : "";
}

bool has_children() {
    return ::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD;
}

}  // namespace

TEST_CASE("cuda driver: the driver's version and its least device") {
    const CudaAnswer answer = ask(fake("good"));
    REQUIRE(std::holds_alternative<CudaDriver>(answer));
    CHECK(std::get<CudaDriver>(answer) == CudaDriver{"12.4", 3, "8.6"});
    CHECK_FALSE(has_children());
}

TEST_CASE("cuda driver: none without a library") {
    CHECK(std::holds_alternative<NoCudaDriver>(ask("libchm-no-such-driver.so.1")));
    CHECK(std::holds_alternative<NoCudaDriver>(ask("/nowhere/libcuda.so.1")));
    CHECK(std::holds_alternative<NoCudaDriver>(ask_cuda_driver({{}, 20s})));
    CHECK_FALSE(has_children());
}

TEST_CASE("cuda driver: the first library that can be loaded answers") {
    const chm::test::TempDir folder;
    std::ofstream(folder / "libcuda.so.1") << "of another machine";
    CHECK(std::holds_alternative<CudaDriver>(
        ask_cuda_driver({{folder / "libcuda.so.1", fake("good")}, 20s})));
    CHECK(why(ask_cuda_driver({{folder / "libcuda.so.1", "/nowhere/libcuda.so.1"}, 20s}))
              .starts_with("it cannot be loaded: "));
    CHECK(std::holds_alternative<CudaDriver>(
        ask_cuda_driver({{"/nowhere/libcuda.so.1", fake("good"), fake("crashes")}, 20s})));
}

TEST_CASE("cuda driver: a driver without devices has a version and no capability") {
    CHECK(std::get<CudaDriver>(ask(fake("no_devices"))) == CudaDriver{"12.4", 0, std::nullopt});
}

TEST_CASE("cuda driver: an error is told by its name, as harmless text") {
    const std::string text = why(ask(fake("error")));
    CHECK(text.starts_with("cuInit: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"));
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find('\n') == std::string::npos);
    CHECK(why(ask(fake("no_version"))) == "cuDriverGetVersion: error 1");
}

TEST_CASE("cuda driver: what makes no sense is no driver") {
    CHECK(why(ask(fake("nonsense"))) == "its answer makes no sense");
    CHECK(why(ask(fake("no_driver"))).starts_with("it is no CUDA driver"));
    const chm::test::TempDir folder;
    std::ofstream(folder / "libcuda.so.1") << "not a library";
    CHECK(why(ask(folder / "libcuda.so.1")).starts_with("it cannot be loaded: "));
}

TEST_CASE("cuda driver: one that crashes or ends the process takes only its child along") {
    CHECK(why(ask(fake("crashes"))) == "it crashes (signal 6)");
    CHECK(why(ask(fake("ends"))) == "it ends the process (status 3)");
    CHECK_FALSE(has_children());
}

TEST_CASE("cuda driver: one that hangs is left after the time limit, and no child stays") {
    const auto begin = std::chrono::steady_clock::now();
    CHECK(why(ask(fake("hangs"), 300ms)) == "nothing within 300 ms");
    CHECK(std::chrono::steady_clock::now() - begin < 10s);
    CHECK(std::chrono::steady_clock::now() - begin >= 300ms);
    CHECK_FALSE(has_children());
}
