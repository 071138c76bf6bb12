// A subdir's index (repodata.json, CEP 36) as bytes: is it one, what does it say of itself, and the
// same bytes with another base_url. Nothing is re-serialised: unknown keys and the order of
// everything survive.
#pragma once

#include "base/result.hpp"
#include "conda/channel_relations.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace chm::channels {

/// simdjson reads this many bytes past the end; a text that is parsed in place needs the room.
inline constexpr std::size_t k_json_padding = 64;

/// What an index says of itself.
struct RepodataSummary {
    std::string subdir;                  // info.subdir; empty: not said
    std::string base_url;                // info.base_url (CEP 15); empty: not said
    conda::ChannelRelations relations;   // info.channel_relations (CEP 42), not checked
    std::uint64_t records = 0;           // in "packages", "packages.conda" and "v3" (CEP 48)
    std::uint64_t newest_timestamp = 0;  // milliseconds since 1970; 0: no record has one
};

/// Walks the whole text. ErrorKind::integrity when it is not an index of `subdir`: empty, HTML, not
/// JSON, cut short, another document, another subdir's; the message says which. `json` may be grown
/// by k_json_padding in capacity.
Result<RepodataSummary> check_repodata(std::string& json, std::string_view subdir);

/// The same index with info.base_url set to `base_url` and repodata_version raised to 2 (CEP 15),
/// for view `upstream`. `json` must have passed check_repodata.
Result<std::string> with_base_url(std::string& json, std::string_view base_url);

/// The index of a subdir that upstream does not have: valid and without records. CEP 26 requires a
/// noarch.
std::string empty_repodata(std::string_view subdir);

}  // namespace chm::channels
