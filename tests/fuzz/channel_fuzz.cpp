// Channels: a name is a safe relative path and its URL gives the same channel; of credentials
// nothing stays in the URL.
#include "base/text.hpp"
#include "conda/channel.hpp"
#include "fuzz/fuzz.hpp"

using chm::fuzz::expect;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = chm::fuzz::as_text(data, size);
    if (const auto channel = chm::conda::parse_channel(text)) {
        for (const std::string_view segment : chm::split(channel->name, '/')) {
            expect(chm::conda::is_safe_path_segment(segment), "a channel's name is a safe path");
        }
        const auto again = chm::conda::parse_channel(channel->url);
        expect(again && *again == *channel, "a channel's URL gives the same channel");
    }
    if (const auto split = chm::conda::split_credentials(text)) {
        const auto again = chm::conda::split_credentials(split->url);
        expect(again && !again->credentials.user_password && !again->credentials.token,
               "no credentials are left in the URL");
        expect(again->url == split->url, "splitting again changes nothing");
    }
    static_cast<void>(chm::conda::percent_decode(text));
    return 0;
}
