// Where conda finds channels. The configurations and most answers are those of conda's own tests
// (conda 26.7, tests/models/test_channel.py); the rest follows from its code.
#include "conda/client_channels.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using chm::ErrorKind;
using chm::Secret;
using chm::conda::ClientChannel;
using chm::conda::ClientChannelKeys;
using chm::conda::ClientChannels;
using chm::conda::with_configured_channels;

namespace {

std::vector<Secret> secrets(const std::vector<std::string>& texts) {
    std::vector<Secret> result;
    for (const std::string& text : texts) {
        result.emplace_back(text);
    }
    return result;
}

ClientChannels with_keys(const ClientChannelKeys& keys, std::string_view platform = "linux-64") {
    auto channels = ClientChannels::make(keys, platform);
    REQUIRE(channels);
    return *channels;
}

ClientChannel one(const ClientChannels& channels, std::string_view text) {
    const auto expanded = channels.expand(text);
    REQUIRE(expanded);
    REQUIRE(expanded->size() == 1);
    return expanded->front();
}

std::string user_password(const ClientChannel& channel) {
    const auto& secret = channel.location.credentials.user_password;
    return secret ? secret->reveal() : "";
}

std::string token(const ClientChannel& channel) {
    const auto& secret = channel.location.credentials.token;
    return secret ? secret->reveal() : "";
}

struct Row {
    std::string_view text, location, name, subdir, url, shown;
};

void check(const ClientChannels& channels, const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const ClientChannel channel = one(channels, row.text);
        CHECK(channel.location.path == row.location);
        CHECK(channel.name == row.name);
        CHECK(channel.subdir == row.subdir);
        CHECK(channel.base_url() == row.url);
        CHECK(channels.canonical_name(channel) == row.shown);
    }
}

std::vector<std::string> urls(const ClientChannels& channels, std::string_view text) {
    const auto expanded = channels.expand(text);
    REQUIRE(expanded);
    std::vector<std::string> result;
    for (const ClientChannel& channel : *expanded) {
        result.push_back(channel.base_url());
    }
    return result;
}

}  // namespace

TEST_CASE("client_channels: conda without configuration") {
    const std::string_view org = "conda.anaconda.org";
    check(with_keys({}),
          {{"conda-forge",
            org,
            "conda-forge",
            "",
            "https://conda.anaconda.org/conda-forge",
            "conda-forge"},
           {"binstar/label/dev/win-32",
            org,
            "binstar/label/dev",
            "win-32",
            "https://conda.anaconda.org/binstar/label/dev",
            "binstar/label/dev"},
           {"https://conda.anaconda.org/conda-forge/linux-64/",
            org,
            "conda-forge",
            "linux-64",
            "https://conda.anaconda.org/conda-forge",
            "conda-forge"},
           {"http://conda.anaconda.org/conda-forge",
            org,
            "conda-forge",
            "",
            "http://conda.anaconda.org/conda-forge",
            "conda-forge"},
           {"pkgs/main/win-64",
            "repo.anaconda.com",
            "pkgs/main",
            "win-64",
            "https://repo.anaconda.com/pkgs/main",
            "defaults"},
           {"https://repo.anaconda.com/pkgs/main/osx-64",
            "repo.anaconda.com",
            "pkgs/main",
            "osx-64",
            "https://repo.anaconda.com/pkgs/main",
            "defaults"},
           {"pkgs/pro",
            "repo.anaconda.com",
            "pkgs/pro",
            "",
            "https://repo.anaconda.com/pkgs/pro",
            "pkgs/pro"},
           {"pkgs/free", org, "pkgs/free", "", "https://conda.anaconda.org/pkgs/free", "pkgs/free"},
           {"https://192.168.0.0:8000",
            "192.168.0.0:8000",
            "",
            "",
            "https://192.168.0.0:8000",
            "https://192.168.0.0:8000"},
           {"http://test/conda/anaconda-cluster",
            "test/conda",
            "anaconda-cluster",
            "",
            "http://test/conda/anaconda-cluster",
            "http://test/conda/anaconda-cluster"},
           {"file:///conda-01", "/", "conda-01", "", "file:///conda-01", "file:///conda-01"},
           {"/machine/shared_folder",
            "/machine",
            "shared_folder",
            "",
            "file:///machine/shared_folder",
            "file:///machine/shared_folder"},
           {"https://h.example/a%2Bb",
            "h.example",
            "a+b",
            "",
            "https://h.example/a+b",
            "https://h.example/a+b"}});
}

