#include "channels/publish.hpp"

#include "base/atomic_file.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "base/workers.hpp"
#include "base/zstd.hpp"
#include "channels/closed_index.hpp"
#include "channels/limits.hpp"
#include "channels/package_links.hpp"
#include "channels/public_names.hpp"
#include "channels/repodata.hpp"
#include "channels/shards.hpp"
#include "channels/snapshot_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;

/// zstd's default: 3 % larger than level 9 on repodata and several times faster.
constexpr int k_zstd_level = 3;
constexpr std::string_view k_unfinished = ".unfinished";

Result<> write_new_file(const fs::path& path, std::string_view bytes) {
    CHM_CHECK(make_directories(path.parent_path()));
    return write_file_atomically(path, bytes);
}

/// Reads a published form back from disk and holds it against the one buffer all forms come from.
Result<> prove_same(const fs::path& file, std::string_view json, bool compressed) {
    CHM_TRY(std::string bytes, read_file(file, k_max_index_bytes));
    if (compressed) {
        auto decoded = zstd_decompress(bytes, {k_max_index_bytes});
        if (!decoded) {
            return fail(with_context(std::move(decoded).error(), file.string()));
        }
        bytes = std::move(*decoded);
    }
    if (bytes != json) {
        return fail(ErrorKind::integrity,
                    fmt::format("{}: reads back other bytes than were written; check the disk",
                                file.string()));
    }
    return {};
}

/// The published index, and what the manifest says of it. A closed index must not lead anywhere
/// else.
Result<std::string> make_published(NewIndex& index, SnapshotSubdir& subdir) {
    if (!index.packages) {
        return with_base_url(index.json, index.package_url);
    }
    const StoredFiles& stored = index.packages->stored;
    CHM_TRY(ClosedIndex closed, close_index(index.json, [&](std::string_view fn) {
                return find(stored, fn) != nullptr;
            }));
    CHM_TRY(const std::vector<std::string> foreign, foreign_urls(closed.json, 1));
    if (!foreign.empty()) {
        return fail(ErrorKind::integrity,
                    fmt::format("{}/{}: the closed index would lead clients to {}",
                                index.channel.name,
                                index.subdir,
                                printable(foreign.front())));
    }
    subdir.view = View::closed;
    subdir.policy = index.packages->policy;
    subdir.published_records = closed.records;
    subdir.missing_files = index.packages->missing;
    subdir.stored_files = stored.size();
    for (const StoredFile& file : stored) {
        subdir.stored_bytes += file.size;
    }
    return std::move(closed.json);
}

/// Writes the sharded form into `folder`. Shards that `before` (the same folder of the snapshot
/// before; empty: there is none) has are linked; its other ones too, for clients that hold its
/// index.
Result<> write_shards(const fs::path& folder, const fs::path& before, const ShardedIndex& sharded) {
    const fs::path shards = folder / k_shard_folder;
    const fs::path old_shards = before / k_shard_folder;
    CHM_CHECK(make_directories(shards));
    std::set<Sha256> written;
    for (const Shard& shard : sharded.shards) {
        if (!written.insert(shard.sha256).second) {
            continue;  // two names without records left
        }
        const std::string name = shard_file_name(shard.sha256);
        if (before.empty() || !link_or_copy(old_shards / name, shards / name)) {
            CHM_CHECK(write_unsynced_file(shards / name, shard.bytes));
        }
    }
    const auto old_index = before.empty() ? Result<std::string>(std::string())
                                          : read_file(before / k_shard_index, k_max_index_bytes);
    const auto old_digests = parse_shard_index(old_index.value_or(std::string()));
    for (const auto& [name, digest] : old_digests.value_or(std::map<std::string, Sha256>())) {
        if (written.insert(digest).second) {
            static_cast<void>(link_or_copy(old_shards / shard_file_name(digest),
                                           shards / shard_file_name(digest)));
        }
    }
    return write_new_file(folder / k_shard_index, sharded.index);
}

