// Locks as lists of digests: nothing that a lock names may be overlooked.
#include "channels/lock_files.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

namespace chm::channels {
namespace {

const std::string k_sha(64, 'a');
const std::string k_md5(32, 'b');

TEST_CASE("lock files: sha256, sha256: and md5 are read, comments and blank lines left out") {
    const auto files = parse_explicit_lock(
        fmt::format("# platform: linux-64\n\n@EXPLICIT\nhttps://h/c/noarch/a-1-0.conda#{0}\r\n"
                    "# more\nhttps://h/c/noarch/b%2B-1-0.conda#sha256:{0}\n"
                    "https://h/c/noarch/c-1-0.tar.bz2#{1}\nhttps://h/c/noarch/d-1-0.tar.bz2",
                    k_sha,
                    k_md5));
    REQUIRE_MESSAGE(files, files.error().message);
    REQUIRE(files->size() == 4);
    CHECK((*files)[0].sha256->hex() == k_sha);
    CHECK((*files)[0].fn == "a-1-0.conda");
    CHECK((*files)[1].sha256->hex() == k_sha);
    CHECK((*files)[1].fn == "b+-1-0.conda");
    CHECK((*files)[2].md5->hex() == k_md5);
    CHECK_FALSE((*files)[2].sha256);
    CHECK_FALSE((*files)[3].sha256);
    CHECK_FALSE((*files)[3].md5);
}

TEST_CASE("lock files: what is not understood is an error that names the line and not the URL") {
    for (const std::string& text :
         {std::string(),
          std::string("# only comments\n"),
          std::string("version: 1\n"),
          std::string("@EXPLICIT\nnumpy=1.26\n"),
          std::string("@EXPLICIT\nhttps://u:secret@h/c/noarch/a#zz\n"),
          std::string("@EXPLICIT\nhttps://u:secret@h/c/noarch/..#") + k_md5,
          std::string("@EXPLICIT\nhttps://u:secret@h/c/%zz#") + k_md5,
          "https://h/c/noarch/a-1-0.conda#" + k_sha + "\n@EXPLICIT\n"}) {
        CAPTURE(text);
        const auto files = parse_explicit_lock(text);
        REQUIRE_FALSE(files);
        CHECK(files.error().kind == ErrorKind::integrity);
        CHECK(files.error().message.find("line ") != std::string::npos);
        CHECK(files.error().message.find("secret") == std::string::npos);
    }
}

TEST_CASE("lock files: a URL means a channel by its own address, else by the longest name") {
    Manifest manifest;
    for (const char* name : {"b", "nvidia", "nvidia/label/b"}) {
        manifest.channels.push_back({name, fmt::format("https://conda.anaconda.org/{}", name), {}});
        manifest.channels.back().subdirs.emplace_back().subdir = "noarch";
    }
    const auto channel = [&](const std::string& url) {
        const LockedPlace place = place_of({url, "x", {}, {}}, manifest);
        return place.channel != nullptr ? place.channel->name : std::string("(none)");
    };
    CHECK(channel("https://conda.anaconda.org/nvidia/noarch/x") == "nvidia");
    CHECK(channel("https://mirror/nvidia/label/b/noarch/x") == "nvidia/label/b");
    CHECK(channel("file:///srv/public/b/noarch/x") == "b");
    CHECK(channel("https://mirror/xb/noarch/x") == "(none)");
    CHECK(channel("https://mirror/b/linux-64/x") == "(none)");
}

}  // namespace
}  // namespace chm::channels
