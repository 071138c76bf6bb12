// The closed view of an index: only the records whose files are stored here. Records are cut out of
// upstream's bytes; everything that stays is byte for byte as upstream wrote it
// (docs/on-disk-format.md, "The closed view").
#pragma once

#include "base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace chm::channels {

struct ClosedIndex {
    std::string json;
    std::uint64_t records = 0;  // that are left
};

/// Keeps the records whose file name `is_stored` knows, in "packages", "packages.conda" and "v3",
/// and their signatures. info.base_url, info.shards_base_url and records' own "url" go, so that
/// packages are looked for beside the index; repodata_version 2 becomes 1 (CEP 15); the figures of
/// info.repodata_revisions (CEP 48) are made true. A later revision ("v4"), whose files we do not
/// know, goes as a whole. `is_stored` must answer the same each time. `json` has passed
/// check_repodata.
Result<ClosedIndex> close_index(std::string& json,
                                const std::function<bool(std::string_view fn)>& is_stored);

/// Every text of base_url, shards_base_url and records' url that leads to another place than
/// relative to the index: with a scheme ("https://host…") or a host ("//host…"). Empty for a closed
/// index: the proof that no client leaves the mirror. At most `limit`.
Result<std::vector<std::string>> foreign_urls(std::string& json, std::size_t limit);

}  // namespace chm::channels
