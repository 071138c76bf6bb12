// What is answered, without a socket: validators, conditions, ranges, confinement to the root.
#include "support/http_answer.hpp"

#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

using chm::test::Answer;
using chm::test::find_header;
using chm::test::HttpRequest;
using chm::test::make_answer;
using chm::test::Rule;
using chm::test::TempDir;
namespace fs = std::filesystem;

namespace {

struct Tree {
    TempDir dir;
    Tree() { write("a.json", "0123456789"); }
    void write(std::string_view name, std::string_view text) const {
        fs::create_directories((dir / name).parent_path());
        std::ofstream(dir / name, std::ios::binary) << text;
    }
    [[nodiscard]] Answer get(std::string_view path,
                             std::vector<chm::test::HttpHeader> headers = {},
                             const Rule& rule = {}) const {
        const HttpRequest request = {
            .method = "GET", .path = std::string(path), .query = "", .headers = std::move(headers)};
        return make_answer(request, rule, dir.path());
    }
};

std::string body(const Answer& answer) {
    return answer.content.read(answer.begin, answer.end - answer.begin);
}

std::string header(const Answer& answer, std::string_view name) {
    return std::string(find_header(answer.headers, name).value_or("(none)"));
}

}  // namespace

TEST_CASE("http_answer: a file comes with its validators and type") {
    const Tree tree;
    const Answer answer = tree.get("/a.json");
    CHECK(answer.status == 200);
    CHECK(body(answer) == "0123456789");
    CHECK(header(answer, "content-length") == "10");
    CHECK(header(answer, "content-type") == "application/json");
    CHECK(header(answer, "accept-ranges") == "bytes");
    CHECK(header(answer, "etag").size() == 34);
    CHECK(header(answer, "last-modified").ends_with(" GMT"));
}

TEST_CASE("http_answer: the ETag follows the bytes, not the time") {
    const Tree tree;
    const std::string before = header(tree.get("/a.json"), "etag");
    fs::last_write_time(tree.dir / "a.json",
                        fs::file_time_type::clock::now() - std::chrono::hours(5));
    CHECK(header(tree.get("/a.json"), "etag") == before);
    tree.write("a.json", "9876543210");
    CHECK(header(tree.get("/a.json"), "etag") != before);
}

TEST_CASE("http_answer: large files are read as they are sent") {
    const Tree tree;
    const std::uint64_t size = (4 << 20) + 1;
    tree.write("big", "begin");
    fs::resize_file(tree.dir / "big", size);
    const Answer answer = tree.get("/big", {{"range", "bytes=2-6"}});
    CHECK(answer.status == 206);
    CHECK(body(answer) == std::string("gin\0\0", 5));
    CHECK(header(answer, "content-range") == "bytes 2-6/4194305");
    CHECK(header(answer, "etag") == header(tree.get("/big"), "etag"));
    CHECK(tree.get("/big", {{"if-none-match", header(answer, "etag")}}).status == 304);
}

TEST_CASE("http_answer: missing files and directories are 404, an index is found") {
    const Tree tree;
    tree.write("d/index.html", "<p>");
    CHECK(tree.get("/none").status == 404);
    CHECK(tree.get("/a.json/x").status == 404);
    CHECK(tree.get("/d").status == 404);
    CHECK(tree.get("/").status == 404);
    CHECK(body(tree.get("/d/")) == "<p>");
    CHECK(header(tree.get("/d/"), "content-type") == "text/html");
}

TEST_CASE("http_answer: paths stay under the root, symlinks there are followed") {
    const Tree tree;
    tree.write("served/snapshots/1/x", "one");
    fs::create_directory_symlink("snapshots/1", tree.dir / "served/current");
    const HttpRequest inside = {.method = "GET", .path = "/current/x", .query = "", .headers = {}};
    CHECK(body(make_answer(inside, {}, tree.dir / "served")) == "one");
    for (const char* const path : {"/../a.json", "/current/../../a.json", "/.."}) {
        CAPTURE(path);
        const HttpRequest outside = {.method = "GET", .path = path, .query = "", .headers = {}};
        CHECK(make_answer(outside, {}, tree.dir / "served").status == 400);
    }
}

