// A .condarc that sends conda and mamba to a mirror. Channels keep their names, so environments,
// locks and channel priority stay as they were; only where the bytes come from changes.
#pragma once

#include <string>
#include <vector>

namespace chm::emit {

struct CondarcRequest {
    std::vector<std::string> channels;  // canonical names, in order of priority
    std::string
        base_url;  // of the published tree: "file:///srv/mirror/public", "http://host/conda"
    bool strict_priority = true;
};

/// custom_channels' values are WITHOUT the channel's name: conda appends it (conda's docs page on
/// mirroring says otherwise; its code does not). Deterministic; ends with a newline.
std::string condarc(const CondarcRequest& request);

/// "file:///srv/my%20mirror/public" for an absolute path.
std::string file_url(const std::string& absolute_path);

}  // namespace chm::emit
