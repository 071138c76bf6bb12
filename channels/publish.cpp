#include "channels/publish.hpp"

#include "base/atomic_file.hpp"
#include "base/file.hpp"
#include "base/workers.hpp"
#include "base/zstd.hpp"
#include "channels/limits.hpp"
#include "channels/repodata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;

/// zstd's default: 3 % larger than level 9 on repodata and several times faster.
constexpr int k_zstd_level = 3;
constexpr std::string_view k_unfinished = ".unfinished";
constexpr std::array<std::string_view, 2> k_published_files = {"repodata.json",
                                                               "repodata.json.zst"};

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

/// Writes one index's files below `snapshot` and says what was written.
Result<SnapshotSubdir> write_index(const fs::path& snapshot, NewIndex& index) {
    const fs::path upstream = upstream_index(snapshot, index.channel.name, index.subdir);
    CHM_TRY(const std::string original, zstd_compress(index.json, k_zstd_level));
    CHM_CHECK(write_new_file(upstream, original));
    CHM_CHECK(prove_same(upstream, index.json, true));

    CHM_TRY(const std::string published, with_base_url(index.json, index.package_url));
    CHM_TRY(const std::string compressed, zstd_compress(published, k_zstd_level));
    const fs::path folder = published_subdir(snapshot, index.channel.name, index.subdir);
    CHM_CHECK(write_new_file(folder / k_published_files[0], published));
    CHM_CHECK(write_new_file(folder / k_published_files[1], compressed));
    CHM_CHECK(prove_same(folder / k_published_files[0], published, false));
    CHM_CHECK(prove_same(folder / k_published_files[1], published, true));
    return SnapshotSubdir{index.subdir,
                          View::upstream,
                          index.records,
                          index.index_sha256,
                          sha256(published),
                          index.fetched_from,
                          index.package_url,
                          index.relations};
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
    Result<> carry_over_the_rest();
    Result<> link_names_of(const fs::path& below) const;
    Result<> link_public_names() const;

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
    for (const std::string_view file : k_published_files) {
        CHM_CHECK(link_or_copy(published_subdir(old_snapshot, channel.name, subdir.subdir) / file,
                               published / file));
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

/// Time for people and for sorting, a digest of the content against two syncs in one second. The
/// same content twice in one second (A, B, A; or a run killed just before the flip) finds its name
/// taken and is given the next.
void Publication::name_snapshot(const Clock& clock) {
    const WallTime now = clock.wall();
    manifest_.created = utc_text(now);
    manifest_.id.clear();
    std::error_code ignored;
    do {
        const std::string content = sha256(to_text(manifest_)).hex();
        manifest_.id = fmt::format("{}-{}", utc_compact(now), content.substr(0, 8));
    } while (fs::exists(fs::symlink_status(paths_.snapshot(manifest_.id), ignored)));
}

/// Makes the names of `below` ("public/<channel>/<subdir>") that are not there yet.
Result<> Publication::link_names_of(const fs::path& below) const {
    const fs::path folder = paths_.root() / below;
    CHM_CHECK(make_directories(folder));
    fs::path up;
    for (auto it = below.begin(); it != below.end(); ++it) {
        up /= "..";
    }
    for (const std::string_view file : k_published_files) {
        const fs::path destination = up / "current" / below / file;
        std::error_code ignored;
        if (fs::read_symlink(folder / file, ignored) == destination) {
            continue;
        }
        CHM_CHECK(replace_symlink(folder / file, destination));
    }
    return {};
}

/// Names that clients read are symlinks through `current`, so they are made once and never touched
/// again.
Result<> Publication::link_public_names() const {
    for (const SnapshotChannel& channel : manifest_.channels) {
        for (const SnapshotSubdir& subdir : channel.subdirs) {
            const fs::path below = fs::path("public") / channel.name / subdir.subdir;
            if (auto linked = link_names_of(below); !linked) {
                return linked;
            }
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

    std::vector<SnapshotSubdir> written(indexes.size());
    const auto write_one = [&](std::size_t i) -> Result<> {
        if (stop.stop_requested()) {
            return fail(ErrorKind::interrupted, "interrupted; the mirror is unchanged");
        }
        CHM_TRY(written[i], write_index(folder_, indexes[i]));
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

    const fs::path final_folder = paths_.snapshot(manifest_.id);
    std::error_code error;
    fs::rename(folder_, final_folder, error);
    if (error) {
        return fail(io_error("naming snapshot " + final_folder.string(), error.value()));
    }
    CHM_CHECK(sync_directory(paths_.snapshots()));
    CHM_CHECK(link_public_names());
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