TEST_CASE("client_channels: a URL that is shorter than a channel's is not that channel") {
    const ClientChannels channels = with_keys({});
    CHECK(one(channels, "https://repo.anaconda.com/pkgs").base_url() ==
          "https://repo.anaconda.com/pkgs");
}

TEST_CASE("client_channels: a token is taken from wherever it stands") {
    const ClientChannels channels = with_keys({});
    const ClientChannel channel =
        one(channels, "https://10.2.8.9:8080/conda/t/tk-987-321/bioconda/label/dev");
    CHECK(channel.name == "bioconda/label/dev");
    CHECK(channel.base_url() == "https://10.2.8.9:8080/conda/bioconda/label/dev");
    CHECK(token(channel) == "tk-987-321");
}

TEST_CASE("client_channels: defaults has msys2 on Windows") {
    CHECK(urls(with_keys({}), "defaults") ==
          std::vector<std::string>{"https://repo.anaconda.com/pkgs/main",
                                   "https://repo.anaconda.com/pkgs/r"});
    CHECK(urls(with_keys({}, "win-64"), "defaults") ==
          std::vector<std::string>{"https://repo.anaconda.com/pkgs/main",
                                   "https://repo.anaconda.com/pkgs/r",
                                   "https://repo.anaconda.com/pkgs/msys2"});
    const auto members = with_keys({}).expand("defaults/linux-32");
    REQUIRE(members);
    CHECK(members->front().subdir == "linux-32");
}

TEST_CASE("client_channels: custom and migrated channels") {
    ClientChannelKeys keys;
    keys.custom_channels = {
        {"darwin", Secret("https://some.url.somewhere/stuff")},
        {"chuck", Secret("http://user1:pass2@another.url:8080/t/tk-1234/with/path")},
        {"pkgs/anaconda", Secret("http://192.168.0.15:8080")}};
    keys.migrated_custom_channels = {{"darwin", Secret("s3://just/cant")},
                                     {"chuck", Secret("file:///var/lib/repo/")},
                                     {"pkgs/anaconda", Secret("https://repo.anaconda.com")}};
    keys.migrated_channel_aliases = secrets({"https://conda.anaconda.org"});
    keys.channel_alias = Secret("ftp://new.url:8082");
    keys.default_channels = secrets({"http://192.168.0.15:8080/pkgs/anaconda",
                                     "http://192.168.0.15:8080/pkgs/pro",
                                     "http://192.168.0.15:8080/pkgs/msys2"});
    const ClientChannels channels = with_keys(keys);
    const std::string_view local = "192.168.0.15:8080";
    check(channels,
          {{"pkgs/anaconda",
            local,
            "pkgs/anaconda",
            "",
            "http://192.168.0.15:8080/pkgs/anaconda",
            "defaults"},
           {"https://repo.anaconda.com/pkgs/anaconda/noarch",
            local,
            "pkgs/anaconda",
            "noarch",
            "http://192.168.0.15:8080/pkgs/anaconda",
            "defaults"},
           {"https://repo.anaconda.com/pkgs/anaconda/label/dev",
            local,
            "pkgs/anaconda/label/dev",
            "",
            "http://192.168.0.15:8080/pkgs/anaconda/label/dev",
            "pkgs/anaconda/label/dev"},
           {"darwin",
            "some.url.somewhere/stuff",
            "darwin",
            "",
            "https://some.url.somewhere/stuff/darwin",
            "darwin"},
           {"https://some.url.somewhere/stuff/darwin/label/dev/linux-64",
            "some.url.somewhere/stuff",
            "darwin/label/dev",
            "linux-64",
            "https://some.url.somewhere/stuff/darwin/label/dev",
            "darwin/label/dev"},
           {"s3://just/cant/darwin/osx-64",
            "some.url.somewhere/stuff",
            "darwin",
            "osx-64",
            "https://some.url.somewhere/stuff/darwin",
            "darwin"},
           {"file:///var/lib/repo/chuck/label/dev",
            "another.url:8080/with/path",
            "chuck/label/dev",
            "",
            "http://another.url:8080/with/path/chuck/label/dev",
            "chuck/label/dev"},
           {"conda-forge",
            "new.url:8082",
            "conda-forge",
            "",
            "ftp://new.url:8082/conda-forge",
            "conda-forge"},
           {"https://conda.anaconda.org/conda-forge/osx-64/some-great-package.tar.bz2",
            "new.url:8082",
            "conda-forge",
            "osx-64",
            "ftp://new.url:8082/conda-forge",
            "conda-forge"}});
    // conda: a migrated pkgs/pro is none, its URL is where it says.
    CHECK(one(channels, "https://repo.anaconda.com/pkgs/pro").base_url() ==
          "https://repo.anaconda.com/pkgs/pro");
    const ClientChannel chuck = one(
        channels, "https://another.url:8080/with/path/chuck/label/dev/linux-64/flask-1.0.tar.bz2");
    CHECK(chuck.file == "flask-1.0.tar.bz2");
    CHECK(chuck.location.scheme == "https");
    CHECK(user_password(chuck) == "user1:pass2");
    CHECK(token(chuck) == "tk-1234");
}

