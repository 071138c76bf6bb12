// Records become values one name at a time, so memory is bounded by the index's text and its largest
// shard.
#include "channels/shards.hpp"

#include "base/json.hpp"
#include "base/text.hpp"
#include "base/workers.hpp"
#include "base/zstd.hpp"
#include "channels/limits.hpp"
#include "channels/msgpack.hpp"
#include "channels/records_by_name.hpp"

#include <fmt/format.h>

#include <utility>

namespace chm::channels {
namespace {

constexpr int k_zstd_level = 3;

template <class D>
std::string bytes_of(const D& digest) {
    std::string bytes;
    for (const std::byte byte : digest.bytes) {
        bytes.push_back(static_cast<char>(byte));
    }
    return bytes;
}

/// CEP 16: digests are bytes. Only what is a digest in lower case is turned, so that decoding gives
/// the same text again; anything else stays a text.
template <class D>
bool write_digest(MsgpackWriter& out, const std::string& hex) {
    const auto digest = D::from_hex(hex);
    if (!digest || digest->hex() != hex) {
        return false;
    }
    out.bytes(bytes_of(*digest));
    return true;
}

void write_record(MsgpackWriter& out, const Json& record) {
    const Json::Object& fields = *record.as_object();
    out.map(fields.size());
    for (const auto& [key, value] : fields) {
        out.text(key);
        const std::string* text = value.as_string();
        const bool is_digest =
            text != nullptr && ((key == "sha256" && write_digest<Sha256>(out, *text)) ||
                                (key == "md5" && write_digest<Md5>(out, *text)));
        if (!is_digest) {
            out.json(value);
        }
    }
}

/// Writes a section, and says in `said` what it should decode to.
Result<> write_section(MsgpackWriter& out, const std::vector<RecordEntry>& entries, Json& said) {
    Json::Object members;
    out.map(entries.size());
    for (const RecordEntry& entry : entries) {
        CHM_TRY(Json record, parse_json(entry.json));
        out.text(entry.key);
        write_record(out, record);
        members.emplace_back(entry.key, std::move(record));
    }
    said = Json(std::move(members));
    return {};
}

struct Encoded {
    std::string bytes;
    Json said;
};

Result<Encoded> encode(const NameRecords& entries) {
    MsgpackWriter out;
    Json::Object said;
    Json section;
    out.map(entries.v3.empty() ? 3 : 4);
    out.text("packages");
    CHM_CHECK(write_section(out, entries.packages, section));
    said.emplace_back("packages", std::move(section));
    out.text("packages.conda");
    CHM_CHECK(write_section(out, entries.packages_conda, section));
    said.emplace_back("packages.conda", std::move(section));
    out.text("removed");
    out.json(entries.removed);
    said.emplace_back("removed", entries.removed);
    if (!entries.v3.empty()) {
        Json::Object extensions;
        out.text("v3");
        out.map(entries.v3.size());
        for (const auto& [extension, records] : entries.v3) {
            out.text(extension);
            CHM_CHECK(write_section(out, records, section));
            extensions.emplace_back(extension, std::move(section));
        }
        said.emplace_back("v3", std::move(extensions));
    }
    return Encoded{out.take(), Json(std::move(said))};
}

Result<Shard> make_shard(const std::string& name, const NameRecords& entries) {
    CHM_TRY(const Encoded encoded, encode(entries));
    CHM_TRY(std::string bytes, zstd_compress(encoded.bytes, k_zstd_level));
    CHM_TRY(const std::string packed, zstd_decompress(bytes, {k_max_index_bytes}));
    const auto decoded = parse_msgpack(packed);
    if (!decoded || *decoded != encoded.said) {
        return fail(ErrorKind::internal,
                    fmt::format("the shard of {} does not say what the index says (a bug here)",
                                printable(name)));
    }
    return Shard{name, sha256(bytes), std::move(bytes)};
}

/// The index's info, with the two addresses of CEP 16 in place of what it says of them.
Result<> write_info(MsgpackWriter& out, std::string_view info, std::string_view package_url) {
    Json::Object kept;
    if (!info.empty()) {
        CHM_TRY(const Json parsed, parse_json(info));
        for (const auto& [key, value] : *parsed.as_object()) {
            if (key != "base_url" && key != "shards_base_url") {
                kept.emplace_back(key, value);
            }
        }
    }
    kept.emplace_back("base_url", package_url);
    kept.emplace_back("shards_base_url", fmt::format("./{}/", k_shard_folder));
    out.json(Json(std::move(kept)));
    return {};
}

Result<std::string> make_index(const std::vector<Shard>& shards,
                               std::string_view info,
                               std::string_view package_url) {
    MsgpackWriter out;
    out.map(3);
    out.text("version");
    out.json(Json(1));
    out.text("info");
    CHM_CHECK(write_info(out, info, package_url));
    out.text("shards");
    out.map(shards.size());
    for (const Shard& shard : shards) {
        out.text(shard.name);
        out.bytes(bytes_of(shard.sha256));
    }
    return zstd_compress(out.take(), k_zstd_level);
}

}  // namespace

std::string shard_file_name(const Sha256& digest) {
    return digest.hex() + ".msgpack.zst";
}

Result<ShardedIndex> make_shards(std::string& json, std::string_view package_url) {
    CHM_TRY(const RecordsByName records, group_by_name(json));
    std::vector<const std::pair<const std::string, NameRecords>*> names;
    for (const auto& entry : records.names) {
        names.push_back(&entry);
    }
    ShardedIndex result;
    result.shards.resize(names.size());
    const auto make_one = [&](std::size_t i) -> Result<> {
        CHM_TRY(result.shards[i], make_shard(names[i]->first, names[i]->second));
        return {};
    };
    CHM_CHECK(for_each_parallel(names.size(), default_threads(), make_one));
    CHM_TRY(result.index, make_index(result.shards, records.info, package_url));
    return result;
}

Result<ShardDigests> shard_digests(const Json& index) {
    const Json* shards = index.find("shards");
    if (shards == nullptr || shards->as_object() == nullptr) {
        return fail(ErrorKind::integrity, "not an index of shards (CEP 16)");
    }
    ShardDigests digests;
    for (const auto& [name, hex] : *shards->as_object()) {
        const std::string* text = hex.as_string();
        const auto digest = Sha256::from_hex(text != nullptr ? *text : "");
        if (!digest) {
            return fail(ErrorKind::integrity,
                        fmt::format("the shard of {} has no digest", printable(name)));
        }
        digests.emplace(name, *digest);
    }
    return digests;
}

Result<ShardDigests> parse_shard_index(std::string_view compressed) {
    CHM_TRY(const std::string packed, zstd_decompress(compressed, {k_max_index_bytes}));
    const auto index = parse_msgpack(packed);
    return shard_digests(index.value_or(Json()));
}

}  // namespace chm::channels
