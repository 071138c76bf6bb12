#include "channels/snapshot_diff.hpp"

#include "channels/record_walk.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

namespace chm::channels {
namespace {

/// One record, small: an index of a million must fit.
struct Sketch {
    std::string fn;
    std::size_t content = 0;  // a hash of its JSON
    std::optional<Sha256> sha256;
    std::optional<Md5> md5;
    std::optional<std::uint64_t> size;
};

/// Sorted by fn; of a key that is listed twice the last counts, as for every JSON reader that makes a
/// map of it.
Result<std::vector<Sketch>> sketch(const MirrorPaths& paths,
                                   const Manifest& manifest,
                                   const SnapshotChannel* channel,
                                   const SnapshotSubdir* subdir) {
    std::vector<Sketch> records;
    if (subdir == nullptr) {
        return records;
    }
    CHM_TRY(std::string json, read_index(paths, manifest, *channel, *subdir));
    CHM_CHECK(walk_records(json, [&](const WalkedRecord& record) {
        records.push_back({std::string(record.fn),
                           std::hash<std::string_view>()(record.json),
                           record.sha256,
                           record.md5,
                           record.size});
    }));
    std::ranges::stable_sort(records, {}, &Sketch::fn);
    const auto same = std::ranges::unique(
        records.rbegin(), records.rend(), {}, [](const Sketch& s) { return s.fn; });
    records.erase(records.begin(), same.begin().base());
    return records;
}

/// By the best digest that both have.
bool same_bytes(const Sketch& a, const Sketch& b) {
    if (a.sha256 && b.sha256) {
        return *a.sha256 == *b.sha256;
    }
    if (a.md5 && b.md5) {
        return *a.md5 == *b.md5;
    }
    return !a.size || !b.size || *a.size == *b.size;
}

std::vector<ChangedRecord> compare(const std::vector<Sketch>& from, const std::vector<Sketch>& to) {
    std::vector<ChangedRecord> changes;
    auto a = from.begin();
    auto b = to.begin();
    while (a != from.end() || b != to.end()) {
        if (b == to.end() || (a != from.end() && a->fn < b->fn)) {
            changes.push_back({a->fn, RecordChange::removed});
            ++a;
        } else if (a == from.end() || b->fn < a->fn) {
            changes.push_back({b->fn, RecordChange::added});
            ++b;
        } else {
            if (!same_bytes(*a, *b)) {
                changes.push_back({a->fn, RecordChange::replaced});
            } else if (a->content != b->content) {
                changes.push_back({a->fn, RecordChange::redescribed});
            }
            ++a;
            ++b;
        }
    }
    return changes;
}

using Place = std::pair<std::string, std::string>;  // channel, subdir

std::set<Place> places_of(const Manifest& from, const Manifest& to) {
    std::set<Place> places;
    for (const Manifest* manifest : {&from, &to}) {
        for (const SnapshotChannel& channel : manifest->channels) {
            for (const SnapshotSubdir& subdir : channel.subdirs) {
                places.emplace(channel.name, subdir.subdir);
            }
        }
    }
    return places;
}

std::int64_t difference(std::uint64_t before, std::uint64_t after) {
    return static_cast<std::int64_t>(after) - static_cast<std::int64_t>(before);
}

}  // namespace

std::string_view to_text(RecordChange change) {
    switch (change) {
        case RecordChange::added:
            return "added";
        case RecordChange::removed:
            return "removed";
        case RecordChange::replaced:
            return "replaced";
        case RecordChange::redescribed:
            return "redescribed";
    }
    return "";
}

std::uint64_t SubdirDiff::count(RecordChange change) const {
    return static_cast<std::uint64_t>(std::ranges::count(records, change, &ChangedRecord::change));
}

Result<std::vector<SubdirDiff>> diff_snapshots(const MirrorPaths& paths,
                                               const Manifest& from,
                                               const Manifest& to) {
    const SnapshotSubdir none;
    std::vector<SubdirDiff> diffs;
    for (const auto& [channel, subdir] : places_of(from, to)) {
        const SnapshotChannel* old_channel = from.find(channel);
        const SnapshotChannel* new_channel = to.find(channel);
        const SnapshotSubdir* before = old_channel != nullptr ? old_channel->find(subdir) : nullptr;
        const SnapshotSubdir* after = new_channel != nullptr ? new_channel->find(subdir) : nullptr;
        const SnapshotSubdir& old_subdir = before != nullptr ? *before : none;
        const SnapshotSubdir& new_subdir = after != nullptr ? *after : none;
        SubdirDiff diff{channel,
                        subdir,
                        {},
                        difference(old_subdir.stored_files, new_subdir.stored_files),
                        difference(old_subdir.stored_bytes, new_subdir.stored_bytes)};
        if (before == nullptr || after == nullptr || before->index_sha256 != after->index_sha256) {
            CHM_TRY(const std::vector<Sketch> old_records,
                    sketch(paths, from, old_channel, before));
            CHM_TRY(const std::vector<Sketch> new_records, sketch(paths, to, new_channel, after));
            diff.records = compare(old_records, new_records);
        }
        const bool one_sided = before == nullptr || after == nullptr;
        if (one_sided || !diff.records.empty() ||
            old_subdir.stored_sha256 != new_subdir.stored_sha256) {
            diffs.push_back(std::move(diff));
        }
    }
    return diffs;
}

}  // namespace chm::channels
