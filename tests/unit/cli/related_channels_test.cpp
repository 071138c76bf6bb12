// Channels that come into a solve because others declare to build on them.
#include "cli/related_channels.hpp"

#include "support/recording_reporter.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace chm::cli {
namespace {

channels::SnapshotChannel channel(const std::string& name,
                                  const conda::ChannelRelations& relations = {},
                                  const std::string& subdir = "linux-64") {
    channels::SnapshotSubdir held;
    held.subdir = subdir;
    held.relations = relations;
    return {name, "https://conda.anaconda.org/" + name, {held}};
}

std::vector<conda::Channel> heads(const std::vector<std::string>& names) {
    std::vector<conda::Channel> result;
    for (const std::string& name : names) {
        result.push_back(*conda::parse_channel(name));
    }
    return result;
}

struct Fixture {
    std::vector<std::string> order(const std::vector<std::string>& names, unsigned depth = 10) {
        reporter.clear();
        const auto ordered = with_relations({heads(names), "linux-64", depth}, manifest, reporter);
        REQUIRE_MESSAGE(ordered, ordered.error().message);
        std::vector<std::string> result;
        for (const conda::Channel& c : *ordered) {
            result.push_back(c.name);
        }
        return result;
    }

    channels::Manifest manifest;
    test::RecordingReporter reporter;
};

TEST_CASE_FIXTURE(Fixture, "related_channels: a base that is here comes first, and is said") {
    manifest.channels = {channel("bioconda", {"../conda-forge", ""}), channel("conda-forge")};
    CHECK(order({"bioconda"}) == std::vector<std::string>{"conda-forge", "bioconda"});
    CHECK(reporter.notes() ==
          std::vector<std::string>{"also using channel conda-forge (base of bioconda)"});
    CHECK(order({"bioconda", "conda-forge"}) ==
          std::vector<std::string>{"bioconda", "conda-forge"});
    CHECK(reporter.notes().empty());
    CHECK(order({"bioconda"}, 0) == std::vector<std::string>{"bioconda"});
}

TEST_CASE_FIXTURE(Fixture, "related_channels: one that is not here is left out with a warning") {
    manifest.channels = {channel("bioconda", {"../conda-forge", ""})};
    CHECK(order({"bioconda"}) == std::vector<std::string>{"bioconda"});
    REQUIRE(reporter.warnings().size() == 1);
    CHECK(reporter.warnings().front().find("chanmirror sync conda-forge") != std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "related_channels: one of the same name elsewhere is not it") {
    manifest.channels = {channel("bioconda", {"", "../pkgs/main"}), channel("pkgs/main")};
    manifest.channels[1].url = "https://repo.anaconda.com/pkgs/main";
    CHECK(order({"bioconda"}) == std::vector<std::string>{"bioconda"});
    REQUIRE(reporter.warnings().size() == 1);
    CHECK(reporter.warnings().front().find(
              "'chanmirror sync https://conda.anaconda.org/pkgs/main'") != std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "related_channels: other platforms' relations do not count") {
    manifest.channels = {channel("bioconda", {"../conda-forge", ""}, "osx-64"),
                         channel("conda-forge")};
    CHECK(order({"bioconda"}) == std::vector<std::string>{"bioconda"});
}

TEST_CASE_FIXTURE(Fixture, "related_channels: a sync warns once of what clients will miss") {
    manifest.channels = {channel("bioconda", {"../conda-forge", "../bioconda-old"}),
                         channel("bioconda-old")};
    manifest.channels.front().subdirs.push_back(manifest.channels.front().subdirs.front());
    warn_of_missing_relations(manifest, heads({"bioconda", "bioconda-old"}), reporter);
    REQUIRE(reporter.warnings().size() == 1);
    CHECK(reporter.warnings().front().find("'conda-forge'") != std::string::npos);
    reporter.clear();
    manifest.channels.front().subdirs.front().relations.base = "https://evil.example/x";
    warn_of_missing_relations(manifest, heads({"bioconda"}), reporter);
    REQUIRE(reporter.warnings().size() == 2);
    CHECK(reporter.warnings().front().find("begins with '../'") != std::string::npos);
}

}  // namespace
}  // namespace chm::cli
