// The transport alone against the scripted server; what sync makes of it is in tests/integration.
#include "channels/curl_transport.hpp"

#include "base/atomic_file.hpp"
#include "base/file.hpp"
#include "support/local_server.hpp"
#include "support/recording_reporter.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>

namespace chm::channels {
namespace {

using namespace std::chrono_literals;
using test::Rule;

class Fixture {
public:
    Fixture() {
        options.retry.base_delay = 1ms;
        options.retry.retries = 2;
        put("a", "body of a");
    }

    void put(const std::string& name, const std::string& body) {
        REQUIRE(make_directories((directory.path() / name).parent_path()));
        REQUIRE(write_file_atomically(directory.path() / name, body));
    }
    [[nodiscard]] static TransferRequest request(std::string url) {
        TransferRequest request;
        request.label = url;
        request.url = std::move(url);
        request.max_bytes = 1 << 20;
        return request;
    }
    std::vector<Result<TransferResponse>> run(const std::vector<TransferRequest>& requests,
                                              const std::stop_token& stop = {}) {
        reporter.clear();
        server.clear_requests();
        return make_curl_transport(options, clock)->fetch(requests, reporter, stop);
    }
    Result<TransferResponse> get(const TransferRequest& wanted) {
        return std::move(run({wanted})[0]);
    }
    Result<TransferResponse> get(const std::string& path) { return get(request(server.url(path))); }

