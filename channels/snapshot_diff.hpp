// What changed between two snapshots: the records of upstream's indexes, by file name and by bytes.
#pragma once

#include "base/result.hpp"
#include "channels/snapshot.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace chm::channels {

enum class RecordChange {
    added,
    removed,
    replaced,     // the same file name, other bytes
    redescribed,  // the same bytes; the record says something else of them (a hotfix)
};
[[nodiscard]] std::string_view to_text(RecordChange change);

struct ChangedRecord {
    std::string fn;
    RecordChange change = RecordChange::added;

    bool operator==(const ChangedRecord&) const = default;
};

/// One subdir that differs.
struct SubdirDiff {
    std::string channel;
    std::string subdir;
    std::vector<ChangedRecord> records;  // sorted by fn
    std::int64_t stored_files = 0;       // more (or fewer) than before
    std::int64_t stored_bytes = 0;

    [[nodiscard]] std::uint64_t count(RecordChange change) const;
};

/// Only subdirs that differ, sorted by channel and subdir. Indexes of the same digest are not
/// read; of the others, one at a time is in memory.
Result<std::vector<SubdirDiff>> diff_snapshots(const MirrorPaths& paths,
                                               const Manifest& from,
                                               const Manifest& to);

}  // namespace chm::channels
