// From a snapshot to the indexes of a solve: which, in which order, and what is said when they are
// not there.
#include "channels/open_indexes.hpp"

#include "base/atomic_file.hpp"
#include "channels/publish.hpp"
#include "support/fake_clock.hpp"
#include "support/mirror_check.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

namespace chm::channels {
namespace {

class Fixture {
public:
    Fixture() {
        std::vector<NewIndex> indexes;
        for (const auto& [channel, subdir] :
             std::vector<std::pair<std::string, std::string>>{{"pytorch", "linux-64"},
                                                              {"pytorch", "noarch"},
                                                              {"conda-forge", "noarch"},
                                                              {"nvidia", "linux-64"}}) {
            NewIndex& index = indexes.emplace_back();
            index.channel = named(channel);
            index.subdir = subdir;
            index.json = test::small_index(subdir, {channel + "-1-0"});
            index.records = 1;
            index.index_sha256 = sha256(index.json);
            index.package_url = "https://u/x";
        }
        auto published = publish(paths, {}, std::move(indexes), clock, {});
        REQUIRE(published);
        manifest = std::move(*published);
    }

    static conda::Channel named(const std::string& name) {
        return {name, "https://example.org/" + name};
    }

    /// "channel/subdir" of each index that is opened.
    [[nodiscard]] std::vector<std::string> opened(const std::vector<std::string>& names,
                                                  std::string_view platform) const {
        const auto indexes = open(names, platform);
        REQUIRE_MESSAGE(indexes, indexes.error().message);
        std::vector<std::string> places;
        for (const SubdirIndex& index : *indexes) {
            places.push_back(index.channel().name + "/" + index.subdir());
            CHECK(index.has(index.channel().name));
        }
        return places;
    }
    [[nodiscard]] Result<std::vector<SubdirIndex>> open(const std::vector<std::string>& names,
                                                        std::string_view platform) const {
        std::vector<conda::Channel> channels;
        channels.reserve(names.size());
        for (const std::string& name : names) {
            channels.push_back(named(name));
        }
        return open_indexes(paths, manifest, channels, platform);
    }

    using Places = std::vector<std::string>;
    test::TempDir directory;
    test::FakeClock clock;
    MirrorPaths paths{directory.path()};
    Manifest manifest;
};

TEST_CASE_FIXTURE(Fixture,
                  "open_indexes: channels in the given order, the platform before noarch") {
    CHECK(opened({"pytorch", "nvidia", "conda-forge"}, "linux-64") ==
          Places{"pytorch/linux-64", "pytorch/noarch", "nvidia/linux-64", "conda-forge/noarch"});
    CHECK(opened({"conda-forge", "pytorch"}, "linux-64") ==
          Places{"conda-forge/noarch", "pytorch/linux-64", "pytorch/noarch"});
}

TEST_CASE_FIXTURE(Fixture, "open_indexes: nothing is opened twice") {
    CHECK(opened({"pytorch", "nvidia", "pytorch"}, "linux-64") ==
          Places{"pytorch/linux-64", "pytorch/noarch", "nvidia/linux-64"});
    CHECK(opened({"pytorch"}, "noarch") == Places{"pytorch/noarch"});
}

TEST_CASE_FIXTURE(Fixture,
                  "open_indexes: an unknown channel is named, with the nearest and the remedy") {
    const auto indexes = open({"pytorch", "conda-forg"}, "linux-64");
    REQUIRE_FALSE(indexes);
    CHECK(indexes.error().kind == ErrorKind::usage);
    CHECK(indexes.error().message.find("did you mean 'conda-forge'") != std::string::npos);
    CHECK(indexes.error().message.find("chanmirror sync https://example.org/conda-forg") !=
          std::string::npos);
}

TEST_CASE_FIXTURE(Fixture,
                  "open_indexes: a platform that no channel has is named with the remedy") {
    const auto indexes = open({"pytorch", "conda-forge"}, "osx-arm64");
    REQUIRE_FALSE(indexes);
    CHECK(indexes.error().kind == ErrorKind::usage);
    CHECK(indexes.error().message.find("sync --subdir osx-arm64") != std::string::npos);
}

TEST_CASE_FIXTURE(Fixture,
                  "open_indexes: a damaged index is an integrity error that names the file") {
    const auto file = upstream_index(paths.snapshot(manifest.id), "pytorch", "noarch");
    REQUIRE(write_file_atomically(file, "x"));
    const auto indexes = open({"pytorch"}, "linux-64");
    REQUIRE_FALSE(indexes);
    CHECK(indexes.error().kind == ErrorKind::integrity);
    CHECK(indexes.error().message.find(file.string()) != std::string::npos);
    CHECK(open({"nvidia"}, "linux-64"));
}

}  // namespace
}  // namespace chm::channels