/// Links the sharded form of an unchanged index. A snapshot that an older version of chanmirror made
/// has none: it is made from the index.
Result<> carry_over_shards(const fs::path& from, const fs::path& to, const SnapshotSubdir& subdir) {
    std::error_code error;
    if (!fs::exists(from / k_shard_index, error)) {
        CHM_TRY(std::string json, read_file(from / k_whole_indexes[0], k_max_index_bytes));
        const std::string_view packages =
            subdir.view == View::closed ? std::string_view() : subdir.package_url;
        CHM_TRY(const ShardedIndex sharded, make_shards(json, packages));
        return write_shards(to, {}, sharded);
    }
    CHM_CHECK(link_or_copy(from / k_shard_index, to / k_shard_index));
    CHM_CHECK(make_directories(to / k_shard_folder));
    for (const fs::directory_entry& shard : fs::directory_iterator(from / k_shard_folder, error)) {
        CHM_CHECK(link_or_copy(shard.path(), to / k_shard_folder / shard.path().filename()));
    }
    if (error) {
        return fail(io_error("listing " + (from / k_shard_folder).string(), error.value()));
    }
    return {};
}

/// Writes one index's files below `snapshot` and says what was written. `before` is the current
/// snapshot's folder, or empty.
Result<SnapshotSubdir> write_index(const fs::path& snapshot,
                                   const fs::path& before,
                                   NewIndex& index) {
    SnapshotSubdir subdir{index.subdir,
                          View::upstream,
                          index.records,
                          index.index_sha256,
                          {},
                          index.fetched_from,
                          index.package_url,
                          index.relations};
    const fs::path upstream = upstream_index(snapshot, index.channel.name, index.subdir);
    CHM_TRY(const std::string original, zstd_compress(index.json, k_zstd_level));
    CHM_CHECK(write_new_file(upstream, original));
    CHM_CHECK(prove_same(upstream, index.json, true));

    CHM_TRY(std::string published, make_published(index, subdir));
    CHM_TRY(const std::string compressed, zstd_compress(published, k_zstd_level));
    const fs::path folder = published_subdir(snapshot, index.channel.name, index.subdir);
    CHM_CHECK(write_new_file(folder / k_whole_indexes[0], published));
    CHM_CHECK(write_new_file(folder / k_whole_indexes[1], compressed));
    CHM_CHECK(prove_same(folder / k_whole_indexes[0], published, false));
    CHM_CHECK(prove_same(folder / k_whole_indexes[1], published, true));
    subdir.published_sha256 = sha256(published);
    CHM_TRY(const ShardedIndex sharded,
            make_shards(published, index.packages ? "" : index.package_url));
    const fs::path old_folder =
        before.empty() ? before : published_subdir(before, index.channel.name, index.subdir);
    CHM_CHECK(write_shards(folder, old_folder, sharded));
    if (index.packages) {
        const std::string list = to_text(index.packages->stored);
        CHM_CHECK(write_new_file(stored_list(snapshot, index.channel.name, index.subdir), list));
        subdir.stored_sha256 = sha256(list);
    }
    return subdir;
}

class Publication {
public:
    Publication(const MirrorPaths& paths, const std::optional<Manifest>& previous)
        : paths_(paths), previous_(previous) {}

    Result<Manifest> run(std::vector<NewIndex> indexes,
                         const Clock& clock,
                         const std::stop_token& stop);
    /// After a failure: what was written so far must not fill the disk.
    void clean_up() const { static_cast<void>(remove_tree(folder_)); }

private:
    Result<> carry_over(const SnapshotChannel& channel, const SnapshotSubdir& subdir);
    void enter(const conda::Channel& channel, SnapshotSubdir subdir);
    void name_snapshot(const Clock& clock);
    [[nodiscard]] WallTime newest_snapshot() const;
    Result<> carry_over_the_rest();
    Result<> link_package_files(const fs::path& snapshot) const;

