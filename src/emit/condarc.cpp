// The .condarc as text: YAML that cannot be misread, since a channel may be called "no" or "1e3".
#include "emit/condarc.hpp"

#include "base/ascii.hpp"
#include "base/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace chm::emit {
namespace {

/// YAML 1.1's words for null and booleans, in lower case: conda's and mamba's readers know these.
constexpr std::array<std::string_view, 11> k_special = {
    "null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf"};

/// Plain where every YAML reader takes it for a text (a number never begins with a letter), quoted
/// else: a JSON string is a YAML string.
std::string yaml_text(const std::string& text) {
    constexpr std::string_view k_plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:%";
    std::string word = text;
    std::ranges::transform(word, word.begin(), to_lower);
    const bool plain = !text.empty() && is_letter(text.front()) && text.back() != ':' &&
                       text.find_first_not_of(k_plain) == std::string::npos &&
                       std::ranges::find(k_special, word) == k_special.end();
    return plain ? text : to_json(Json(text));
}

}  // namespace

std::string condarc(const CondarcRequest& request) {
    std::string text =
        fmt::format("{}: conda and mamba read these channels from the mirror\n", k_condarc_mark);
    text += "channels:\n";
    for (const std::string& channel : request.channels) {
        text += fmt::format("  - {}\n", yaml_text(channel));
    }
    text += "custom_channels:\n";
    for (const std::string& channel : request.channels) {
        text += fmt::format("  {}: {}\n", yaml_text(channel), yaml_text(request.base_url));
    }
    text += fmt::format("channel_priority: {}\n", request.channel_priority);
    text += "show_channel_urls: true\n";
    return text;
}

std::string condarc_json(const CondarcRequest& request) {
    Json::Array channels;
    Json::Object custom_channels;
    for (const std::string& channel : request.channels) {
        channels.emplace_back(channel);
        custom_channels.emplace_back(channel, request.base_url);
    }
    const Json document = Json::Object{{"channels", std::move(channels)},
                                       {"custom_channels", std::move(custom_channels)},
                                       {"channel_priority", request.channel_priority},
                                       {"show_channel_urls", true}};
    return to_json(document, 2) + "\n";
}

std::string file_url(const std::string& absolute_path) {
    constexpr std::string_view k_unreserved =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    std::string url = "file://";
    for (const char c : absolute_path) {
        if (k_unreserved.find(c) != std::string_view::npos) {
            url += c;
        } else {
            url += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return url;
}

}  // namespace chm::emit
