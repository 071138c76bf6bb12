// A .condarc that sends conda and mamba to a mirror. Channels keep their names, so environments,
// locks and channel priority stay as they were; only where the bytes come from changes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace chm::emit {

/// The first line of what condarc() writes, by which it knows its own files.
inline constexpr std::string_view k_condarc_mark = "# made by chanmirror";

struct CondarcRequest {
    std::vector<std::string> channels;  // canonical names, in order of priority
    std::string
        base_url;  // of the published tree: "file:///srv/mirror/public", "http://host/conda"
    std::string channel_priority = "strict";  // conda's own words
};

/// custom_channels' values are WITHOUT the channel's name: conda appends it (conda's docs page on
/// mirroring says otherwise; its code does not). Deterministic; ends with a newline.
std::string condarc(const CondarcRequest& request);

/// The same settings as a JSON object; ends with a newline.
std::string condarc_json(const CondarcRequest& request);

/// "file:///srv/my%20mirror/public" for an absolute path.
std::string file_url(const std::string& absolute_path);

}  // namespace chm::emit