    const MirrorPaths& paths_;
    const std::optional<Manifest>& previous_;
    fs::path folder_;  // the snapshot while it is being written
    Manifest manifest_;
};

/// Hardlinks an unchanged subdir's files from the previous snapshot.
Result<> Publication::carry_over(const SnapshotChannel& channel, const SnapshotSubdir& subdir) {
    const fs::path old_snapshot = paths_.snapshot(previous_->id);
    const fs::path upstream = upstream_index(folder_, channel.name, subdir.subdir);
    CHM_CHECK(make_directories(upstream.parent_path()));
    CHM_CHECK(link_or_copy(upstream_index(old_snapshot, channel.name, subdir.subdir), upstream));
    const fs::path published = published_subdir(folder_, channel.name, subdir.subdir);
    CHM_CHECK(make_directories(published));
    const fs::path old_published = published_subdir(old_snapshot, channel.name, subdir.subdir);
    for (const std::string_view file : k_whole_indexes) {
        CHM_CHECK(link_or_copy(old_published / file, published / file));
    }
    CHM_CHECK(carry_over_shards(old_published, published, subdir));
    if (subdir.stored_sha256) {
        const fs::path list = stored_list(folder_, channel.name, subdir.subdir);
        CHM_CHECK(make_directories(list.parent_path()));
        CHM_CHECK(link_or_copy(stored_list(old_snapshot, channel.name, subdir.subdir), list));
    }
    enter({channel.name, channel.url}, subdir);
    return {};
}

/// Adds to the manifest, keeping channels and subdirs sorted so that its text does not depend on
/// timing.
void Publication::enter(const conda::Channel& channel, SnapshotSubdir subdir) {
    auto& channels = manifest_.channels;
    auto place = std::lower_bound(
        channels.begin(), channels.end(), channel.name, [](const auto& entry, const auto& name) {
            return entry.name < name;
        });
    if (place == channels.end() || place->name != channel.name) {
        place = channels.insert(place, SnapshotChannel{channel.name, channel.url, {}});
    }
    auto& subdirs = place->subdirs;
    const auto where = std::lower_bound(
        subdirs.begin(), subdirs.end(), subdir.subdir, [](const auto& entry, const auto& name) {
            return entry.subdir < name;
        });
    subdirs.insert(where, std::move(subdir));
}

/// Time for people and for sorting, a digest of the content for telling apart. Names must sort in the
/// order in which they were made, also two of one second, and when the clock was turned back: then the
/// name is a second after the newest one's, and `created` has what the clock said.
void Publication::name_snapshot(const Clock& clock) {
    const WallTime now = clock.wall();
    manifest_.created = utc_text(now);
    manifest_.id.clear();
    const std::string content = sha256(to_text(manifest_)).hex();
    const WallTime named = std::max(now, newest_snapshot() + std::chrono::seconds(1));
    manifest_.id = fmt::format("{}-{}", utc_compact(named), content.substr(0, 8));
}

/// By name; the epoch when there is none.
WallTime Publication::newest_snapshot() const {
    WallTime newest{};
    std::error_code none_yet;
    for (const fs::directory_entry& folder : fs::directory_iterator(paths_.snapshots(), none_yet)) {
        newest =
            std::max(newest, time_of_id(folder.path().filename().native()).value_or(WallTime{}));
    }
    return newest;
}

/// Package files get their names before the flip, in a way that is right before and after it.
Result<> Publication::link_package_files(const fs::path& snapshot) const {
    for (const SnapshotChannel& channel : manifest_.channels) {
        for (const SnapshotSubdir& subdir : channel.subdirs) {
            if (subdir.view != View::closed) {
                continue;
            }
            CHM_TRY(const StoredFiles now,
                    read_stored_files(paths_, manifest_, channel.name, subdir));
            StoredFiles before;
            const SnapshotChannel* old_channel =
                previous_ ? previous_->find(channel.name) : nullptr;
            const SnapshotSubdir* old =
                old_channel != nullptr ? old_channel->find(subdir.subdir) : nullptr;
            if (old != nullptr) {
                CHM_TRY(before, read_stored_files(paths_, *previous_, channel.name, *old));
            }
            const fs::path from = previous_ ? paths_.snapshot(previous_->id) : fs::path();
            CHM_CHECK(
                link_packages(paths_, {channel.name, subdir.subdir, from, snapshot, before, now}));
        }
    }
    return {};
}

