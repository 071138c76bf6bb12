// Each step cites its counterpart in conda 26.7: conda/models/channel.py, conda/base/context.py and
// conda/common/url.py. One quirk is left out: conda compares path segments with zip(), so a URL that
// is shorter than a channel's, such as https://repo.anaconda.com/pkgs, passes for that channel.
#include "conda/client_channels.hpp"

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "conda/channel.hpp"
#include "conda/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace chm::conda {

namespace {

constexpr std::size_t k_max_text = 4096;  // bytes of a name or URL
constexpr std::string_view k_defaults = "defaults";
constexpr std::array<std::string_view, 2> k_extensions = {".conda", ".tar.bz2"};

/// A URL taken apart as conda does (split_conda_url_easy_parts): token, subdir and file name go
/// from wherever they stand.
struct TakenApart {
    ChannelLocation whole;  // everything else
    bool has_host = false;
    std::string subdir;
    std::string file;
};

tl::unexpected<Error> refuse(std::string_view why) {
    return fail(ErrorKind::usage, std::string(why));
}

std::string_view without_slashes(std::string_view text) {
    while (text.starts_with('/')) {
        text.remove_prefix(1);
    }
    while (text.ends_with('/')) {
        text.remove_suffix(1);
    }
    return text;
}

std::string joined(std::string_view location, std::string_view name) {
    if (location.empty() || name.empty()) {
        return std::string(location) + std::string(name);
    }
    return fmt::format("{}/{}",
                       location.ends_with('/') ? location.substr(0, location.size() - 1) : location,
                       name);
}

/// What of `path` lies below `prefix`, by whole segments; none when nothing does. "" is the place
/// itself.
std::optional<std::string_view> below(std::string_view path, std::string_view prefix) {
    while (prefix.ends_with('/')) {
        prefix.remove_suffix(1);
    }
    if (!path.starts_with(prefix) || (path.size() > prefix.size() && path[prefix.size()] != '/')) {
        return std::nullopt;
    }
    return without_slashes(path.substr(prefix.size()));
}

/// Takes "/t/TOKEN" out of a path, wherever it stands.
std::optional<Secret> take_token(std::string& path) {
    const std::size_t mark = path.find(k_token_mark);
    if (mark == std::string::npos) {
        return std::nullopt;
    }
    const std::size_t start = mark + k_token_mark.size();
    const std::size_t end = std::min(path.find('/', start), path.size());
    Secret token(path.substr(start, end - start));
    path.erase(mark, end - mark);
    return token;
}

/// Takes the first segment but one that is a known subdir out of a name or path (split_platform).
std::string take_subdir(std::string& path) {
    std::size_t slash = path.find('/');
    while (slash != std::string::npos) {
        const std::size_t end = std::min(path.find('/', slash + 1), path.size());
        const std::string segment =
            lower(std::string_view(path).substr(slash + 1, end - slash - 1));
        if (is_known_subdir(segment)) {
            path.erase(slash, end - slash);
            return segment;
        }
        slash = end == path.size() ? std::string::npos : end;
    }
    return "";
}

bool is_artifact(std::string_view file) {
    return std::ranges::any_of(k_extensions, [&](std::string_view e) { return file.ends_with(e); });
}

std::string take_file(std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos || !is_artifact(path)) {
        return "";
    }
    std::string file = path.substr(slash + 1);
    path.erase(slash);
    return file;
}