    test::TempDir directory;
    test::LocalServer server{directory.path()};
    SystemClock clock;
    test::RecordingReporter reporter;
    CurlOptions options;
};

TEST_CASE_FIXTURE(Fixture, "curl_transport: a body with its validators") {
    const auto response = get("/a");
    REQUIRE_MESSAGE(response, response.error().message);
    CHECK(response->status == 200);
    CHECK(response->body == "body of a");
    CHECK_FALSE(response->validators.etag.empty());
    CHECK_FALSE(response->validators.last_modified.empty());
    CHECK(response->url == server.url("/a"));
    const test::RequestRecord asked = server.requests()[0];
    CHECK(asked.header("user-agent").value_or("").starts_with("chanmirror/"));
    CHECK_FALSE(asked.header("accept-encoding"));
}

TEST_CASE_FIXTURE(Fixture, "curl_transport: progress begins, moves and ends once per transfer") {
    static_cast<void>(get("/a"));
    CHECK(reporter.all<TransferBegan>().size() == 1);
    REQUIRE(reporter.all<TransferEnded>().size() == 1);
    CHECK(reporter.all<TransferEnded>()[0].outcome == TransferOutcome::done);
    CHECK(reporter.all<TransferEnded>()[0].bytes == 9);
    REQUIRE_FALSE(reporter.all<TransferMoved>().empty());
    CHECK(reporter.all<TransferMoved>().back().bytes == 9);
    CHECK(reporter.all<TransferMoved>().back().expected_bytes == 9);
    static_cast<void>(get("/none"));
    CHECK(reporter.all<TransferEnded>()[0].outcome == TransferOutcome::missing);
}

TEST_CASE_FIXTURE(Fixture, "curl_transport: conditional requests, by ETag or else by date") {
    const Validators validators = get("/a")->validators;
    TransferRequest again = request(server.url("/a"));
    again.validators = validators;
    CHECK(get(again)->status == 304);
    CHECK(reporter.all<TransferEnded>()[0].outcome == TransferOutcome::unchanged);
    CHECK(server.requests()[0].header("if-none-match") == validators.etag);
    CHECK_FALSE(server.requests()[0].header("if-modified-since"));
    again.validators.etag.clear();
    CHECK(get(again)->status == 304);
    CHECK(server.requests()[0].header("if-modified-since") == validators.last_modified);
    again.validators.etag = "\"other\"";
    CHECK(get(again)->status == 200);
}

TEST_CASE_FIXTURE(Fixture, "curl_transport: final statuses are answers and are not tried again") {
    for (const int status : {400, 401, 403, 404, 410, 501}) {
        CAPTURE(status);
        server.set_script({{Rule{.status = status}}});
        const auto response = get("/a");
        REQUIRE(response);
        CHECK(response->status == status);
        CHECK(server.requests().size() == 1);
    }
}

TEST_CASE_FIXTURE(
    Fixture,
    "curl_transport: passing statuses are tried again, then an error with the URL and the tries") {
    for (const int status : {408, 425, 429, 500, 502, 503, 504, 520}) {
        CAPTURE(status);
        server.set_script({{Rule{.status = status}}});
        const auto response = get("/a");
        REQUIRE_FALSE(response);
        CHECK(response.error().kind == ErrorKind::network);
        CHECK(response.error().message.starts_with(server.url("/a") + ": the server answered "));
        CHECK(response.error().message.find("(3 tries)") != std::string::npos);
        CHECK(server.requests().size() == 3);
        CHECK(reporter.details().size() == 2);
        CHECK(reporter.all<TransferBegan>().size() == 1);
        REQUIRE(reporter.all<TransferEnded>().size() == 1);
        CHECK(reporter.all<TransferEnded>()[0].outcome == TransferOutcome::failed);
    }
    server.set_script({{Rule{.times = 2, .status = 503}}});
    CHECK(get("/a")->body == "body of a");
}

TEST_CASE_FIXTURE(Fixture, "curl_transport: Retry-After is waited for") {
    server.set_script({{Rule{.times = 1, .status = 429, .retry_after = 1}}});
    const auto began = std::chrono::steady_clock::now();
    CHECK(get("/a"));
    CHECK(std::chrono::steady_clock::now() - began >= 1s);
    CHECK(server.requests().size() == 2);
    server.set_script({{Rule{.times = 1, .status = 429, .retry_after = 3600}}});
    const auto refused = get("/a");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("asked to wait 1 h") != std::string::npos);
    CHECK(server.requests().size() == 1);
}

TEST_CASE_FIXTURE(Fixture, "curl_transport: a broken try leaves nothing in the next one's body") {
    put("big", std::string(200'000, 'x'));
    for (const Rule& rule : {Rule{.times = 2, .cut = 1000},
                             Rule{.times = 2, .reset = 1000},
                             Rule{.times = 2, .close = true}}) {
        server.set_script({{rule}});
        const auto response = get("/big");
        REQUIRE_MESSAGE(response, response.error().message);
        CHECK(response->body == std::string(200'000, 'x'));
        CHECK(server.requests().size() == 3);
    }
}

TEST_CASE_FIXTURE(Fixture, "curl_transport: a body over the limit is an integrity error at once") {
    TransferRequest small = request(server.url("/a"));
    small.max_bytes = 9;
    CHECK(get(small));
    small.max_bytes = 8;
    const auto response = get(small);
    REQUIRE_FALSE(response);
    CHECK(response.error().kind == ErrorKind::integrity);
    CHECK(response.error().message.find(server.url("/a")) != std::string::npos);
    CHECK(server.requests().size() == 1);
    // Without a Content-Length it shows only as it grows.
    put("endless", std::string(3'000'000, 'x'));
    server.set_script({{Rule{.headers = {{"Content-Length", ""}}}}});
    CHECK(get("/endless").error().kind == ErrorKind::integrity);
}

TEST_CASE_FIXTURE(Fixture, "curl_transport: redirects are followed, loops are not") {
    server.set_script(
        {{Rule{.glob = "/old", .redirect = "/a"}, Rule{.glob = "/loop", .redirect = "/loop"}}});
    const auto response = get("/old");
    REQUIRE(response);
    CHECK(response->body == "body of a");
    CHECK(response->url == server.url("/a"));
    const auto loop = get("/loop");
    REQUIRE_FALSE(loop);
    CHECK(loop.error().kind == ErrorKind::network);
    CHECK(loop.error().message.find("/loop") != std::string::npos);
    CHECK(server.requests().size() == 9);
}

TEST_CASE_FIXTURE(Fixture,
                  "curl_transport: what a redirect says of itself is not taken for the file's") {
    server.set_script(
        {{Rule{.glob = "/old", .redirect = "/a", .headers = {{"ETag", "\"redirect\""}}},
          Rule{.glob = "/a", .no_etag = true}}});
    CHECK(get("/old")->validators.etag.empty());
}

TEST_CASE_FIXTURE(Fixture,
                  "curl_transport: no redirect leads to a local file or another protocol") {
    put("secret", "secret");
    for (const std::string& target :
         {"file://" + (directory / "secret").string(), std::string("ftp://127.0.0.1:1/x")}) {
        server.set_script({{Rule{.redirect = target}}});
        const auto response = get("/a");
        REQUIRE_FALSE(response);
        CHECK(response.error().kind == ErrorKind::network);
        CHECK(server.requests().size() == 1);
    }
}

TEST_CASE_FIXTURE(Fixture, "curl_transport: credentials go to their host and nowhere else") {
    const test::LocalServer other(directory.path());
    TransferRequest secret = request(server.url("/a"));
    secret.credentials.user_password = Secret("me:pass:word");
    CHECK(get(secret));
    CHECK(server.requests()[0].header("authorization") == "Basic bWU6cGFzczp3b3Jk");
    server.set_script({{Rule{.redirect = other.url("/a")}}});
    CHECK(get(secret)->body == "body of a");
    REQUIRE(other.requests().size() == 1);
    CHECK_FALSE(other.requests()[0].header("authorization"));
    server.set_script({{Rule{.status = 503}}});
    CHECK(get(secret).error().message.find("pass") == std::string::npos);
}

TEST_CASE_FIXTURE(Fixture,
                  "curl_transport: conda's token goes behind the host and is never shown") {
    put("t/tk-1/a", "with token");
    TransferRequest secret = request(server.url("/a"));
    secret.credentials.token = Secret("tk-1");
    const auto response = get(secret);
    REQUIRE(response);
    CHECK(response->body == "with token");
    CHECK(response->url == server.url("/a"));
    server.set_script({{Rule{.status = 503}}});
    CHECK(get(secret).error().message.find("tk-1") == std::string::npos);
}

TEST_CASE_FIXTURE(
    Fixture, "curl_transport: a server that says nothing is given up after the stall timeout") {
    options.stall_timeout = 1s;
    options.retry.retries = 0;
    server.set_script({{Rule{.hang = true}}});
    const auto began = std::chrono::steady_clock::now();
    const auto response = get("/a");
    REQUIRE_FALSE(response);
    CHECK(response.error().kind == ErrorKind::network);
    CHECK(std::chrono::steady_clock::now() - began < 10s);
}

TEST_CASE_FIXTURE(Fixture,
                  "curl_transport: a stop ends everything soon, also what waits for its next try") {
    options.retry.base_delay = 60s;
    options.connections = 2;
    server.set_script(
        {{Rule{.glob = "/busy", .status = 503}, Rule{.glob = "/hang", .hang = true}}});
    std::stop_source stop;
    const std::jthread stopper([&stop] {
        std::this_thread::sleep_for(100ms);
        stop.request_stop();
    });
    const auto began = std::chrono::steady_clock::now();
    const auto responses = run({request(server.url("/a")),
                                request(server.url("/busy")),
                                request(server.url("/hang")),
                                request(server.url("/hang")),
                                request(server.url("/hang")),
                                request(server.url("/a"))},
                               stop.get_token());
    CHECK(std::chrono::steady_clock::now() - began < 1s);
    CHECK(responses[0]);
    for (std::size_t i = 1; i < responses.size(); ++i) {
        REQUIRE_FALSE(responses[i]);
        CHECK(responses[i].error().kind == ErrorKind::interrupted);
    }
    CHECK(reporter.all<TransferBegan>().size() == reporter.all<TransferEnded>().size());
}

TEST_CASE_FIXTURE(Fixture, "curl_transport: a stop before the start asks nobody") {
    const std::stop_source stop;
    stop.request_stop();
    const auto responses = run({request(server.url("/a"))}, stop.get_token());
    CHECK(responses[0].error().kind == ErrorKind::interrupted);
    CHECK(server.requests().empty());
}

TEST_CASE_FIXTURE(Fixture, "curl_transport: many at once, no more than allowed, answers in order") {
    options.connections = 3;
    std::vector<TransferRequest> requests;
    for (int i = 0; i < 30; ++i) {
        put("f" + std::to_string(i), "body " + std::to_string(i));
        requests.push_back(request(server.url("/f" + std::to_string(i))));
    }
    server.set_script({{Rule{.delay = 5ms}}});
    const auto responses = run(requests);
    for (std::size_t i = 0; i < 30; ++i) {
        REQUIRE(responses[i]);
        CHECK(responses[i]->body == "body " + std::to_string(i));
    }
    CHECK(server.peak_concurrency() <= 3);
    CHECK(server.peak_concurrency() >= 2);
    CHECK(make_curl_transport(options, clock)->fetch({}, reporter, {}).empty());
}

TEST_CASE_FIXTURE(Fixture, "curl_transport: files") {
    const auto there = get(request("file://" + (directory / "a").string()));
    REQUIRE_MESSAGE(there, there.error().message);
    CHECK(there->status == 200);
    CHECK(there->body == "body of a");
    const auto missing = get(request("file://" + (directory / "none").string()));
    REQUIRE(missing);
    CHECK(missing->status == 404);
    TransferRequest small = request("file://" + (directory / "a").string());
    small.max_bytes = 3;
    CHECK(get(small).error().kind == ErrorKind::integrity);
    put("empty", "");
    CHECK(get(request("file://" + (directory / "empty").string()))->body.empty());
}

TEST_CASE_FIXTURE(Fixture, "curl_transport: offline only files are read") {
    options.offline = true;
    const auto response = get("/a");
    REQUIRE_FALSE(response);
    CHECK(response.error().kind == ErrorKind::network);
    CHECK(response.error().message.find("offline") != std::string::npos);
    CHECK(server.requests().empty());
    CHECK(get(request("file://" + (directory / "a").string())));
}

TEST_CASE_FIXTURE(Fixture, "curl_transport: nobody at the address, and no address at all") {
    const std::string nobody = [] {
        const test::TempDir gone;
        return test::LocalServer(gone.path()).url("/a");
    }();
    const auto refused = get(request(nobody));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::network);
    CHECK(refused.error().message.find("(3 tries)") != std::string::npos);
    const auto malformed = get(request("http://[/"));
    REQUIRE_FALSE(malformed);
    CHECK(malformed.error().message.find("tries") == std::string::npos);
}

}  // namespace
}  // namespace chm::channels
