// An index by package name, which CEP 26 has in every file's name: what sharded repodata (CEP 16) is
// made of.
#pragma once

#include "base/json.hpp"
#include "base/result.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chm::channels {

/// A record by its key in its section, as a view into the index.
struct RecordEntry {
    std::string key;
    std::string_view json;
};

/// What an index has of one name.
struct NameRecords {
    std::vector<RecordEntry> packages;
    std::vector<RecordEntry> packages_conda;
    std::vector<std::pair<std::string, std::vector<RecordEntry>>> v3;  // by extension (CEP 48)
    Json::Array removed;                                               // file names
};

struct RecordsByName {
    std::map<std::string, NameRecords, std::less<>> names;
    std::string_view info;              // its JSON; empty: there is none
    std::string_view repodata_version;  // the same
    std::vector<std::string> others;    // further members of the root, and a "removed" that has
                                        // something else than texts
};

/// The name that a file or a key of `v3` is listed under: that in its name, or all of it where it has
/// none.
[[nodiscard]] std::string_view shard_name_of(std::string_view fn);

/// Groups in one pass. The views are into `json`, which may be grown by k_json_padding in capacity.
/// ErrorKind::integrity when it is no index.
Result<RecordsByName> group_by_name(std::string& json);

}  // namespace chm::channels
