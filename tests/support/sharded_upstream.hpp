// Upstreams that serve an index as shards (CEP 16), and indexes that are worth it.
#pragma once

#include "base/digest.hpp"
#include "base/zstd.hpp"
#include "channels/msgpack.hpp"
#include "channels/shards.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace chm::test {

/// The shards of one index and their index, by their paths as seen from the subdir.
inline std::map<std::string, std::string> shard_files(std::string index,
                                                      std::string_view package_url = "") {
    const auto shards = channels::make_shards(index, package_url);
    REQUIRE_MESSAGE(shards, shards.error().message);
    std::map<std::string, std::string> files;
    files.emplace(channels::k_shard_index, shards->index);
    for (const channels::Shard& shard : shards->shards) {
        files.emplace(fmt::format("shards/{}", channels::shard_file_name(shard.sha256)),
                      shard.bytes);
    }
    return files;
}

/// An index of shards with this info, written by hand.
inline std::string shard_index(const Json::Object& info, const channels::ShardDigests& shards) {
    channels::MsgpackWriter out;
    out.map(2);
    out.text("info");
    out.json(Json(info));
    out.text("shards");
    out.map(shards.size());
    for (const auto& [name, digest] : shards) {
        out.text(name);
        out.bytes({reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()});
    }
    const auto packed = zstd_compress(out.take(), 3);
    REQUIRE(packed);
    return *packed;
}

/// `names` packages with 120 records each, of which the first `changed` have one more: an index that
/// shards are worth fetching for.
inline std::string large_index(std::string_view subdir, int names, int changed = 0) {
    std::string records;
    for (int name = 0; name < names; ++name) {
        for (int version = 0; version < (name < changed ? 121 : 120); ++version) {
            const std::string stem = fmt::format("p{:03}-{:03}-0", name, version);
            records +=
                fmt::format(R"({}"{}.conda":{{"name":"p{:03}","version":"{:03}","build":"0",)"
                            R"("build_number":0,"depends":[],"sha256":"{}","md5":"{}"}})",
                            records.empty() ? "" : ",",
                            stem,
                            name,
                            version,
                            sha256(stem).hex(),
                            sha256(stem + "md5").hex().substr(0, 32));
        }
    }
    return fmt::format(
        R"({{"info":{{"subdir":"{}"}},"packages":{{}},"packages.conda":{{{}}},"removed":[],"repodata_version":1}})",
        subdir,
        records);
}

}  // namespace chm::test
