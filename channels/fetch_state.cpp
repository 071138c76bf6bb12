#include "channels/fetch_state.hpp"

#include "base/atomic_file.hpp"
#include "base/file.hpp"
#include "base/json.hpp"

namespace chm::channels {
namespace {

constexpr std::int64_t k_state_format = 1;
constexpr std::uint64_t k_max_state_bytes = 64 << 10;

const std::int64_t* integer(const Json& json, std::string_view key) {
    const Json* value = json.find(key);
    return value != nullptr ? value->as_integer() : nullptr;
}

}  // namespace

std::optional<FetchState> read_fetch_state(const std::filesystem::path& path) {
    const auto text = read_file(path, k_max_state_bytes);
    const auto json = text ? parse_json(*text) : Result<Json>(fail(text.error()));
    if (!json) {
        return std::nullopt;
    }
    const std::int64_t* format = integer(*json, "format");
    const std::int64_t* checked = integer(*json, "zstd_checked");
    const auto digest = Sha256::from_hex(json->text("index_sha256"));
    if (format == nullptr || *format != k_state_format || checked == nullptr || !digest) {
        return std::nullopt;
    }
    return FetchState{
        std::string(json->text("url")),
        {std::string(json->text("etag")), std::string(json->text("last_modified"))},
        *digest,
        WallTime(std::chrono::seconds(*checked)),
    };
}

Result<> write_fetch_state(const std::filesystem::path& path, const FetchState& state) {
    CHM_CHECK(make_directories(path.parent_path()));
    const Json json = Json::Object{
        {"format", k_state_format},
        {"url", state.url},
        {"etag", state.validators.etag},
        {"last_modified", state.validators.last_modified},
        {"index_sha256", state.index_sha256.hex()},
        {"zstd_checked", std::int64_t{state.zstd_checked.time_since_epoch().count()}},
    };
    return write_file_atomically(path, to_json(json, 2) + "\n");
}

}  // namespace chm::channels
