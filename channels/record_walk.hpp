// Every record of an index, one after the other, without parsing what is not asked for: for
// comparing two indexes, and for holding one against the files that are stored.
#pragma once

#include "base/digest.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace chm::channels {

/// Views last until the step returns.
struct WalkedRecord {
    std::string_view fn;    // may be unsafe as a path
    std::string_view json;  // the record's object
    std::optional<Sha256> sha256;
    std::optional<Md5> md5;
    std::optional<std::uint64_t> size;
};

/// Calls step for each record of "packages", "packages.conda" and "v3" (CEP 48), in the index's
/// order. Digests that are malformed count as absent. `json` may be grown by k_json_padding in
/// capacity. ErrorKind::integrity when it is no index.
Result<> walk_records(std::string& json, const std::function<void(const WalkedRecord&)>& step);

}  // namespace chm::channels