TEST_CASE("client_channels: the longest custom name counts, and a URL's own credentials") {
    ClientChannelKeys keys;
    keys.custom_channels = {
        {"chuck", Secret("http://user1:pass2@another.url:8080/with/path/t/tk-1234")},
        {"chuck/subchan", Secret("http://user33:pass44@another.url:8080/with/path/t/tk-1234")}};
    keys.channel_alias = Secret("ftp://nm:ps@new.url:8082/t/zyx-wvut/");
    keys.default_channels = secrets({"http://192.168.0.15:8080/pkgs/anaconda",
                                     "donald/label/main",
                                     "http://us:pw@192.168.0.15:8080/t/tkn-123/pkgs/r"});
    const ClientChannels channels = with_keys(keys);
    CHECK(user_password(one(channels, "chuck/label/dev")) == "user1:pass2");
    CHECK(user_password(one(channels, "chuck/subchan/label/main")) == "user33:pass44");
    CHECK(user_password(one(channels, "http://another.url:8080/with/path/chuck/subchan/x")) ==
          "user33:pass44");
    const ClientChannel own = one(
        channels, "https://newuser:newpass@another.url:8080/with/path/t/new-token/chuck/label/dev");
    CHECK(own.base_url() == "https://another.url:8080/with/path/chuck/label/dev");
    CHECK(user_password(own) == "newuser:newpass");
    CHECK(token(own) == "new-token");
    const ClientChannel aliased = one(channels, "charlie");
    CHECK(aliased.base_url() == "ftp://new.url:8082/charlie");
    CHECK(user_password(aliased) == "nm:ps");
    CHECK(token(aliased) == "zyx-wvut");
    CHECK(urls(channels, "defaults") ==
          std::vector<std::string>{"http://192.168.0.15:8080/pkgs/anaconda",
                                   "ftp://new.url:8082/donald/label/main",
                                   "http://192.168.0.15:8080/pkgs/r"});
    CHECK(channels.canonical_name(one(channels, "ftp://new.url:8082/donald/label/main")) ==
          "defaults");
}