Result<TakenApart> take_apart(std::string_view text) {
    if (text.size() > k_max_text || std::ranges::any_of(text, is_control)) {
        return refuse("a URL is too long or has control characters (not shown)");
    }
    const std::optional<UrlParts> parts = split_url(text);
    if (!parts) {
        return refuse("expected a URL: SCHEME://… (not shown: it may hold credentials)");
    }
    TakenApart result;
    std::string path(parts->rest.substr(0, parts->rest.find_first_of("?#")));
    ChannelLocation& whole = result.whole;
    whole.scheme = parts->scheme;
    whole.credentials.token = take_token(path);
    if (path.find(k_token_mark) != std::string::npos) {
        return refuse("a URL has two tokens (/t/…/t/…; not shown: they are credentials)");
    }
    result.subdir = take_subdir(path);
    result.file = take_file(path);
    if (!parts->user_info.empty()) {
        auto decoded = percent_decode(parts->user_info);
        if (!decoded) {
            return refuse("the credentials in a URL are not well percent-encoded (not shown)");
        }
        whole.credentials.user_password.emplace(std::move(*decoded));
    }
    while (path.ends_with('/')) {
        path.pop_back();
    }
    result.has_host = !parts->authority.empty();
    whole.path = lower(parts->authority) + path;
    return result;
}

Result<ChannelLocation> location_of(const Secret& url, std::string_view key) {
    auto parts = take_apart(url.reveal());
    if (!parts) {
        return fail(ErrorKind::config, fmt::format("{}: {}", key, parts.error().message));
    }
    return std::move(parts->whole);
}

/// A member of a multichannel (make_simple_channel): a name below the alias, or a URL.
Result<ClientChannel> member(const Secret& text,
                             const ChannelLocation& alias,
                             std::string_view multichannel) {
    if (text.reveal().find("://") == std::string::npos) {
        return ClientChannel{alias, std::string(without_slashes(text.reveal())), "", ""};
    }
    CHM_TRY(ChannelLocation whole, location_of(text, multichannel));
    ClientChannel channel{std::move(whole), "", "", ""};
    std::string& path = channel.location.path;
    if (const auto name = below(path, alias.path)) {
        channel.name = *name;
        path = alias.path;
        return channel;
    }
    const std::size_t slash = std::min(path.find('/'), path.size());
    channel.name = without_slashes(std::string_view(path).substr(slash));
    path.resize(slash);
    return channel;
}

std::vector<Secret> built_in_defaults(std::string_view platform) {
    std::vector<Secret> urls;
    for (const std::string_view name : {"pkgs/main", "pkgs/r", "pkgs/msys2"}) {
        if (name != "pkgs/msys2" || platform.starts_with("win-")) {
            urls.emplace_back(fmt::format("{}/{}", k_pkgs_url, name));
        }
    }
    return urls;
}

/// The entry of `channels` with the longest name below whose `place_of` `path` lies.
template <class Map, class PlaceOf>
const typename Map::value_type* longest_above(const Map& channels,
                                              std::string_view path,
                                              PlaceOf place_of) {
    const typename Map::value_type* best = nullptr;
    for (const auto& entry : channels) {
        if ((best == nullptr || entry.first.size() > best->first.size()) &&
            below(path, place_of(entry))) {
            best = &entry;
        }
    }
    return best;
}

void prefer(Credentials& credentials, const Credentials& own) {
    if (own.user_password) {
        credentials.user_password = own.user_password;
    }
    if (own.token) {
        credentials.token = own.token;
    }
}

}  // namespace

std::string ClientChannel::base_url() const {
    return fmt::format("{}://{}", location.scheme, joined(location.path, name));
}

bool ClientChannel::is_same(const ClientChannel& other) const {
    return location.path == other.location.path && name == other.name && subdir == other.subdir;
}

