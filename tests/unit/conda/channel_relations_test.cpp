// CEP 42: the order of its examples, and the ways in which relations can be wrong.
#include "conda/channel_relations.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

using chm::ErrorKind;
using chm::conda::Channel;
using chm::conda::ChannelRelations;
using chm::conda::k_channel_relations_max_depth;
using chm::conda::parse_channel;
using chm::conda::related_channel;
using chm::conda::with_related_channels;

namespace {

using Declared = std::map<std::string, std::vector<ChannelRelations>>;

chm::Result<std::vector<chm::conda::RelatedChannel>> relate(
    const std::vector<std::string>& heads,
    const Declared& declared,
    unsigned max_depth = k_channel_relations_max_depth) {
    std::vector<Channel> channels;
    for (const std::string& head : heads) {
        channels.push_back(*parse_channel(head));
    }
    return with_related_channels(
        channels,
        [&](const Channel& channel) {
            const auto found = declared.find(channel.name);
            return found == declared.end() ? std::vector<ChannelRelations>{} : found->second;
        },
        max_depth);
}

std::string order(const std::vector<std::string>& heads,
                  const Declared& declared,
                  unsigned max_depth = k_channel_relations_max_depth) {
    const auto related = relate(heads, declared, max_depth);
    if (!related) {
        CHECK(related.error().kind == ErrorKind::integrity);
        return related.error().message;
    }
    std::string text;
    for (const auto& [channel, reason] : *related) {
        text += text.empty() ? "" : " > ";
        text += channel.name + (reason.empty() ? "" : " (" + reason + ")");
    }
    return text;
}

bool mentions(std::string_view text, std::string_view word) {
    return text.find(word) != std::string_view::npos;
}

}  // namespace

TEST_CASE("channel_relations: references are relative to the channel") {
    const Channel forge = *parse_channel("conda-forge/label/rc");
    CHECK(related_channel(forge, "../..")->name == "conda-forge");
    CHECK(related_channel(*parse_channel("bioconda"), "../conda-forge")->url ==
          "https://conda.anaconda.org/conda-forge");
    CHECK(related_channel(*parse_channel("https://h.example/a/b"), "../../x/")->url ==
          "https://h.example/x");
    CHECK(related_channel(*parse_channel("file:///srv/a"), "../b")->url == "file:///srv/b");
    for (const std::string_view bad : {"conda-forge",
                                       "https://evil.example/x",
                                       "/x",
                                       "../../x",
                                       "../..",
                                       "..",
                                       "..x",
                                       "../UP",
                                       "../x?y",
                                       "../linux-64",
                                       "../a\x01"}) {
        CAPTURE(bad);
        const auto related = related_channel(*parse_channel("bioconda"), bad);
        REQUIRE_FALSE(related);
        CHECK(related.error().kind == ErrorKind::integrity);
        CHECK(mentions(related.error().message, "bioconda"));
        CHECK_FALSE(mentions(related.error().message, "\x01"));
    }
}

TEST_CASE("channel_relations: the CEP's examples") {
    const Declared declared = {{"bioconda", {{"../conda-forge", ""}}},
                               {"conda-forge/label/rc", {{"", "../.."}}},
                               {"my-channel", {{"../bioconda", ""}}},
                               {"both", {{"../conda-forge", "../my-hotfixes"}}}};
    CHECK(order({"bioconda"}, declared) == "conda-forge (base of bioconda) > bioconda");
    CHECK(order({"conda-forge/label/rc"}, declared) ==
          "conda-forge/label/rc > conda-forge (overridden by conda-forge/label/rc)");
    CHECK(order({"my-channel"}, declared) ==
          "conda-forge (base of bioconda) > bioconda (base of my-channel) > my-channel");
    CHECK(order({"both"}, declared) ==
          "conda-forge (base of both) > both > my-hotfixes (overridden by both)");
    CHECK(order({"conda-forge", "bioconda"}, declared) == "conda-forge > bioconda");
    CHECK(order({"bioconda", "conda-forge"}, declared) == "bioconda > conda-forge");
}

TEST_CASE("channel_relations: related channels stand beside the one that names them") {
    const Declared declared = {{"b", {{"../base-of-b", ""}}}, {"a", {{"", "../below-a"}}}};
    CHECK(order({"a", "b", "c"}, declared) ==
          "a > below-a (overridden by a) > base-of-b (base of b) > b > c");
}

TEST_CASE("channel_relations: subdirs may differ, a channel comes once") {
    const Declared declared = {{"a", {{"../x", ""}, {"../y", ""}, {"../x", ""}}},
                               {"b", {{"../x", ""}}}};
    CHECK(order({"a", "b"}, declared) == "x (base of a) > y (base of a) > a > b");
    CHECK(order({"a", "a"}, {}) == "a");
    CHECK(order({}, {}).empty());
}

TEST_CASE("channel_relations: a channel that names itself") {
    CHECK(order({"a"}, {{"a", {{"../a", ""}}}}) == "a");  // against the user's order: ignored
    CHECK(mentions(order({"a"}, {{"a", {{"../x", ""}}}, {"x", {{"../x", ""}}}}), "cycle"));
}

TEST_CASE("channel_relations: cycles, contradictions and long chains are errors") {
    CHECK(mentions(order({"a"}, {{"a", {{"../x", "../x"}}}}), "both as base and as overrides"));
    CHECK(mentions(order({"a"}, {{"a", {{"../x", ""}}}, {"x", {{"../a", ""}}}}), "cycle"));
    // a > b by the user; x behind b and before a cannot be.
    CHECK(mentions(order({"a", "b"}, {{"b", {{"", "../x"}}}, {"x", {{"", "../a"}}}}), "cycle"));

    Declared chain;
    for (int i = 0; i < 20; ++i) {
        chain["c" + std::to_string(i)] = {{"../c" + std::to_string(i + 1), ""}};
    }
    CHECK(mentions(order({"c0"}, chain), "more than 10 channels away"));
    CHECK(order({"c0"}, chain, 0) == "c0");
    CHECK(mentions(order({"c0"}, chain, 2), "more than 2"));
    CHECK(order({"c18"}, chain) == "c20 (base of c19) > c19 (base of c18) > c18");
}

TEST_CASE("channel_relations: a thicket of relations is refused, not followed") {
    int asked = 0;
    const auto related = with_related_channels(
        {*parse_channel("a")},
        [&](const Channel& channel) {
            ++asked;
            return std::vector<ChannelRelations>(
                50, {"../" + channel.name + "b", "../" + channel.name + "c"});
        },
        1000);
    REQUIRE_FALSE(related);
    CHECK(mentions(related.error().message, "64 channels"));
    CHECK(asked <= 64);
}
