// upstreams.cpp: which addresses a channel has, how fast they are, and which is asked first.
#include "channels/upstreams.hpp"

#include "base/atomic_file.hpp"
#include "support/fake_clock.hpp"
#include "support/fake_transport.hpp"
#include "support/recording_reporter.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace chm::channels {
namespace {

using namespace std::chrono_literals;

const conda::Channel k_c{"c", "https://conda.anaconda.org/c"};

std::vector<std::string> urls(const std::vector<Upstream>& upstreams) {
    std::vector<std::string> result;
    for (const Upstream& upstream : upstreams) {
        result.push_back(upstream.channel_url);
    }
    return result;
}
using Urls = std::vector<std::string>;

TEST_CASE("upstreams: the channel's own entries, then the default's, then the canonical URL") {
    config::Settings settings;
    const conda::Channel label{"nvidia/label/x", "https://conda.anaconda.org/nvidia/label/x"};
    const conda::Channel elsewhere{"host/y", "https://host/y"};
    CHECK(urls(upstreams_of(settings, label)) == Urls{label.url});
    settings.upstreams = {{"default", "https://mirror/"},
                          {"nvidia/label/x", "https://own//", {Secret("u:p"), std::nullopt}},
                          {"default", "https://second"},
                          {"nvidia/label/x", "https://other"}};
    CHECK(urls(upstreams_of(settings, k_c)) == Urls{"https://mirror/c", "https://second/c"});
    CHECK(urls(upstreams_of(settings, label)) ==
          Urls{"https://own/nvidia/label/x", "https://other/nvidia/label/x"});
    CHECK(upstreams_of(settings, label)[0].credentials.user_password == Secret("u:p"));
    CHECK(upstreams_of(settings, label)[1].credentials.empty());
    CHECK(urls(upstreams_of(settings, elsewhere)) == Urls{"https://host/y"});
}

TEST_CASE("upstreams: a faster one overtakes only by a factor") {
    std::vector<Upstream> upstreams = {{"a"}, {"b"}, {"c"}, {"d"}};
    const UpstreamSpeeds speeds = {
        {"a", {1'000'000, {}}}, {"b", {0, {}}}, {"c", {9'000'000, {}}}, {"d", {1'020'000, {}}}};
    rank(upstreams, speeds);
    CHECK(urls(upstreams) == Urls{"c", "a", "d", "b"});
}

TEST_CASE("upstreams: a measurement counts for a week") {
    const WallTime now(1000h);
    UpstreamSpeeds speeds = {{"a", {1, now - 24h}}, {"b", {1, now}}};
    CHECK_FALSE(needs_measuring({{"a"}, {"b"}}, speeds, now));
    CHECK(needs_measuring({{"a"}, {"c"}}, speeds, now));
    CHECK_FALSE(needs_measuring({{"c"}}, speeds, now));
    CHECK(needs_measuring({{"a"}, {"b"}}, speeds, now + 24h * 6));
    speeds["a"].measured = now + 1h;  // the clock was turned back
    CHECK(needs_measuring({{"a"}, {"b"}}, speeds, now));
}

TEST_CASE("upstreams: what is measured is the beginning of an index, once") {
    test::FakeTransport transport;
    test::FakeClock clock;
    test::RecordingReporter reporter;
    transport.answer("https://a/c/noarch/repodata.json.zst", std::string(3 << 20, 'x'));
    transport.answer("https://b/c/noarch/repodata.json.zst", std::string(1000, 'x'));
    transport.answer("https://d/c/noarch/repodata.json.zst",
                     fail(ErrorKind::network, "d: nobody there"));
    UpstreamSpeeds speeds;
    transport.answer("https://plain/c/noarch/repodata.json", std::string(1000, 'x'));
    measure_speeds({{"https://a/c"},
                    {"https://b/c"},
                    {"https://lacks-it/c"},
                    {"https://plain/c"},
                    {"https://d/c"}},
                   speeds,
                   {transport, clock, reporter, {}});
    CHECK(transport.requests().size() == 7);
    CHECK(speeds.at("https://a/c").bytes_per_second > 0);
    CHECK(speeds.at("https://a/c").measured == clock.wall());
    CHECK(speeds.at("https://b/c").bytes_per_second > 0);
    CHECK(speeds.at("https://plain/c").bytes_per_second > 0);
    CHECK(speeds.at("https://lacks-it/c").bytes_per_second == 0);
    CHECK(speeds.at("https://d/c").bytes_per_second == 0);
    for (const TransferRequest& request : transport.requests()) {
        CHECK(request.max_retries == 0U);
        CHECK(request.time_limit > 0s);
    }
}

TEST_CASE("upstreams: speeds are kept, and a damaged file is none") {
    const test::TempDir directory;
    const auto path = directory / "state/upstream-speeds.json";
    CHECK(read_upstream_speeds(path).empty());
    const UpstreamSpeeds speeds = {{"https://a/c", {123, WallTime(5s)}},
                                   {"https://b/c", {0, WallTime(6s)}}};
    REQUIRE(write_upstream_speeds(path, speeds));
    const UpstreamSpeeds read = read_upstream_speeds(path);
    REQUIRE(read.size() == 2);
    CHECK(read.at("https://a/c").bytes_per_second == 123);
    CHECK(read.at("https://a/c").measured == WallTime(5s));
    for (const std::string text :
         {"",
          "{}",
          "[1]",
          R"({"format":2,"upstreams":{"a":{"bytes_per_second":1,"measured":1}}})",
          R"({"format":1,"upstreams":[]})",
          R"({"format":1,"upstreams":{"a":{"bytes_per_second":-1,"measured":1},"b":[]}})"}) {
        REQUIRE(write_file_atomically(path, text));
        CHECK(read_upstream_speeds(path).empty());
    }
}

}  // namespace
}  // namespace chm::channels