Result<ClientChannels> ClientChannels::make(const ClientChannelKeys& keys,
                                            std::string_view platform) {
    ClientChannels result;
    const Secret alias = keys.channel_alias.value_or(Secret(std::string(k_default_channel_alias)));
    CHM_TRY(result.alias_, location_of(alias, "channel_alias"));

    auto multichannels = keys.custom_multichannels;
    // context.custom_multichannels: one named "defaults" beats default_channels.
    using Multichannel = std::pair<std::string, std::vector<Secret>>;
    if (std::ranges::find(multichannels, k_defaults, &Multichannel::first) == multichannels.end()) {
        multichannels.emplace_back(k_defaults,
                                   keys.default_channels.value_or(built_in_defaults(platform)));
    }
    for (const auto& [name, texts] : multichannels) {
        std::vector<ClientChannel>& members =
            result.multichannels_.emplace_back(name, std::vector<ClientChannel>()).second;
        for (const Secret& text : texts) {
            CHM_TRY(ClientChannel channel, member(text, result.alias_, name));
            result.custom_.insert_or_assign(channel.name, channel);
            members.push_back(std::move(channel));
        }
    }
    std::map<std::string, Secret> custom = keys.custom_channels;
    custom.try_emplace("pkgs/pro", std::string(k_pkgs_url));  // DEFAULT_CUSTOM_CHANNELS
    for (const auto& [name, url] : custom) {
        const std::string channel_name(without_slashes(name));
        if (url.reveal().find("://") ==
            std::string::npos) {  // make_simple_channel without a scheme
            result.custom_.insert_or_assign(channel_name,
                                            ClientChannel{result.alias_, channel_name, "", ""});
            continue;
        }
        CHM_TRY(ChannelLocation location, location_of(url, "custom_channels"));
        result.custom_.insert_or_assign(channel_name,
                                        ClientChannel{std::move(location), channel_name, "", ""});
    }
    for (const auto& [name, url] : keys.migrated_custom_channels) {
        CHM_TRY(ChannelLocation location, location_of(url, "migrated_custom_channels"));
        result.migrated_custom_.insert_or_assign(std::string(without_slashes(name)),
                                                 std::move(location));
    }
    for (const Secret& url : keys.migrated_channel_aliases) {
        CHM_TRY(ChannelLocation location, location_of(url, "migrated_channel_aliases"));
        result.migrated_aliases_.push_back(std::move(location));
    }
    return result;
}

/// _get_channel_for_name: the longest prefix of `name` that is a custom channel says where it is.
ClientChannel ClientChannels::named(std::string_view name) const {
    std::string_view prefix = name;
    while (true) {
        if (const auto found = custom_.find(prefix); found != custom_.end()) {
            return {found->second.location, std::string(name), "", ""};
        }
        const std::size_t slash = prefix.rfind('/');
        if (slash == std::string_view::npos) {
            return {alias_, std::string(name), "", ""};
        }
        prefix = prefix.substr(0, slash);
    }
}

/// _read_channel_configuration, with its step numbers.
ClientChannel ClientChannels::of_url(ChannelLocation whole, bool has_host) const {
    const std::string_view path = whole.path;
    const std::size_t host_end = std::min(path.find('/'), path.size());
    if (path.size() == host_end) {  // 1: no path
        return {std::move(whole), "", "", ""};
    }
    const auto migrated = longest_above(migrated_custom_, path, [](const auto& entry) {
        return joined(entry.second.path, entry.first);
    });
    if (migrated != nullptr) {  // 2
        const auto rest = below(path, joined(migrated->second.path, migrated->first));
        return named(joined(migrated->first, *rest));
    }
    for (const ChannelLocation& alias : migrated_aliases_) {  // 3
        if (const auto name = below(path, alias.path)) {
            return {alias_, std::string(*name), "", ""};
        }
    }
    const auto place_of = [](const auto& entry) {
        return joined(entry.second.location.path, entry.second.name);
    };
    ChannelLocation location{whole.scheme, "", {}};
    if (const auto custom = longest_above(custom_, path, place_of); custom != nullptr) {  // 4
        location.path = custom->second.location.path;
        location.credentials = custom->second.location.credentials;
        const auto rest = below(path, place_of(*custom));
        return {std::move(location), joined(custom->second.name, *rest), "", ""};
    }
    if (const auto name = below(path, alias_.path)) {  // 5
        location.path = alias_.path;
        location.credentials = alias_.credentials;
        return {std::move(location), std::string(*name), "", ""};
    }
    if (!has_host) {  // 6: files
        const std::size_t slash = path.rfind('/');
        location.path = slash == 0 ? "/" : path.substr(0, slash);
        return {std::move(location), std::string(path.substr(slash + 1)), "", ""};
    }
    // 7: the host is the location; Anaconda's own server keeps its "/conda" there.
    const std::string_view rest = path.substr(host_end + 1);
    const bool is_bumped = rest == "conda" || rest.starts_with("conda/");
    location.path = is_bumped ? path.substr(0, host_end + 6) : path.substr(0, host_end);
    return {std::move(location),
            std::string(without_slashes(is_bumped ? rest.substr(5) : rest)),
            "",
            ""};
}

