// One On-Demand pass finds each name's records; they become values one name at a time, so memory is
// bounded by the index's text and its largest shard.
#include "channels/shards.hpp"

#include "base/json.hpp"
#include "base/text.hpp"
#include "base/workers.hpp"
#include "base/zstd.hpp"
#include "channels/index_records.hpp"
#include "channels/limits.hpp"
#include "channels/msgpack.hpp"
#include "channels/repodata.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <utility>

namespace chm::channels {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr int k_zstd_level = 3;

/// A record by its key in its section, as a view into the index.
struct Entry {
    std::string key;
    std::string_view json;
};

/// What an index has of one name.
struct NameEntries {
    std::vector<Entry> packages;
    std::vector<Entry> packages_conda;
    std::vector<std::pair<std::string, std::vector<Entry>>> v3;  // extension → records (CEP 48)
    Json::Array removed;
};

/// An index by package name, which CEP 26 has in every file's name.
class Grouping {
public:
    simdjson::error_code read(ondemand::object root) {
        return for_each_record(
            root,
            [&](const RecordPlace& place) { add(place); },
            [&](std::string_view key, ondemand::value value) { return add_other(key, value); });
    }

    std::map<std::string, NameEntries, std::less<>> by_name;
    std::string info;  // its JSON; empty: there is none

private:
    NameEntries& entries_of(std::string_view fn) {
        const std::string_view name = name_in_file_name(fn);
        return by_name[std::string(name.empty() ? fn : name)];
    }

    void add(const RecordPlace& place) {
        NameEntries& entries = entries_of(place.key);
        Entry entry{std::string(place.key), place.json};
        if (place.section == "packages") {
            entries.packages.push_back(std::move(entry));
        } else if (place.section == "packages.conda") {
            entries.packages_conda.push_back(std::move(entry));
        } else {
            if (entries.v3.empty() || entries.v3.back().first != place.extension) {
                entries.v3.emplace_back(std::string(place.extension), std::vector<Entry>());
            }
            entries.v3.back().second.push_back(std::move(entry));
        }
    }

    simdjson::error_code add_other(std::string_view key, ondemand::value value) {
        ondemand::array removed;
        ondemand::object object;
        if (key == "removed" && value.get_array().get(removed) == simdjson::SUCCESS) {
            return add_removed(removed);
        }
        if (key != "info" || value.get_object().get(object) != simdjson::SUCCESS) {
            return simdjson::SUCCESS;
        }
        std::string_view text;
        const auto code = object.raw_json().get(text);
        info = text;
        return code;
    }

    simdjson::error_code add_removed(ondemand::array removed) {
        for (auto item : removed) {
            std::string_view fn;
            if (item.get_string().get(fn) == simdjson::SUCCESS) {
                entries_of(fn).removed.push_back(Json(fn));
            }
        }
        return simdjson::SUCCESS;
    }
};

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
Result<> write_section(MsgpackWriter& out, const std::vector<Entry>& entries, Json& said) {
    Json::Object members;
    out.map(entries.size());
    for (const Entry& entry : entries) {
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

Result<Encoded> encode(const NameEntries& entries) {
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

Result<Shard> make_shard(const std::string& name, const NameEntries& entries) {
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
Result<> write_info(MsgpackWriter& out, const std::string& info, std::string_view package_url) {
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
                               const std::string& info,
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

Result<Grouping> group(std::string& json) {
    json.reserve(json.size() + k_json_padding);
    Grouping grouping;
    ondemand::parser parser;
    ondemand::document document;
    ondemand::object root;
    auto code = parser.iterate(simdjson::padded_string_view(json, json.capacity())).get(document);
    if (!code) {
        code = document.get_object().get(root);
    }
    if (!code) {
        code = grouping.read(root);
    }
    if (code) {
        return fail(ErrorKind::integrity,
                    fmt::format("not an index: {}", simdjson::error_message(code)));
    }
    return grouping;
}

}  // namespace

std::string shard_file_name(const Sha256& digest) {
    return digest.hex() + ".msgpack.zst";
}

Result<ShardedIndex> make_shards(std::string& json, std::string_view package_url) {
    CHM_TRY(const Grouping grouping, group(json));
    std::vector<const std::pair<const std::string, NameEntries>*> names;
    for (const auto& entry : grouping.by_name) {
        names.push_back(&entry);
    }
    ShardedIndex result;
    result.shards.resize(names.size());
    const auto make_one = [&](std::size_t i) -> Result<> {
        CHM_TRY(result.shards[i], make_shard(names[i]->first, names[i]->second));
        return {};
    };
    CHM_CHECK(for_each_parallel(names.size(), default_threads(), make_one));
    CHM_TRY(result.index, make_index(result.shards, grouping.info, package_url));
    return result;
}

Result<std::map<std::string, Sha256>> parse_shard_index(std::string_view compressed) {
    CHM_TRY(const std::string packed, zstd_decompress(compressed, {k_max_index_bytes}));
    const auto index = parse_msgpack(packed);
    const Json* shards = index ? index->find("shards") : nullptr;
    if (shards == nullptr || shards->as_object() == nullptr) {
        return fail(ErrorKind::integrity, "not an index of shards (CEP 16)");
    }
    std::map<std::string, Sha256> digests;
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

}  // namespace chm::channels
