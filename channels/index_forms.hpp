// The forms in which an upstream may have a subdir's index, and what they are called.
#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>

namespace chm::channels {

enum class Form { zstd, bzip2, plain, shards };

/// "repodata.json.zst"; of shards their index.
[[nodiscard]] std::string_view file_of(Form form);

/// `folder` ends with '/'.
[[nodiscard]] std::string url_of(std::string_view folder, Form form);

/// Whether a URL is one of this form, at whichever upstream.
[[nodiscard]] bool is_form(std::string_view url, Form form);

/// The index's JSON; for shards, their decompressed index. ErrorKind::integrity.
Result<std::string> decode(Form form, std::string body);

}  // namespace chm::channels
