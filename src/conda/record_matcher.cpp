#include "conda/record_matcher.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace chm::conda {

namespace {

/// The parser has checked that the text is in StringMatch's language.
std::optional<StringMatch> compiled(const std::string& pattern) {
    if (pattern.empty()) {
        return std::nullopt;
    }
    auto match = StringMatch::parse(pattern);
    return match ? std::optional(*std::move(match)) : std::nullopt;
}

bool number_matches(const std::optional<BuildNumberSpec>& spec,
                    std::optional<std::uint64_t> number) {
    return !spec || (number && spec->matches(*number));
}

bool text_matches(const std::optional<StringMatch>& spec, std::string_view text) {
    return !spec || spec->matches(text);
}

template <class D>
bool digest_matches(const std::optional<D>& spec, const std::optional<D>& digest) {
    return !spec || spec == digest;
}

bool has_features(const std::vector<std::string>& wanted,
                  std::span<const std::string_view> present) {
    return std::ranges::all_of(wanted, [&](const std::string& feature) {
        return std::ranges::find(present, feature) != present.end();
    });
}

bool has_flags(const std::vector<StringMatch>& wanted, std::span<const std::string_view> present) {
    return std::ranges::all_of(wanted, [&](const StringMatch& flag) {
        return std::ranges::any_of(present, [&](std::string_view f) { return flag.matches(f); });
    });
}

bool restricts_other_fields(const MatchSpec& spec) {
    return !spec.channel.empty() || !spec.subdir.empty() || !spec.fn.empty() || !spec.url.empty() ||
           spec.build_number || spec.sha256 || spec.md5 || spec.license || spec.license_family ||
           spec.features || spec.timestamp || spec.size || !spec.track_features.empty() ||
           !spec.flags.empty();
}

}  // namespace

RecordMatcher::RecordMatcher(const MatchSpec& spec)
    : spec_(spec),
      channel_(compiled(spec.channel)),
      subdir_(compiled(spec.subdir)),
      fn_(compiled(spec.fn)),
      url_(compiled(spec.url)),
      is_plain_(!restricts_other_fields(spec)) {}

bool RecordMatcher::other_fields_match(const Record& record) const {
    return number_matches(spec_.build_number, record.build_number) && channel_matches(record) &&
           text_matches(subdir_, record.subdir) && text_matches(fn_, record.fn) &&
           text_matches(url_, record.url) && digest_matches(spec_.sha256, record.sha256) &&
           digest_matches(spec_.md5, record.md5) && text_matches(spec_.license, record.license) &&
           text_matches(spec_.license_family, record.license_family) &&
           text_matches(spec_.features, record.features) &&
           number_matches(spec_.timestamp, record.timestamp) &&
           number_matches(spec_.size, record.size) &&
           has_features(spec_.track_features, record.track_features) &&
           has_flags(spec_.flags, record.flags);
}

/// A channel given by URL is found by what its artifacts' URLs begin with, or by the name that
/// parse_channel gives it.
bool RecordMatcher::channel_matches(const Record& record) const {
    const std::string_view channel = spec_.channel;
    const std::size_t colon = channel.find("://");
    if (colon == std::string_view::npos || channel.find('*') != std::string_view::npos) {
        return text_matches(channel_, record.channel);
    }
    const std::string_view url = record.url;
    return channel == record.channel ||
           (url.size() > channel.size() && url.starts_with(channel) &&
            url[channel.size()] == '/') ||
           channel.substr(colon + 3) == record.channel;
}

}  // namespace chm::conda
