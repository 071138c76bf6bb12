#include "channels/fetch_state.hpp"

#include "base/atomic_file.hpp"
#include "base/file.hpp"
#include "base/json.hpp"

namespace chm::channels {
namespace {

constexpr std::int64_t k_state_format = 2;
constexpr std::int64_t k_shards_format = 1;
constexpr std::uint64_t k_max_state_bytes = 64 << 10;
constexpr std::uint64_t k_max_shards_bytes = 128 << 20;

const std::int64_t* integer(const Json& json, std::string_view key) {
    const Json* value = json.find(key);
    return value != nullptr ? value->as_integer() : nullptr;
}

std::int64_t seconds(WallTime time) {
    return time.time_since_epoch().count();
}

/// None when it cannot be read or is of another format.
std::optional<Json> read_cache(const std::filesystem::path& path,
                               std::uint64_t max_bytes,
                               std::int64_t format) {
    const auto text = read_file(path, max_bytes);
    auto json = text ? parse_json(*text) : Result<Json>(fail(text.error()));
    const std::int64_t* found = json ? integer(*json, "format") : nullptr;
    return found != nullptr && *found == format ? std::optional(std::move(*json)) : std::nullopt;
}

}  // namespace

std::optional<FetchState> read_fetch_state(const std::filesystem::path& path) {
    const auto json = read_cache(path, k_max_state_bytes, k_state_format);
    if (!json) {
        return std::nullopt;
    }
    const std::int64_t* checked = integer(*json, "zstd_checked");
    const std::int64_t* shards_checked = integer(*json, "shards_checked");
    const std::int64_t* whole_bytes = integer(*json, "whole_bytes");
    const auto digest = Sha256::from_hex(json->text("index_sha256"));
    if (checked == nullptr || shards_checked == nullptr || whole_bytes == nullptr ||
        *whole_bytes < 0 || !digest) {
        return std::nullopt;
    }
    return FetchState{
        std::string(json->text("url")),
        {std::string(json->text("etag")), std::string(json->text("last_modified"))},
        *digest,
        WallTime(std::chrono::seconds(*checked)),
        WallTime(std::chrono::seconds(*shards_checked)),
        static_cast<std::uint64_t>(*whole_bytes),
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
        {"zstd_checked", seconds(state.zstd_checked)},
        {"shards_checked", seconds(state.shards_checked)},
        {"whole_bytes", state.whole_bytes},
    };
    return write_file_atomically(path, to_json(json, 2) + "\n");
}

ShardDigests read_held_shards(const std::filesystem::path& path, const Sha256& index_sha256) {
    const auto json = read_cache(path, k_max_shards_bytes, k_shards_format);
    if (!json || json->text("index_sha256") != index_sha256.hex()) {
        return {};
    }
    return shard_digests(*json).value_or(ShardDigests());
}

Result<> write_held_shards(const std::filesystem::path& path,
                           const Sha256& index_sha256,
                           const ShardDigests& shards) {
    CHM_CHECK(make_directories(path.parent_path()));
    Json::Object digests;
    for (const auto& [name, digest] : shards) {
        digests.emplace_back(name, digest.hex());
    }
    const Json json = Json::Object{
        {"format", k_shards_format},
        {"index_sha256", index_sha256.hex()},
        {"shards", std::move(digests)},
    };
    return write_file_atomically(path, to_json(json, 1) + "\n");
}

}  // namespace chm::channels
