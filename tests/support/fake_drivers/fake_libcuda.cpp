// A libcuda.so.1 that behaves as its FAKE_BEHAVIOUR says; built once for each (CMakeLists.txt).
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <unistd.h>

namespace {

constexpr std::string_view k_behaviour = FAKE_BEHAVIOUR;

void say(const char* text) {
    static_cast<void>(::write(STDOUT_FILENO, text, std::strlen(text)) +
                      ::write(STDERR_FILENO, text, std::strlen(text)));
}

}  // namespace

// The driver API's own names.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {

int cuDriverGetVersion(int* version) {
    *version = k_behaviour == "nonsense" ? -7 : 12040;
    return k_behaviour == "no_version" ? 1 : 0;
}

int cuInit(unsigned) {
    if (k_behaviour == "hangs") {
        std::this_thread::sleep_for(std::chrono::hours(1));
    } else if (k_behaviour == "crashes") {
        std::abort();
    } else if (k_behaviour == "ends") {
        ::_exit(3);
    } else if (k_behaviour == "error") {
        return 803;
    } else if (k_behaviour == "no_devices") {
        return 100;
    } else if (k_behaviour == "good") {
        say("a driver that talks\n");
    }
    return 0;
}

int cuGetErrorName(int error, const char** name) {
    *name = error == 803 ? "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH\n\x1b[2J" : nullptr;
    return error == 803 ? 0 : 1;
}

int cuDeviceGetCount(int* count) {
    *count = k_behaviour == "good" ? 3 : 0;
    return 0;
}

// Handles are no indexes.
int cuDeviceGet(int* device, int index) {
    *device = index + 40;
    return index < 3 ? 0 : 1;
}

/// Devices of 9.0, 8.6 and 10.0.
int cuDeviceGetAttribute(int* value, int attribute, int device) {
    constexpr int k_capabilities[3][2] = {{9, 0}, {8, 6}, {10, 0}};
    if (device < 40 || device > 42 || attribute < 75 || attribute > 76) {
        return 1;
    }
    *value = k_capabilities[device - 40][attribute - 75];
    return 0;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
