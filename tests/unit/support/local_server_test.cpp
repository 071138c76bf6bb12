// Every fault, seen on the wire by a raw client (curl would retry, repair or hide some).
#include "support/local_server.hpp"

#include "support/temp_dir.hpp"
#include "unit/support/raw_client.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using chm::test::get;
using chm::test::LocalServer;
using chm::test::parse_script;
using chm::test::RawClient;
using chm::test::Reply;
using chm::test::RequestRecord;
using chm::test::TempDir;
using End = chm::test::Reply::End;
using namespace std::chrono_literals;

namespace {

std::string pattern(std::size_t size) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) {
        text += static_cast<char>('a' + i % 26);
    }
    return text;
}

// A served folder with /a.json (2,000 bytes) and /big.conda (3 MB).
struct Fixture {
    TempDir dir;
    std::string a = pattern(2000);
    std::string big = pattern(3'000'000);
    LocalServer server{dir.path()};

    Fixture() {
        write("a.json", a);
        write("big.conda", big);
    }
    void write(std::string_view name, std::string_view text) const {
        std::filesystem::create_directories((dir / name).parent_path());
        std::ofstream(dir / name, std::ios::binary) << text;
    }
    void script(std::string_view text) {
        auto script = parse_script(text);
        REQUIRE_MESSAGE(script.has_value(), script.error().message);
        server.set_script(*script);
    }
    [[nodiscard]] Reply fetch(std::string_view path, std::string_view headers = "") const {
        return get(server.port(), path, headers);
    }
};

// Polls, because the server learns of some ends only after the client did.
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

}  // namespace

TEST_CASE_FIXTURE(Fixture, "local_server: serves files whole, also large ones") {
    CHECK(server.url("/x") == "http://127.0.0.1:" + std::to_string(server.port()) + "/x");
    const Reply reply = fetch("/big.conda");
    CHECK(reply.status == 200);
    CHECK(reply.end == End::complete);
    CHECK(reply.body == big);
    CHECK(reply.header("content-type") == "application/octet-stream");
}

TEST_CASE_FIXTURE(Fixture, "local_server: one connection carries many requests") {
    RawClient client(server.port());
    const Reply first = client.get("/a.json");
    CHECK(first.body == a);
    CHECK(client.head("/a.json").header("content-length") == "2000");
    CHECK(client.get("/none").status == 404);
    CHECK(client.get("/a.json", "If-None-Match: " + first.header("etag") + "\r\n").status == 304);
    const Reply part = client.get("/a.json", "Range: bytes=1990-\r\n");
    CHECK(part.status == 206);
    CHECK(part.body == a.substr(1990));
    CHECK(client.get("/a.json", "Range: bytes=2000-\r\n").status == 416);
    const auto requests = server.requests();
    REQUIRE(requests.size() == 6);
    for (const RequestRecord& request : requests) {
        CHECK(request.connection == requests[0].connection);
    }
    CHECK(fetch("/a.json").status == 200);
    CHECK(server.requests()[6].connection != requests[0].connection);
}

TEST_CASE_FIXTURE(Fixture, "local_server: pipelined and slowly sent requests are understood") {
    RawClient client(server.port());
    client.send("GET /a.json HTTP/1.1\r\n\r\nGET /none HTTP/1.1\r\n\r\nGET /a.js");
    CHECK(client.receive().body == a);
    CHECK(client.receive().status == 404);
    std::this_thread::sleep_for(20ms);
    client.send("on HTTP/1.1\r\n\r");
    std::this_thread::sleep_for(20ms);
    client.send("\n");
    CHECK(client.receive().body == a);
}

