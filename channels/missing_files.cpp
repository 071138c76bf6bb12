#include "channels/missing_files.hpp"

#include "base/file.hpp"
#include "base/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace chm::channels {
namespace {

constexpr std::int64_t k_format = 1;
constexpr std::uint64_t k_max_bytes = 256 << 20;

tl::unexpected<Error> damaged(std::string_view what) {
    return fail(ErrorKind::integrity, fmt::format("not a list of missing files: {}", what));
}

auto place_of(const MissingFile& file) {
    return std::tie(file.channel, file.subdir, file.fn);
}

}  // namespace

std::string to_text(const MissingFiles& files) {
    Json::Array list;
    for (const MissingFile& file : files) {
        list.push_back(Json::Object{{"channel", file.channel},
                                    {"subdir", file.subdir},
                                    {"fn", file.fn},
                                    {"url", file.url},
                                    {"expected", file.expected},
                                    {"got", file.got},
                                    {"tries", file.tries},
                                    {"first_seen", file.first_seen}});
    }
    const Json document = Json::Object{{"format", k_format}, {"missing", std::move(list)}};
    return to_json(document, 2) + "\n";
}

Result<MissingFiles> parse_missing_files(std::string_view text) {
    auto json = parse_json(text);
    if (!json) {
        return damaged(json.error().message);
    }
    const Json* format = json->find("format");
    const Json* list = json->find("missing");
    if (format == nullptr || *format != Json(k_format) || list == nullptr ||
        list->as_array() == nullptr) {
        return damaged("another format");
    }
    MissingFiles files;
    for (const Json& item : *list->as_array()) {
        const Json* tries = item.find("tries");
        const bool counted = tries != nullptr && tries->as_integer() != nullptr;
        files.push_back({std::string(item.text("channel")),
                         std::string(item.text("subdir")),
                         std::string(item.text("fn")),
                         std::string(item.text("url")),
                         std::string(item.text("expected")),
                         std::string(item.text("got")),
                         counted ? static_cast<unsigned>(*tries->as_integer()) : 0,
                         std::string(item.text("first_seen"))});
    }
    std::ranges::sort(files, {}, place_of);
    return files;
}

void keep_first_seen(MissingFiles& now, const MissingFiles& before, WallTime time) {
    for (MissingFile& file : now) {
        const auto seen = std::ranges::lower_bound(before, place_of(file), {}, place_of);
        const bool known = seen != before.end() && place_of(*seen) == place_of(file);
        file.first_seen = known && !seen->first_seen.empty() ? seen->first_seen : utc_text(time);
    }
}

MissingFiles read_missing_files(const std::filesystem::path& file) {
    const auto text = read_file(file, k_max_bytes);
    if (!text) {
        return {};
    }
    return parse_missing_files(*text).value_or(MissingFiles{});
}

}  // namespace chm::channels
