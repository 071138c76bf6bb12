// Channel names and URLs (CEP 26): what is accepted, what it is called, and that no message leaks a
// secret.
#include "conda/channel.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using chm::ErrorKind;
using chm::conda::Channel;
using chm::conda::is_safe_path_segment;
using chm::conda::parse_channel;

namespace {

bool mentions(std::string_view message, std::string_view word) {
    return message.find(word) != std::string_view::npos;
}

/// The refusal's message, or "(accepted)".
std::string refusal(std::string_view text) {
    const auto channel = parse_channel(text);
    if (channel) {
        return "(accepted)";
    }
    CHECK(channel.error().kind == ErrorKind::usage);
    return channel.error().message;
}

}  // namespace

TEST_CASE("channel: names live below the alias") {
    struct Row {
        std::string_view text, name, url;
    };
    const std::vector<Row> rows = {
        {"conda-forge", "conda-forge", "https://conda.anaconda.org/conda-forge"},
        {" conda-forge/ ", "conda-forge", "https://conda.anaconda.org/conda-forge"},
        {"nvidia/label/cuda-12.4.1",
         "nvidia/label/cuda-12.4.1",
         "https://conda.anaconda.org/nvidia/label/cuda-12.4.1"},
        {"conda-forge/label/Python_rc",
         "conda-forge/label/Python_rc",
         "https://conda.anaconda.org/conda-forge/label/Python_rc"},
        {"pytorch/label/a/b", "pytorch/label/a/b", "https://conda.anaconda.org/pytorch/label/a/b"},
        {"_x", "_x", "https://conda.anaconda.org/_x"},
        {"pkgs/main", "pkgs/main", "https://repo.anaconda.com/pkgs/main"},
        {"https://conda.anaconda.org/conda-forge/",
         "conda-forge",
         "https://conda.anaconda.org/conda-forge"},
        {"HTTPS://Conda.Anaconda.org:443/conda-forge",
         "conda-forge",
         "https://conda.anaconda.org/conda-forge"},
        {"http://conda.anaconda.org/conda-forge",
         "conda-forge",
         "https://conda.anaconda.org/conda-forge"},
        {"https://repo.anaconda.com/pkgs/main", "pkgs/main", "https://repo.anaconda.com/pkgs/main"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const auto channel = parse_channel(row.text);
        REQUIRE(channel);
        CHECK(channel->name == row.name);
        CHECK(channel->url == row.url);
    }
}

TEST_CASE("channel: another alias holds every name, pkgs too") {
    const std::string_view alias = "http://127.0.0.1:8080/get/";
    CHECK(parse_channel("pkgs/main", alias)->url == "http://127.0.0.1:8080/get/pkgs/main");
    CHECK(parse_channel("http://127.0.0.1:8080/get/x", alias)->name == "x");
    CHECK(parse_channel("http://127.0.0.1:8080/getx", alias)->name == "127.0.0.1:8080/getx");
    CHECK(parse_channel("https://repo.anaconda.com/pkgs/main", alias)->name ==
          "repo.anaconda.com/pkgs/main");
}

TEST_CASE("channel: foreign URLs are named by host and path") {
    struct Row {
        std::string_view text, name, url;
    };
    const std::vector<Row> rows = {
        {"https://prefix.dev/rock-the-conda/",
         "prefix.dev/rock-the-conda",
         "https://prefix.dev/rock-the-conda"},
        {"http://localhost:8080/a/b", "localhost:8080/a/b", "http://localhost:8080/a/b"},
        {"http://localhost:80/a", "localhost/a", "http://localhost/a"},
        {"https://x.example", "x.example", "https://x.example"},
        {"http://[::1]:8080/a", "[::1]:8080/a", "http://[::1]:8080/a"},
        {"https://art.example/api/conda/Conda-Remote",
         "art.example/api/conda/Conda-Remote",
         "https://art.example/api/conda/Conda-Remote"},
        {"file:///srv/channels/x/", "file/srv/channels/x", "file:///srv/channels/x"},
        {"file://localhost/srv/x", "file/srv/x", "file:///srv/x"},
        {"file:///home/me/.cache/x", "file/home/me/.cache/x", "file:///home/me/.cache/x"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const auto channel = parse_channel(row.text);
        REQUIRE(channel);
        CHECK(channel->name == row.name);
        CHECK(channel->url == row.url);
        CHECK(parse_channel(channel->url).value_or(Channel{}) == *channel);
    }
}

TEST_CASE("channel: what breaks a rule is refused by naming the rule") {
    struct Row {
        std::string text;
        std::string_view rule;
    };
    const std::vector<Row> rows = {
        {"", "names no channel"},
        {"a//b", "empty path segment"},
        {"a/../b", "begin with '.'"},
        {"..", "begin with '.'"},
        {".hidden", "begin with '.'"},
        {"-x", "'-'"},
        {"Conda-Forge", "lower-case"},
        {"a b", "may hold only"},
        {"a:b", "may hold only"},
        {std::string("a\0b", 3), "may hold only"},
        {"caf\xc3\xa9", "may hold only"},
        {std::string(129, 'a'), "longer than 128"},
        {std::string(100, 'a') + "/" + std::string(100, 'a') + "/" + std::string(100, 'a'),
         "longer than 256"},
        {"x/label/", "followed by no label"},
        {"x/label/1", "begins with a letter"},
        {"x/label/a/../b", "'..'"},
        {"x/label/a b", "a label may hold only"},
        {"x/label/" + std::string(129, 'a'), "longer than 128"},
        {"defaults", "pkgs/main"},
        {"conda-forge/linux-64", "--subdir linux-64"},
        {"conda-forge/noarch", "--subdir noarch"},
        {"https://conda.anaconda.org/conda-forge/linux-64", "--subdir linux-64"},
        {"https://prefix.dev/x/win-64/", "--subdir win-64"},
        {"file:///srv/x/noarch", "--subdir noarch"},
        {"https://prefix.dev/x/linux-64/repodata.json.zst", "index file"},
        {"https://conda.anaconda.org", "add a name"},
        {"https://conda.anaconda.org/", "add a name"},
        {"https://conda.anaconda.org/Conda-Forge", "lower-case"},
        {"https://conda.anaconda.org/../x", "begin with '.'"},
        {"https://prefix.dev/a/../b", "'..'"},
        {"https://prefix.dev/a/%2e%2e/b", "may hold only"},
        {"https://prefix.dev/a\\b", "'..'"},
        {"https://prefix.dev//x", "empty path segment"},
        {"https:///x", "host or port"},
        {"https://../x", "host or port"},
        {"https://h:port/x", "host or port"},
        {"https://h:/x", "host or port"},
        {"https://h x/x", "host or port"},
        {"http://[]/x", "host or port"},
        {"https://h/x#frag", "'#'"},
        {"ftp://h/x", "only http, https and file"},
        {"://x", "only http, https and file"},
        {"file://host/x", "no host"},
        {"file:///", "names no channel"},
        {"/srv/x", "file:///"},
        {"./x", "file:///"},
        {"~/x", "file:///"},
        {"C:\\x", "file:///"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const std::string message = refusal(row.text);
        CAPTURE(message);
        CHECK(mentions(message, row.rule));
        CHECK_FALSE(mentions(message, "\n"));
    }
}

TEST_CASE("channel: no message repeats a secret") {
    for (const std::string_view text : {
             "https://user:hunter2@conda.anaconda.org/x",
             "https://hunter2@h/x",
             "https://user:hunt/hunter2@h/x",
             "https://user:p@hunter2@h/x",
             "https://conda.anaconda.org/t/hunter2/x",
             "https://h/a/t/hunter2/x",
             "https://h:hunter2@bad:port/x",
             "https://h/x?token=hunter2",
             "ftp://user:hunter2@h/x",
             "user:hunter2@h/x",
             "t@/t/hunter2/x",
             "../t/hunter2/x",
         }) {
        CAPTURE(text);
        const std::string message = refusal(text);
        CHECK_FALSE(mentions(message, "hunter2"));
        CHECK_FALSE(message == "(accepted)");
    }
}

TEST_CASE("channel: safe path segments") {
    for (const std::string_view good :
         {"a", "linux-64", "..a", "a..", "...", "x y", "localhost:80", "caf\xc3\xa9"}) {
        CHECK(is_safe_path_segment(good));
    }
    for (const std::string_view bad : {"", ".", "..", "a/b", "/", "a\\b", "a\nb", "\x7f"}) {
        CHECK_FALSE(is_safe_path_segment(bad));
    }
    CHECK_FALSE(is_safe_path_segment(std::string_view("a\0b", 3)));
    CHECK(is_safe_path_segment(std::string(255, 'a')));
    CHECK_FALSE(is_safe_path_segment(std::string(256, 'a')));
}

TEST_CASE("channel: a name whose URL would seem to hold a token is refused") {
    for (const std::string_view text : {"t/to-12345/c", "a/t/to-12345/c"}) {
        CAPTURE(text);
        CHECK(mentions(refusal(text), "token"));
        CHECK(!mentions(refusal(text), "12345"));
    }
    CHECK(parse_channel("a/t"));
    CHECK(parse_channel("at/b"));
}

TEST_CASE("channel: a host too long for a folder's name is refused") {
    const std::string host(240, 'a');
    CHECK(is_safe_path_segment(host + ":65535"));
    CHECK(parse_channel("https://" + host + ":65535/c"));
    CHECK_FALSE(parse_channel("https://" + host + "a:65535/c"));
}
