// fetch_packages() in a process of its own, for tests that kill it or take its disk away: a fork of the
// test itself would share its threads.
//
//     chm_fetch_files ROOT FILE_LIMIT RETRY_DELAY_MS {URL SHA256 SIZE}...
//
// No file may grow beyond FILE_LIMIT bytes (0: no limit), as on a full disk. Exits with 0 when the fetch
// came to an end, else with 1 and the error on standard error.
#include "channels/curl_transport.hpp"
#include "channels/package_fetch.hpp"
#include "support/recording_reporter.hpp"

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <sys/resource.h>

namespace {

std::uint64_t number(std::string_view text) {
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

void limit_files(std::uint64_t bytes) {
    static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace

int main(int count, char** words) {
    using namespace chm;
    const std::vector<std::string> arguments(words + 1, words + count);
    if (arguments.size() < 6 || arguments.size() % 3 != 0) {
        static_cast<void>(std::fputs("usage: see the source\n", stderr));
        return 2;
    }
    if (const std::uint64_t limit = number(arguments[1]); limit > 0) {
        limit_files(limit);
    }
    channels::CurlOptions options;
    options.retry.base_delay = std::chrono::milliseconds(number(arguments[2]));
    options.retry.retries = 2;
    std::vector<channels::PackageRequest> requests;
    for (std::size_t i = 3; i < arguments.size(); i += 3) {
        channels::PackageRequest& request = requests.emplace_back();
        request.label = arguments[i];
        request.sources.push_back({arguments[i], {}});
        request.sha256 = Sha256::from_hex(arguments[i + 1]).value_or(Sha256{});
        request.size = number(arguments[i + 2]);
    }
    const SystemClock clock;
    test::RecordingReporter reporter;
    const auto transport = channels::make_curl_transport(options, clock);
    const channels::ObjectStore store(arguments[0]);
    const auto outcomes = channels::fetch_packages(requests,
                                                   store,
                                                   {arguments[0] + "/state/partial", 64 << 20},
                                                   {*transport, clock, reporter, {}});
    if (!outcomes) {
        static_cast<void>(std::fputs((outcomes.error().message + "\n").c_str(), stderr));
    }
    return outcomes ? 0 : 1;
}
