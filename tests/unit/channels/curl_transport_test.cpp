// The transport alone against the scripted server; what sync makes of it is in tests/integration.
#include "channels/curl_transport.hpp"

#include "base/atomic_file.hpp"
#include "base/file.hpp"
#include "support/local_server.hpp"
#include "support/recording_reporter.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <span>
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

TEST_CASE_FIXTURE(Fixture, "curl_transport: a host that asked to wait is left alone by all") {
    options.transfers = 2;
    server.set_script({{Rule{.times = 1, .status = 429, .retry_after = 1}}});
    for (const auto& response : run(std::vector<TransferRequest>(20, request(server.url("/a"))))) {
        CHECK(response);
    }
    const auto records = server.requests();
    CHECK(records.size() == 21);
    const auto early = std::ranges::count_if(records, [&](const test::RequestRecord& record) {
        return record.at - records.front().at < 900ms;
    });
    CHECK(early <= 3);  // the refused one, and what had begun beside it
}

TEST_CASE_FIXTURE(Fixture, "curl_transport: a request may ask for fewer retries") {
    options.retry.retries = 4;
    server.set_script({{Rule{.status = 503}}});
    TransferRequest wanted = request(server.url("/a"));
    CHECK_FALSE(get(wanted));
    CHECK(server.requests().size() == 5);
    wanted.max_retries = 1;
    CHECK_FALSE(get(wanted));
    CHECK(server.requests().size() == 2);
}

TEST_CASE_FIXTURE(Fixture, "curl_transport: all transfers together keep to the limit") {
    put("big", std::string(3'000'000, 'x'));
    options.limit_rate = 3'000'000;
    const auto began = std::chrono::steady_clock::now();
    TransferRequest wanted = request(server.url("/big"));
    wanted.max_bytes = 4'000'000;
    for (const auto& response : run({wanted, wanted})) {
        REQUIRE_MESSAGE(response, response.error().message);
        CHECK(response->body.size() == 3'000'000);
    }
    CHECK(std::chrono::steady_clock::now() - began >= 1s);  // 2 s, less what may come at once
}

TEST_CASE_FIXTURE(Fixture, "curl_transport: a proxy for the URLs of its scheme") {
    options.proxy_servers = {{"http", server.url(), Secret("me:pw")},
                             {"https", "http://127.0.0.1:1", {}}};
    const auto response = get(request("http://upstream.example/a"));
    REQUIRE_MESSAGE(response, response.error().message);
    CHECK(response->body == "body of a");
    const test::RequestRecord asked = server.requests()[0];
    CHECK(asked.header("host") == "upstream.example");
    CHECK(asked.header("proxy-authorization") == "Basic bWU6cHc=");
    options.retry.retries = 0;
    const auto refused = get(request("https://upstream.example/a"));
    REQUIRE_FALSE(refused);
    CHECK(server.requests().empty());
}

TEST_CASE_FIXTURE(Fixture, "curl_transport: a CA file that is not there is named at once") {
    options.ca_bundle = directory / "no-such.pem";
    TransferRequest wanted = request(server.url("/a"));
    wanted.url.replace(0, 4, "https");
    const auto refused = get(wanted);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("no-such.pem") != std::string::npos);
    CHECK(reporter.details().empty());
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
    options.transfers = 2;
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
    options.transfers = 3;
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

/// Keeps the body in memory and notes what happens.
class TextSink final : public BodySink {
public:
    ResumePoint start_try() override {
        ++tries;
        return {text.size(), etag};
    }
    Result<> begin(const BodyStart& start) override {
        starts.push_back(start.offset);
        total = start.total;
        etag = start.etag;
        if (start.offset > text.size()) {
            return fail(ErrorKind::integrity, "not ours");
        }
        text.resize(start.offset);
        return {};
    }
    Result<> write(std::span<const std::byte> bytes) override {
        if (text.size() + bytes.size() > room) {
            return fail(ErrorKind::io, "the disk is full");
        }
        text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return {};
    }
    Result<> end_try() override {
        ++ends;
        return {};
    }

    void clear() {
        text.clear();
        etag.clear();
        starts.clear();
    }

    std::string text;
    std::string etag;
    std::optional<std::uint64_t> total;
    std::vector<std::uint64_t> starts;
    std::size_t room = 10 << 20;
    int tries = 0;
    int ends = 0;
};

std::string long_text() {
    std::string text;
    for (int i = 0; text.size() < 1'000'000; ++i) {
        text += std::to_string(i) + " ";
    }
    return text;
}
const std::string k_long = long_text();

class SinkFixture : public Fixture {
public:
    SinkFixture() { put("long", k_long); }

    Result<TransferResponse> get_to_sink(const std::string& url) {
        TransferRequest wanted = request(url);
        wanted.max_bytes = 0;  // the sink's matter
        wanted.sink = &sink;
        auto response = get(wanted);
        CHECK(sink.tries == sink.ends);
        return response;
    }
    Result<TransferResponse> get_long() { return get_to_sink(server.url("/long")); }
    [[nodiscard]] std::string range(std::size_t i) const {
        return std::string(server.requests().at(i).header("range").value_or(""));
    }