TEST_CASE("http_answer: If-None-Match") {
    const Tree tree;
    const std::string etag = header(tree.get("/a.json"), "etag");
    const Answer answer = tree.get("/a.json", {{"if-none-match", etag}});
    CHECK(answer.status == 304);
    CHECK(body(answer).empty());
    CHECK(header(answer, "etag") == etag);
    CHECK(header(answer, "content-length") == "(none)");
    CHECK(tree.get("/a.json", {{"if-none-match", "\"x\", W/" + etag}}).status == 304);
    CHECK(tree.get("/a.json", {{"if-none-match", "*"}}).status == 304);
    CHECK(tree.get("/a.json", {{"if-none-match", "\"x\""}}).status == 200);
    // It outranks the date.
    const std::string date = header(answer, "last-modified");
    CHECK(tree.get("/a.json", {{"if-none-match", "\"x\""}, {"if-modified-since", date}}).status ==
          200);
}

TEST_CASE("http_answer: If-Modified-Since") {
    const Tree tree;
    const std::string date = header(tree.get("/a.json"), "last-modified");
    CHECK(tree.get("/a.json", {{"if-modified-since", date}}).status == 304);
    CHECK(tree.get("/a.json", {{"if-modified-since", "Thu, 01 Jan 1970 00:00:00 GMT"}}).status ==
          200);
    CHECK(tree.get("/a.json", {{"if-modified-since", "yesterday"}}).status == 200);
}

TEST_CASE("http_answer: ranges and their conditions") {
    const Tree tree;
    const Answer whole = tree.get("/a.json");
    const Answer part = tree.get("/a.json", {{"range", "bytes=4-"}});
    CHECK(part.status == 206);
    CHECK(body(part) == "456789");
    CHECK(header(part, "content-range") == "bytes 4-9/10");
    CHECK(header(part, "content-length") == "6");
    const Answer beyond = tree.get("/a.json", {{"range", "bytes=10-"}});
    CHECK(beyond.status == 416);
    CHECK(body(beyond).empty());
    CHECK(header(beyond, "content-range") == "bytes */10");
    const auto status_if = [&](const std::string& condition) {
        return tree.get("/a.json", {{"range", "bytes=4-"}, {"if-range", condition}}).status;
    };
    CHECK(status_if(header(whole, "etag")) == 206);
    CHECK(status_if(header(whole, "last-modified")) == 206);
    CHECK(status_if("\"other\"") == 200);
    CHECK(status_if("W/" + header(whole, "etag")) == 200);
    CHECK(status_if("Thu, 01 Jan 1970 00:00:00 GMT") == 200);
}

TEST_CASE("http_answer: HEAD tells the length and sends nothing") {
    const Tree tree;
    const HttpRequest request = {.method = "HEAD", .path = "/a.json", .query = "", .headers = {}};
    const Answer answer = make_answer(request, {}, tree.dir.path());
    CHECK(answer.status == 200);
    CHECK(header(answer, "content-length") == "10");
    CHECK(body(answer).empty());
    CHECK(answer.is_framed());
}

TEST_CASE("http_answer: other methods are refused") {
    const Tree tree;
    const HttpRequest request = {.method = "POST", .path = "/a.json", .query = "", .headers = {}};
    CHECK(make_answer(request, {}, tree.dir.path()).status == 405);
}

TEST_CASE("http_answer: header rules replace, add and remove") {
    const Tree tree;
    const Answer answer = tree.get(
        "/a.json", {}, {.headers = {{"etag", "\"mine\""}, {"X-New", "1"}, {"Content-Length", ""}}});
    CHECK(header(answer, "etag") == "\"mine\"");
    CHECK(header(answer, "x-new") == "1");
    CHECK(header(answer, "content-length") == "(none)");
    CHECK_FALSE(answer.is_framed());
    CHECK(answer.head(false).find("Connection: close\r\n\r\n") != std::string::npos);
}

TEST_CASE("http_answer: a success status serves the file whole and without conditions") {
    const Tree tree;
    const Answer answer =
        tree.get("/a.json", {{"range", "bytes=4-"}, {"if-none-match", "*"}}, {.status = 200});
    CHECK(answer.status == 200);
    CHECK(body(answer) == "0123456789");
}

TEST_CASE("http_answer: a body file that is not there is a server error") {
    const Tree tree;
    CHECK(tree.get("/x", {}, {.body_file = tree.dir / "none"}).status == 500);
}