TEST_CASE("client_channels: an alias may have a path and a token") {
    ClientChannelKeys keys;
    keys.channel_alias = Secret("https://10.2.3.4:8080/conda/t/tk-123-45");
    keys.migrated_channel_aliases =
        secrets({"https://conda.anaconda.org", "http://10.2.3.4:7070/conda"});
    const ClientChannels channels = with_keys(keys);
    const ClientChannel named = one(channels, "bioconda/label/dev");
    CHECK(named.location.path == "10.2.3.4:8080/conda");
    CHECK(token(named) == "tk-123-45");
    CHECK(one(channels, "http://10.2.3.4:7070/conda/bioconda").base_url() ==
          "https://10.2.3.4:8080/conda/bioconda");
    const ClientChannel misplaced =
        one(channels, "https://10.2.3.4:8080/t/x1029384756/conda/bioconda");
    CHECK(misplaced.base_url() == "https://10.2.3.4:8080/conda/bioconda");
    CHECK(token(misplaced) == "x1029384756");
}

TEST_CASE("client_channels: a multichannel of the user's, also one named defaults") {
    ClientChannelKeys keys;
    keys.custom_multichannels = {
        {"torch", secrets({"pytorch", "nvidia", "https://h.example/mirror/conda-forge"})},
        {"defaults", secrets({"conda-forge"})}};
    keys.default_channels = secrets({"https://repo.anaconda.com/pkgs/main"});
    const ClientChannels channels = with_keys(keys);
    CHECK(urls(channels, "torch") ==
          std::vector<std::string>{"https://conda.anaconda.org/pytorch",
                                   "https://conda.anaconda.org/nvidia",
                                   "https://h.example/mirror/conda-forge"});
    CHECK(urls(channels, "defaults") ==
          std::vector<std::string>{"https://conda.anaconda.org/conda-forge"});
    CHECK(channels.canonical_name(one(channels, "pytorch")) == "torch");
    // The first of the file that has the channel; the user's own before "defaults".
    ClientChannelKeys overlapping;
    overlapping.custom_multichannels = {{"mine", secrets({"x", "pkgs/main"})},
                                        {"a", secrets({"x"})}};
    const ClientChannels several = with_keys(overlapping);
    CHECK(several.canonical_name(one(several, "x")) == "mine");
    CHECK(several.canonical_name(one(several, "pkgs/main")) == "mine");
    const auto all = channels.expand_all({"nvidia", "torch", "https://conda.anaconda.org/nvidia"});
    REQUIRE(all);
    CHECK(all->size() == 3);
    CHECK(all->front().name == "nvidia");
}

TEST_CASE("client_channels: mistakes are named, secrets are not") {
    const ClientChannels channels = with_keys({});
    for (const std::string_view text : {"",
                                        " ",
                                        "local",
                                        "./here",
                                        "~/there",
                                        "C:\\x",
                                        "https://u:hunter2%zz@h/x",
                                        "a\nb",
                                        "https://h/t/x/t/hunter2/c"}) {
        CAPTURE(text);
        const auto expanded = channels.expand(text);
        REQUIRE_FALSE(expanded);
        CHECK(expanded.error().kind == ErrorKind::usage);
        CHECK(expanded.error().message.find("hunter2") == std::string::npos);
    }
    ClientChannelKeys keys;
    keys.channel_alias = Secret("hunter2.example.org/x");
    const auto made = ClientChannels::make(keys, "linux-64");
    REQUIRE_FALSE(made);
    CHECK(made.error().kind == ErrorKind::config);
    CHECK(made.error().message.find("channel_alias") != std::string::npos);
    CHECK(made.error().message.find("hunter2") == std::string::npos);
}

TEST_CASE("client_channels: a megabyte of slashes costs no time") {
    const ClientChannels channels = with_keys({});
    CHECK_FALSE(channels.expand(std::string(1 << 20, '/')));
    CHECK_FALSE(channels.expand("https://h/" + std::string(1 << 20, '/')));
}

TEST_CASE("client_channels: nodefaults keeps the configured channels out") {
    using List = std::vector<std::string>;
    const List configured = {"conda-forge", "defaults"};
    CHECK(with_configured_channels({"pytorch"}, configured) ==
          List{"pytorch", "conda-forge", "defaults"});
    CHECK(with_configured_channels({"pytorch", "nodefaults"}, configured) == List{"pytorch"});
    CHECK(with_configured_channels({"nodefaults", "defaults"}, configured) == List{"defaults"});
    CHECK(with_configured_channels({}, configured) == configured);
}
