// Names for several channels at once.
#include "config/channel_list.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace chm::config {
namespace {

using Names = std::vector<std::string>;

Names names(const Names& texts, const Settings& settings, const Names& platforms = {"linux-64"}) {
    const auto channels = expand_channels(texts, settings, platforms);
    REQUIRE_MESSAGE(channels, channels.error().message);
    Names result;
    for (const conda::Channel& channel : *channels) {
        result.push_back(channel.name);
    }
    return result;
}

TEST_CASE("channel_list: defaults is what conda has, on Windows with msys2") {
    CHECK(names({"pytorch", "defaults"}, {}) == Names{"pytorch", "pkgs/main", "pkgs/r"});
    CHECK(names({"defaults"}, {}, {"linux-64", "win-64"}) ==
          Names{"pkgs/main", "pkgs/r", "pkgs/msys2"});
    Settings settings;
    settings.default_channels = {"conda-forge"};
    CHECK(names({" defaults "}, settings) == Names{"conda-forge"});
}

TEST_CASE("channel_list: the configuration's multichannels, each channel once") {
    Settings settings;
    settings.custom_multichannels = {{"torch", {"pytorch", "nvidia", "conda-forge"}},
                                     {"defaults", {"nvidia"}}};
    CHECK(names({"nvidia", "torch", "https://conda.anaconda.org/pytorch"}, settings) ==
          Names{"nvidia", "pytorch", "conda-forge"});
    CHECK(names({"defaults"}, settings) == Names{"nvidia"});
}

TEST_CASE("channel_list: what is no channel is refused") {
    const auto channels = expand_channels({"../etc"}, {}, {"linux-64"});
    REQUIRE_FALSE(channels);
    CHECK(channels.error().kind == ErrorKind::usage);
}

}  // namespace
}  // namespace chm::config
