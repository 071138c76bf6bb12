#include "channels/index_forms.hpp"

#include "base/bzip2.hpp"
#include "base/zstd.hpp"
#include "channels/limits.hpp"
#include "channels/shards.hpp"

#include <fmt/format.h>

namespace chm::channels {

std::string_view file_of(Form form) {
    switch (form) {
        case Form::zstd:
            return "repodata.json.zst";
        case Form::bzip2:
            return "repodata.json.bz2";
        case Form::plain:
            return "repodata.json";
        case Form::shards:
            break;
    }
    return k_shard_index;
}

std::string url_of(std::string_view folder, Form form) {
    return fmt::format("{}{}", folder, file_of(form));
}

bool is_form(std::string_view url, Form form) {
    return url.ends_with(fmt::format("/{}", file_of(form)));
}

Result<std::string> decode(Form form, std::string body) {
    switch (form) {
        case Form::zstd:
            return zstd_decompress(body, {k_max_index_bytes});
        case Form::bzip2:
            return bzip2_decompress(body, {k_max_index_bytes});
        case Form::plain:
            return body;
        case Form::shards:
            break;
    }
    return zstd_decompress(body, {k_max_shard_bytes});
}

}  // namespace chm::channels
