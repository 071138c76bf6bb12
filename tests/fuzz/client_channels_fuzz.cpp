// A conda client's channel configuration: the first line is channel_alias, lines "name=URL" are
// custom channels, the last line is what a user names. A channel's URL is that channel again, and
// no credentials are in it. The last line is also a channel_relations reference.
#include "base/text.hpp"
#include "conda/channel_relations.hpp"
#include "conda/client_channels.hpp"
#include "fuzz/fuzz.hpp"

#include <string>

using chm::Secret;
using chm::conda::ClientChannel;
using chm::conda::ClientChannelKeys;
using chm::conda::ClientChannels;
using chm::fuzz::expect;

namespace {

void check_channel(const ClientChannels& channels, const ClientChannel& channel) {
    const std::string url = channel.base_url();
    expect(url.find("://") != std::string::npos, "a channel's URL is one");
    static_cast<void>(channels.canonical_name(channel));
    static_cast<void>(channels.expand(url));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto lines = chm::split(chm::fuzz::as_text(data, size), '\n');
    ClientChannelKeys keys;
    if (!lines.front().empty()) {
        keys.channel_alias = Secret(std::string(lines.front()));
    }
    for (std::size_t i = 1; i + 1 < lines.size(); ++i) {
        const std::size_t sign = lines[i].find('=');
        if (sign != std::string_view::npos) {
            keys.custom_channels.insert_or_assign(std::string(lines[i].substr(0, sign)),
                                                  Secret(std::string(lines[i].substr(sign + 1))));
        }
    }
    const auto channels = ClientChannels::make(keys, "win-64");
    if (channels) {
        if (const auto expanded = channels->expand(lines.back())) {
            for (const ClientChannel& channel : *expanded) {
                check_channel(*channels, channel);
            }
        }
    }
    const chm::conda::Channel declaring{"a/b", "https://conda.anaconda.org/a/b"};
    if (const auto related = chm::conda::related_channel(declaring, lines.back())) {
        expect(related->url.starts_with("https://conda.anaconda.org/"),
               "a relation stays on its server");
    }
    return 0;
}
