// One index out of shards (CEP 16): the records of changed names come from their shards, all others
// from the index that is held, in its own bytes.
#pragma once

#include "base/json.hpp"
#include "base/result.hpp"
#include "channels/records_by_name.hpp"
#include "channels/shards.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chm::channels {

/// A record as a shard has it.
struct ShardRecord {
    std::string key;
    std::string json;
    std::string_view held;  // the held index's bytes of the same value; empty: none

    [[nodiscard]] std::string_view text() const { return held.empty() ? json : held; }
};

/// What a shard says; members that we do not know are ignored, as the CEP has it.
struct ShardContent {
    std::vector<ShardRecord> packages;
    std::vector<ShardRecord> packages_conda;
    std::vector<std::pair<std::string, std::vector<ShardRecord>>> v3;  // by extension (CEP 48)
    std::vector<std::string> removed;
};

/// Reads the decompressed shard of `name`. ErrorKind::integrity when it is none, or holds a file of
/// another name.
Result<ShardContent> read_shard(std::string_view packed, std::string_view name);

/// Replaces the text of records that are the same value in the held index, whatever the order of
/// their keys, by its bytes there: what did not change stays byte for byte.
void keep_held_bytes(ShardContent& content, const NameRecords& held);

/// What the new index is made of.
struct Assembly {
    const RecordsByName& held;  // of an empty index, where none is held
    const Json::Object& info;   // as the index of shards has it, without what is of shards alone
    std::string_view base_url;  // "": packages lie beside the index
    const ShardDigests& names;  // all that the new index has
    const std::map<std::string, ShardContent>& changed;  // of those; the others are as held
};

/// Whether the held index says something that an index of shards and its shards do not: further
/// members (signatures), or further members of info. Such an index cannot be had from shards; the
/// answer names the member, and is empty otherwise.
[[nodiscard]] std::string not_in_shards(const RecordsByName& held, const Json::Object& info);

/// The text of the new index; each section is sorted by key. ErrorKind::integrity when it gets larger
/// than an index may be.
Result<std::string> assemble_index(const Assembly& assembly);

}  // namespace chm::channels