TEST_CASE_FIXTURE(Fixture, "local_server: connections close when asked or when framing is lost") {
    RawClient asked(server.port());
    const Reply reply = asked.get("/a.json", "Connection: close\r\n");
    CHECK(reply.header("connection") == "close");
    CHECK(asked.receive().end == End::closed);
    RawClient posting(server.port());
    posting.send("POST /a.json HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc");
    CHECK(posting.receive().status == 405);
    CHECK(posting.receive().end == End::closed);
    RawClient rubbish(server.port());
    rubbish.send("rubbish\r\n\r\n");
    CHECK(rubbish.receive().status == 400);
    RawClient endless(server.port());
    endless.send("GET / HTTP/1.1\r\nX: " + std::string(70'000, 'x'));
    CHECK(endless.receive().status == 431);
}

TEST_CASE_FIXTURE(Fixture, "local_server: records what was asked and what was sent") {
    CHECK(fetch("/a.json?x=1", "Range: bytes=0-9\r\nUser-Agent: t\r\n").status == 206);
    RawClient(server.port()).head("/a.json");
    const auto requests = server.requests();
    REQUIRE(requests.size() == 2);
    CHECK(requests[0].method == "GET");
    CHECK(requests[0].path == "/a.json");
    CHECK(requests[0].query == "x=1");
    CHECK(requests[0].header("Range") == "bytes=0-9");
    CHECK(requests[0].header("user-agent") == "t");
    CHECK(requests[0].status == 206);
    CHECK(requests[0].bytes_sent == 10);
    CHECK(requests[0].at <= requests[1].at);
    CHECK(requests[1].method == "HEAD");
    CHECK(requests[1].bytes_sent == 0);
    server.clear_requests();
    CHECK(server.requests().empty());
}

TEST_CASE("local_server: a client that has its answer finds it reported") {
    const TempDir dir;
    std::ofstream(dir / "f") << "text";
    std::mutex mutex;
    std::vector<std::string> lines;
    const LocalServer server(dir.path(), [&](const RequestRecord& record) {
        const std::lock_guard lock(mutex);
        lines.push_back(record.path + " " + std::to_string(record.status) + " " +
                        std::to_string(record.bytes_sent));
    });
    RawClient client(server.port());
    for (std::size_t i = 1; i <= 200; ++i) {
        REQUIRE(client.get("/f").body == "text");
        const std::lock_guard lock(mutex);
        REQUIRE(lines.size() == i);
        REQUIRE(lines.back() == "/f 200 4");
    }
}

TEST_CASE_FIXTURE(Fixture, "local_server: 64 connections at once") {
    server.add_rule({.glob = "/slow*", .body = "slow", .delay = 300ms});
    std::atomic<int> good = 0;
    std::vector<std::jthread> clients;
    clients.reserve(64);
    for (int i = 0; i < 64; ++i) {
        clients.emplace_back([&] {
            RawClient client(server.port());
            good += client.get("/slow").body == "slow" && client.get("/a.json").body == a ? 1 : 0;
        });
    }
    clients.clear();
    CHECK(good == 64);
    CHECK(server.requests().size() == 128);
    CHECK(server.peak_concurrency() > 8);
    CHECK(server.peak_concurrency() <= 64);
}

TEST_CASE_FIXTURE(Fixture, "local_server: peak concurrency is 1 for one client at a time") {
    for (int i = 0; i < 100; ++i) {
        REQUIRE(fetch("/a.json").status == 200);
    }
    CHECK(server.peak_concurrency() == 1);
}

TEST_CASE_FIXTURE(Fixture, "local_server: status, retry-after, times and after") {
    script("/a.json after=1 times=2 status=503 retry-after=2");
    RawClient client(server.port());
    CHECK(client.get("/a.json").status == 200);
    const Reply busy = client.get("/a.json");
    CHECK(busy.status == 503);
    CHECK(busy.header("retry-after") == "2");
    CHECK(busy.body == "Service Unavailable\n");
    CHECK(client.get("/a.json").status == 503);
    CHECK(client.get("/a.json").status == 200);
}

TEST_CASE_FIXTURE(Fixture, "local_server: delay holds back the head") {
    script("* delay=150ms");
    const Reply reply = fetch("/a.json");
    CHECK(reply.took >= 150ms);
    CHECK(reply.body == a);
}

TEST_CASE_FIXTURE(Fixture, "local_server: cut closes in the middle of the body") {
    script("* cut=1000");
    const Reply reply = fetch("/a.json");
    CHECK(reply.status == 200);
    CHECK(reply.header("content-length") == "2000");
    CHECK(reply.end == End::closed);
    CHECK(reply.body == a.substr(0, 1000));
    CHECK(server.requests()[0].bytes_sent == 1000);
    // Of a range, N counts what is sent; a body that is not longer is whole.
    CHECK(fetch("/a.json", "Range: bytes=500-\r\n").body == a.substr(500, 1000));
    CHECK(fetch("/a.json", "Range: bytes=1000-\r\n").end == End::complete);
    CHECK(RawClient(server.port()).head("/a.json").end == End::complete);
}

TEST_CASE_FIXTURE(Fixture, "local_server: reset ends with a TCP reset after N bytes") {
    script("* reset=1000");
    for (int i = 0; i < 20; ++i) {
        const Reply reply = fetch("/big.conda");
        CHECK(reply.end == End::reset);
        CHECK(reply.body == big.substr(0, 1000));
    }
}

TEST_CASE_FIXTURE(Fixture, "local_server: drip sends slowly") {
    script("/a.json drip=10000/s\n/big.conda drip=3/s cut=2");
    const Reply reply = fetch("/a.json");
    CHECK(reply.body == a);
    CHECK(reply.took >= 140ms);  // 2,000 bytes in 4 pieces, 50 ms apart
    const Reply slower = fetch("/big.conda");
    CHECK(slower.body == "ab");
    CHECK(slower.took >= 330ms);
}

TEST_CASE_FIXTURE(Fixture, "local_server: flip damages one byte under the same ETag") {
    const std::string etag = fetch("/a.json").header("etag");
    script("* flip=100");
    const Reply reply = fetch("/a.json");
    CHECK(reply.header("etag") == etag);
    std::string expected = a;
    expected[100] ^= 1;
    CHECK(reply.body == expected);
    CHECK(fetch("/a.json", "Range: bytes=101-\r\n").body == a.substr(101));
    CHECK(fetch("/a.json", "Range: bytes=100-100\r\n").body == expected.substr(100, 1));
}

TEST_CASE_FIXTURE(Fixture, "local_server: truncate is a shorter file that looks whole") {
    script("* truncate=500");
    const Reply reply = fetch("/a.json");
    CHECK(reply.end == End::complete);
    CHECK(reply.header("content-length") == "500");
    CHECK(reply.body == a.substr(0, 500));
}

TEST_CASE_FIXTURE(Fixture, "local_server: body, body-file and type stand in for the file") {
    write("portal.html", "<html>from a file</html>");
    server.add_rule({.glob = "/a.json", .body = "<html>log in</html>", .type = "text/html"});
    server.add_rule({.glob = "/b.json", .body_file = dir / "portal.html"});
    const Reply text = fetch("/a.json");
    CHECK(text.status == 200);
    CHECK(text.body == "<html>log in</html>");
    CHECK(text.header("content-type") == "text/html");
    CHECK(text.header("etag").empty());
    const Reply file = fetch("/b.json");
    CHECK(file.body == "<html>from a file</html>");
    CHECK(file.header("content-type") == "text/html");
}

TEST_CASE_FIXTURE(Fixture, "local_server: redirect sends a Location") {
    script("/a redirect=/a.json\n/b redirect=http://h/x status=308");
    const Reply found = fetch("/a");
    CHECK(found.status == 302);
    CHECK(found.header("location") == "/a.json");
    const Reply permanent = fetch("/b");
    CHECK(permanent.status == 308);
    CHECK(permanent.header("location") == "http://h/x");
}

TEST_CASE_FIXTURE(Fixture, "local_server: stale serves the path from another directory") {
    const TempDir old;
    std::ofstream(old / "a.json") << "yesterday";
    server.add_rule({.glob = "/a.json", .times = 1, .stale = old.path()});
    const Reply reply = fetch("/a.json");
    CHECK(reply.body == "yesterday");
    CHECK_FALSE(reply.header("etag").empty());
    CHECK(fetch("/a.json").body == a);
}

TEST_CASE_FIXTURE(Fixture, "local_server: no-etag and no-range make a plain server") {
    const std::string etag = fetch("/a.json").header("etag");
    script("* no-etag no-range");
    const Reply reply = fetch("/a.json", "Range: bytes=5-\r\nIf-None-Match: " + etag + "\r\n");
    CHECK(reply.status == 200);
    CHECK(reply.body == a);
    CHECK(reply.header("etag").empty());
    CHECK(reply.header("accept-ranges").empty());
}

TEST_CASE_FIXTURE(Fixture, "local_server: headers are set and removed on the wire") {
    script("* header=X-Test:yes header=Content-Length:");
    const Reply reply = fetch("/a.json");
    CHECK(reply.header("x-test") == "yes");
    CHECK(reply.header("connection") == "close");
    CHECK(reply.end == End::closed);
    CHECK(reply.body == a);
}

TEST_CASE_FIXTURE(Fixture, "local_server: close ends without a byte") {
    script("* close");
    const Reply reply = fetch("/a.json");
    CHECK(reply.status == 0);
    CHECK(reply.end == End::closed);
    CHECK(reply.body.empty());
    CHECK(server.requests()[0].status == 0);
}

TEST_CASE_FIXTURE(Fixture, "local_server: hang never answers and ends with the client") {
    script("* hang");
    {
        RawClient client(server.port());
        client.send("GET /a.json HTTP/1.1\r\n\r\n");
        const Reply reply = client.receive(true, 150ms);
        CHECK(reply.status == 0);
        CHECK(reply.end == End::timeout);
        CHECK(server.requests().size() == 1);
        server.clear_requests();
        CHECK(server.peak_concurrency() == 1);
    }
    CHECK(becomes_true([&] {
        server.clear_requests();  // the peak is then what is still going on
        return server.peak_concurrency() == 0;
    }));
}

TEST_CASE("local_server: shutting down waits for nobody") {
    const TempDir dir;
    std::ofstream(dir / "f") << pattern(100'000);
    auto server = std::make_unique<LocalServer>(dir.path());
    server->set_script(*parse_script("/hang hang\n/delay delay=1000s\n/drip body=abc drip=1/s"));
    std::vector<std::unique_ptr<RawClient>> clients;
    for (const char* const path : {"/hang", "/delay", "/drip", "/f"}) {
        clients.push_back(std::make_unique<RawClient>(server->port()));
        clients.back()->send(std::string("GET ") + path + " HTTP/1.1\r\n\r\n");
    }
    clients.push_back(std::make_unique<RawClient>(server->port()));  // says nothing
    CHECK(becomes_true([&] { return server->requests().size() == 4; }));
    const std::uint16_t port = server->port();
    const auto start = std::chrono::steady_clock::now();
    server.reset();
    CHECK(std::chrono::steady_clock::now() - start < 1s);
    CHECK(clients[0]->receive().status == 0);
    CHECK(get(port, "/f").status == 0);
}

TEST_CASE_FIXTURE(Fixture, "local_server: a client that leaves early does no harm") {
    script("/big.conda drip=100000/s");
    for (int i = 0; i < 5; ++i) {
        RawClient client(server.port());
        client.send("GET /big.conda HTTP/1.1\r\n\r\n");
    }
    CHECK(fetch("/a.json").body == a);
    CHECK(becomes_true([&] {
        server.clear_requests();
        return server.peak_concurrency() == 0;
    }));
}