    TextSink sink;
};

TEST_CASE_FIXTURE(SinkFixture, "curl_transport: a body to a sink") {
    const auto response = get_long();
    REQUIRE_MESSAGE(response, response.error().message);
    CHECK(response->status == 200);
    CHECK(response->body.empty());
    CHECK(sink.text == k_long);
    CHECK(sink.total == k_long.size());
    CHECK_FALSE(sink.etag.empty());
    CHECK(range(0).empty());
    CHECK_FALSE(server.requests()[0].header("if-range"));
    REQUIRE(reporter.all<TransferEnded>().size() == 1);
    CHECK(reporter.all<TransferEnded>()[0].outcome == TransferOutcome::done);
    CHECK(reporter.all<TransferEnded>()[0].bytes == k_long.size());
}

TEST_CASE_FIXTURE(SinkFixture, "curl_transport: an empty body begins too") {
    put("empty", "");
    CHECK(get_to_sink(server.url("/empty"))->status == 200);
    CHECK(sink.starts == std::vector<std::uint64_t>{0});
    CHECK(get_to_sink("file://" + (directory / "empty").string())->status == 200);
}

TEST_CASE_FIXTURE(SinkFixture,
                  "curl_transport: a broken body is continued, and only of the same version") {
    for (const Rule& rule :
         {Rule{.times = 1, .cut = 300'000}, Rule{.times = 1, .reset = 300'000}}) {
        sink.clear();
        server.set_script({{rule}});
        const auto response = get_long();
        REQUIRE_MESSAGE(response, response.error().message);
        CHECK(response->status == 206);
        CHECK(sink.text == k_long);
        REQUIRE(server.requests().size() == 2);
        CHECK(sink.starts == std::vector<std::uint64_t>{0, 300'000});
        CHECK(range(1) == "bytes=300000-");
        CHECK(server.requests()[1].bytes_sent == k_long.size() - 300'000);
        CHECK(server.requests()[1].header("if-range") == sink.etag);
    }
}

TEST_CASE_FIXTURE(SinkFixture,
                  "curl_transport: a file that changed between tries is sent from its beginning") {
    sink.text = "of another version";
    sink.etag = "\"another\"";
    CHECK(get_long()->status == 200);
    CHECK(range(0) == "bytes=18-");
    CHECK(server.requests()[0].header("if-range") == "\"another\"");
    CHECK(sink.text == k_long);
    CHECK(sink.starts == std::vector<std::uint64_t>{0});
}

TEST_CASE_FIXTURE(SinkFixture, "curl_transport: tries that move the body forward are not counted") {
    options.retry.retries = 1;
    server.set_script({{Rule{.cut = 100'000}}});
    const auto response = get_long();
    REQUIRE_MESSAGE(response, response.error().message);
    CHECK(sink.text == k_long);
    CHECK(server.requests().size() == (k_long.size() + 99'999) / 100'000);
    // From the beginning each time: no progress.
    sink.clear();
    server.set_script({{Rule{.no_range = true, .cut = 100'000}}});
    CHECK(get_long().error().kind == ErrorKind::network);
    CHECK(server.requests().size() == 2);
    CHECK(sink.text == k_long.substr(0, 100'000));
}

TEST_CASE_FIXTURE(SinkFixture, "curl_transport: a server may ignore a range") {
    sink.text = k_long.substr(0, 1000);
    server.set_script({{Rule{.no_range = true}}});
    CHECK(get_long()->status == 200);
    CHECK(sink.text == k_long);
    CHECK(sink.starts == std::vector<std::uint64_t>{0});
}

TEST_CASE_FIXTURE(SinkFixture,
                  "curl_transport: a part with another beginning is the sink's to refuse") {
    sink.text = k_long.substr(0, 1000);
    server.set_script(
        {{Rule{.status = 206, .headers = {{"Content-Range", "bytes 2000-2001/3000"}}}}});
    const auto refused = get_long();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::integrity);
    CHECK(refused.error().message == server.url("/long") + ": not ours");
    CHECK(server.requests().size() == 1);
    server.set_script({{Rule{.status = 206}}});
    CHECK(get_long().error().kind == ErrorKind::integrity);
    CHECK(sink.text == k_long.substr(0, 1000));
}

TEST_CASE_FIXTURE(SinkFixture,
                  "curl_transport: a server that sends only a piece of the rest is asked on") {
    server.set_script({{Rule{.times = 1,
                             .status = 206,
                             .truncate = 400'000,
                             .headers = {{"Content-Range", "bytes 0-399999/1000000"}}}}});
    CHECK(get_long());
    CHECK(range(1) == "bytes=400000-");
    CHECK(sink.text == k_long);
}

TEST_CASE_FIXTURE(SinkFixture,
                  "curl_transport: nothing left to send is 416, and the sink keeps what it has") {
    sink.text = k_long;
    CHECK(get_long()->status == 416);
    CHECK(get_to_sink("file://" + (directory / "long").string())->status == 416);
    sink.text += "more";
    CHECK(get_long()->status == 416);
    CHECK(get_to_sink("file://" + (directory / "long").string())->status == 416);
    CHECK(sink.text == k_long + "more");
    CHECK(sink.starts.empty());
}

TEST_CASE_FIXTURE(SinkFixture, "curl_transport: error pages never reach a sink, however long") {
    for (const int status : {403, 404, 410}) {
        put("page", std::string(3'000'000, 'x'));
        server.set_script({{Rule{.status = status, .body_file = directory / "page"}}});
        CHECK(get_long()->status == status);
        CHECK(server.requests().size() == 1);
    }
    server.set_script({{Rule{.status = 503}}});
    CHECK(get_long()->status == 503);  // the last answer, not an error: another source may do
    CHECK(server.requests().size() == 3);
    CHECK(sink.starts.empty());
}

TEST_CASE_FIXTURE(SinkFixture, "curl_transport: a sink's error ends the transfer at once") {
    sink.room = 200'000;
    const auto response = get_long();
    REQUIRE_FALSE(response);
    CHECK(response.error() == Error{ErrorKind::io, "the disk is full"});
    CHECK(server.requests().size() == 1);
}

TEST_CASE_FIXTURE(SinkFixture, "curl_transport: a file from an offset on") {
    sink.text = k_long.substr(0, 1000);
    const auto response = get_to_sink("file://" + (directory / "long").string());
    REQUIRE_MESSAGE(response, response.error().message);
    CHECK(response->status == 206);
    CHECK(sink.text == k_long);
    CHECK(sink.starts == std::vector<std::uint64_t>{1000});
    CHECK(sink.total == k_long.size());
    CHECK(get_to_sink("file://" + (directory / "none").string())->status == 404);
}

TEST_CASE_FIXTURE(SinkFixture,
                  "curl_transport: a range survives a redirect, and a token shows nowhere") {
    put("t/tk-1/old", "");
    server.set_script({{Rule{.glob = "/t/tk-1/old", .redirect = "/long"},
                        Rule{.glob = "/long", .times = 1, .cut = 1000}}});
    TransferRequest secret = request(server.url("/old"));
    secret.credentials.token = Secret("tk-1");
    secret.sink = &sink;
    REQUIRE(get(secret));
    CHECK(sink.text == k_long);
    CHECK(range(3) == "bytes=1000-");
    sink.clear();
    server.set_script({{Rule{.cut = 1000}}});
    put("t/tk-1/long", k_long);
    secret.url = server.url("/long");
    const auto failed = get(secret);
    REQUIRE_FALSE(failed);
    CHECK(failed.error().message.find("tk-1") == std::string::npos);
    for (const std::string& detail : reporter.details()) {
        CHECK(detail.find("tk-1") == std::string::npos);
    }
}

TEST_CASE_FIXTURE(SinkFixture,
                  "curl_transport: a stop in mid-body ends the try and keeps the bytes") {
    server.set_script({{Rule{.drip = 100'000}}});
    std::stop_source stop;
    const std::jthread stopper([&stop] {
        std::this_thread::sleep_for(200ms);
        stop.request_stop();
    });
    TransferRequest wanted = request(server.url("/long"));
    wanted.sink = &sink;
    CHECK(run({wanted}, stop.get_token())[0].error().kind == ErrorKind::interrupted);
    CHECK(sink.ends == 1);
    CHECK_FALSE(sink.text.empty());
    CHECK(k_long.starts_with(sink.text));
}

TEST_CASE_FIXTURE(Fixture,
                  "curl_transport: a host that nobody reaches is not tried for every file") {
    const std::string nobody = [] {
        const test::TempDir gone;
        return test::LocalServer(gone.path()).url("/a");
    }();
    options.transfers = 2;
    std::vector<TransferRequest> requests(50, request(nobody));
    requests.push_back(request(server.url("/a")));
    const auto responses = run(requests);
    CHECK(reporter.details().size() < 80);  // further tries; 100 if each file had them
    for (std::size_t i = 0; i < 50; ++i) {
        REQUIRE_FALSE(responses[i]);
        CHECK(responses[i].error().kind == ErrorKind::network);
        CHECK(responses[i].error().message.starts_with(nobody));
    }
    CHECK(responses.back());
}

TEST_CASE_FIXTURE(Fixture, "curl_transport: connections are used again for many small files") {
    options.transfers = 4;
    const std::vector<TransferRequest> requests(200, request(server.url("/a")));
    for (const auto& response : run(requests)) {
        CHECK(response);
    }
    std::set<std::uint64_t> connections;
    for (const test::RequestRecord& record : server.requests()) {
        connections.insert(record.connection);
    }
    CHECK(connections.size() <= 4);
}

}  // namespace
}  // namespace chm::channels