/// What the previous snapshot holds and no new index replaces.
Result<> Publication::carry_over_the_rest() {
    if (!previous_) {
        return {};
    }
    for (const SnapshotChannel& channel : previous_->channels) {
        for (const SnapshotSubdir& subdir : channel.subdirs) {
            const SnapshotChannel* renewed = manifest_.find(channel.name);
            if (renewed != nullptr && renewed->find(subdir.subdir) != nullptr) {
                continue;
            }
            if (auto linked = carry_over(channel, subdir); !linked) {
                return linked;
            }
        }
    }
    return {};
}

Result<Manifest> Publication::run(std::vector<NewIndex> indexes,
                                  const Clock& clock,
                                  const std::stop_token& stop) {
    folder_ = paths_.snapshot(std::string("new") + std::string(k_unfinished));
    CHM_CHECK(remove_tree(folder_));
    CHM_CHECK(make_directories(folder_));

    const fs::path before = previous_ ? paths_.snapshot(previous_->id) : fs::path();
    std::vector<SnapshotSubdir> written(indexes.size());
    const auto write_one = [&](std::size_t i) -> Result<> {
        if (stop.stop_requested()) {
            return fail(ErrorKind::interrupted, "interrupted; the mirror is unchanged");
        }
        CHM_TRY(written[i], write_index(folder_, before, indexes[i]));
        indexes[i].json = {};
        return {};
    };
    CHM_CHECK(for_each_parallel(indexes.size(), default_threads(), write_one));
    for (std::size_t i = 0; i < indexes.size(); ++i) {
        enter(indexes[i].channel, std::move(written[i]));
    }
    CHM_CHECK(carry_over_the_rest());
    name_snapshot(clock);
    CHM_CHECK(write_new_file(folder_ / "manifest.json", to_text(manifest_)));
    if (stop.stop_requested()) {
        return fail(ErrorKind::interrupted, "interrupted; the mirror is unchanged");
    }

    CHM_CHECK(sync_file_system(folder_));  // the shards, all at once
    const fs::path final_folder = paths_.snapshot(manifest_.id);
    std::error_code error;
    fs::rename(folder_, final_folder, error);
    if (error) {
        return fail(io_error("naming snapshot " + final_folder.string(), error.value()));
    }
    CHM_CHECK(sync_directory(paths_.snapshots()));
    CHM_CHECK(link_public_indexes(paths_, manifest_));
    CHM_CHECK(link_package_files(final_folder));
    CHM_CHECK(replace_symlink(paths_.current(), fs::path("snapshots") / manifest_.id));
    return std::move(manifest_);
}

}  // namespace

Result<Manifest> publish(const MirrorPaths& paths,
                         const std::optional<Manifest>& previous,
                         std::vector<NewIndex> indexes,
                         const Clock& clock,
                         const std::stop_token& stop) {
    Publication publication(paths, previous);
    auto manifest = publication.run(std::move(indexes), clock, stop);
    if (!manifest) {
        publication.clean_up();
    }
    return manifest;
}

Result<> remove_unfinished_snapshots(const MirrorPaths& paths) {
    std::error_code error;
    const fs::directory_iterator entries(paths.snapshots(), error);
    if (error == std::errc::no_such_file_or_directory) {
        return {};
    }
    if (error) {
        return fail(io_error("listing " + paths.snapshots().string(), error.value()));
    }
    for (const fs::directory_entry& entry : entries) {
        if (entry.path().extension() != k_unfinished) {
            continue;
        }
        CHM_CHECK(remove_tree(entry.path()));
    }
    return {};
}

}  // namespace chm::channels
