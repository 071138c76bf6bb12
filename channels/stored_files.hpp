// Which package files a snapshot holds for one subdir: stored/<channel>/<subdir>/files.tsv. The
// bytes are objects (object_store.hpp); this list says under which name each is published, and is
// what protects them from garbage collection.
#pragma once

#include "base/digest.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chm::channels {

struct StoredFile {
    std::string fn;  // a safe path segment
    Sha256 sha256;   // of its bytes, also where the index has only an md5
    std::uint64_t size = 0;
    std::optional<Md5> md5 = {};  // where that is all the index promises

    bool operator==(const StoredFile&) const = default;
};

/// Sorted by fn, each once.
using StoredFiles = std::vector<StoredFile>;

/// One line each: SHA256 TAB MD5 (or "-") TAB SIZE TAB FN.
[[nodiscard]] std::string to_text(const StoredFiles& files);
/// ErrorKind::integrity names the line that is malformed, unsafe or out of order.
Result<StoredFiles> parse_stored_files(std::string_view text);

/// None when there is no such file. `files` must be sorted.
[[nodiscard]] const StoredFile* find(const StoredFiles& files, std::string_view fn);

}  // namespace chm::channels