Result<std::vector<ClientChannel>> ClientChannels::expand(std::string_view text) const {
    text = trim(text);
    if (text.empty() || text.size() > k_max_text || std::ranges::any_of(text, is_control)) {
        return refuse("a channel is empty, too long or has control characters");
    }
    if (text.find("://") != std::string_view::npos || text.starts_with('/')) {
        CHM_TRY(
            TakenApart parts,
            take_apart(text.starts_with('/') ? fmt::format("file://{}", text) : std::string(text)));
        const Credentials own = parts.whole.credentials;
        ClientChannel channel = of_url(std::move(parts.whole), parts.has_host);
        prefer(channel.location.credentials, own);
        channel.name = percent_decode(channel.name).value_or(channel.name);
        channel.subdir = std::move(parts.subdir);
        channel.file = percent_decode(parts.file).value_or(parts.file);
        return std::vector{std::move(channel)};
    }
    if (text.front() == '.' || text.front() == '~' || text.find('\\') != std::string_view::npos) {
        return refuse(
            fmt::format("channel '{}' is a path whose meaning depends on who runs conda: "
                        "write file:///path/of/channel",
                        printable(text)));
    }
    std::string name(without_slashes(text));
    std::string subdir = take_subdir(name);
    if (name == "local") {
        return refuse("channel 'local' is the conda-build folder of one machine");
    }
    std::vector<ClientChannel> channels;
    const auto multi = std::ranges::find(
        multichannels_, name, [](const auto& entry) -> const std::string& { return entry.first; });
    if (multi != multichannels_.end()) {
        channels = multi->second;
    } else {
        channels.push_back(named(name));
    }
    for (ClientChannel& channel : channels) {
        channel.subdir = subdir;
    }
    return channels;
}

Result<std::vector<ClientChannel>> ClientChannels::expand_all(
    const std::vector<std::string>& texts) const {
    std::vector<ClientChannel> all;
    for (const std::string& text : texts) {
        CHM_TRY(std::vector<ClientChannel> channels, expand(text));
        for (ClientChannel& channel : channels) {
            if (std::ranges::none_of(all,
                                     [&](const ClientChannel& c) { return c.is_same(channel); })) {
                all.push_back(std::move(channel));
            }
        }
    }
    return all;
}

std::string ClientChannels::canonical_name(const ClientChannel& channel) const {
    for (const auto& [name, members] : multichannels_) {
        if (std::ranges::find(members, channel.name, &ClientChannel::name) != members.end()) {
            return name;
        }
    }
    const auto has_prefix = [&](const auto& entry) {
        return below(channel.name, entry.first).has_value();
    };
    const bool is_known = !channel.name.empty() && std::ranges::any_of(custom_, has_prefix);
    const bool is_aliased =
        channel.location.path == alias_.path ||
        std::ranges::find(migrated_aliases_, channel.location.path, &ChannelLocation::path) !=
            migrated_aliases_.end();
    return is_known || is_aliased ? channel.name : channel.base_url();
}

std::vector<std::string> with_configured_channels(const std::vector<std::string>& environment,
                                                  const std::vector<std::string>& configured) {
    std::vector<std::string> channels;
    bool with_configured = true;
    for (const std::string& channel : environment) {
        if (channel == "nodefaults") {
            with_configured = false;
        } else {
            channels.push_back(channel);
        }
    }
    if (with_configured) {
        channels.insert(channels.end(), configured.begin(), configured.end());
    }
    return channels;
}

}  // namespace chm::conda
