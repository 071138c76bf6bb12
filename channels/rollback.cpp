#include "channels/rollback.hpp"

#include "base/atomic_file.hpp"
#include "base/file.hpp"
#include "base/file_lock.hpp"
#include "base/workers.hpp"
#include "channels/missing_files.hpp"
#include "channels/object_store.hpp"
#include "channels/package_links.hpp"
#include "channels/public_names.hpp"
#include "channels/snapshot_check.hpp"
#include "channels/snapshot_history.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <utility>
#include <vector>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;

Result<> require_whole(const CheckContext& context, const Manifest& manifest) {
    ProvenFiles proven;
    Faults faults;
    CHM_CHECK(check_index_files(context, manifest, proven, faults));
    CHM_CHECK(check_objects(context, manifest, {}, faults));
    const std::vector<Fault> found = faults.take();
    if (found.empty()) {
        return {};
    }
    return fail(
        ErrorKind::integrity,
        fmt::format(
            "snapshot {} is not whole: {}: expected {}, got {}{}; the mirror is "
            "unchanged, choose another of 'chanmirror snapshot list'",
            manifest.id,
            found.front().file,
            found.front().expected,
            found.front().got,
            found.size() > 1 ? fmt::format(" (and {} more faults)", found.size() - 1) : ""));
}

bool leads_to(const fs::path& name, const fs::path& object) {
    struct stat a {};
    struct stat b {};
    return ::stat(name.c_str(), &a) == 0 && ::stat(object.c_str(), &b) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

class Rollback {
public:
    Rollback(const MirrorPaths& paths, Manifest target) : paths_(paths), store_(paths.root()) {
        report_.manifest = std::move(target);
    }

    Result<RollbackReport> run(const Clock& clock);

private:
    Result<> link_all_packages();
    Result<> link_packages_of(const SnapshotChannel& channel, const SnapshotSubdir& subdir);
    [[nodiscard]] StoredFiles held_before(const SnapshotChannel& channel,
                                          const SnapshotSubdir& subdir) const;
    Result<> agree_on_name(const SnapshotChannel& channel,
                           const SnapshotSubdir& subdir,
                           const std::string& fn) const;
    Result<> mark_time(const Clock& clock) const;
    Result<> forget_missing() const;

    const MirrorPaths& paths_;
    ObjectStore store_;
    std::string before_;               // the id that is current; empty: none
    std::optional<Manifest> current_;  // its manifest, where that can be read
    RollbackReport report_;
};

/// What the current snapshot holds under the same names; nothing where it is damaged.
StoredFiles Rollback::held_before(const SnapshotChannel& channel,
                                  const SnapshotSubdir& subdir) const {
    const SnapshotChannel* old_channel = current_ ? current_->find(channel.name) : nullptr;
    const SnapshotSubdir* old = old_channel != nullptr ? old_channel->find(subdir.subdir) : nullptr;
    if (old == nullptr) {
        return {};
    }
    auto stored = read_stored_files(paths_, *current_, channel.name, *old);
    return stored ? std::move(*stored) : StoredFiles();
}

/// A name leads through `current` if, and only if, the snapshots have files of their own under it; a
/// name that was lost and made again may not.
Result<> Rollback::agree_on_name(const SnapshotChannel& channel,
                                 const SnapshotSubdir& subdir,
                                 const std::string& fn) const {
    const auto own = [&](const std::string& id) {
        return published_subdir(paths_.snapshot(id), channel.name, subdir.subdir) / fn;
    };
    const fs::path destination = public_destination(channel.name, subdir.subdir, fn);
    const fs::path name = paths_.published() / channel.name / subdir.subdir / fn;
    const fs::path target_file = own(report_.manifest.id);
    std::error_code ignored;
    if (!fs::exists(target_file, ignored) || fs::read_symlink(name, ignored) == destination) {
        return {};
    }
    if (!before_.empty() && fs::exists(own(before_), ignored)) {
        return replace_symlink(name, destination);
    }
    return remove_tree(target_file);  // the name is the object itself
}

Result<> Rollback::link_packages_of(const SnapshotChannel& channel, const SnapshotSubdir& subdir) {
    if (subdir.view != View::closed) {
        return {};
    }
    CHM_TRY(const StoredFiles wanted,
            read_stored_files(paths_, report_.manifest, channel.name, subdir));
    const fs::path folder = paths_.published() / channel.name / subdir.subdir;
    StoredFiles before = held_before(channel, subdir);
    for (const StoredFile& file : wanted) {
        std::error_code ignored;
        if (!fs::exists(fs::symlink_status(folder / file.fn, ignored))) {
            ++report_.names_added;
        } else if (!leads_to(folder / file.fn, store_.path_of(file.sha256))) {
            ++report_.names_changed;
        }
    }
    // What link_packages takes to be there is looked at here: the names may be what is wrong.
    std::erase_if(before, [&](const StoredFile& held) {
        const StoredFile* file = find(wanted, held.fn);
        return file != nullptr && file->sha256 == held.sha256 &&
               !leads_to(folder / held.fn, store_.path_of(held.sha256));
    });
    const fs::path from = paths_.snapshot(before_.empty() ? report_.manifest.id : before_);
    CHM_CHECK(link_packages(
        paths_,
        {channel.name, subdir.subdir, from, paths_.snapshot(report_.manifest.id), before, wanted}));
    for (const StoredFile& file : wanted) {
        CHM_CHECK(agree_on_name(channel, subdir, file.fn));
    }
    return {};
}

/// Garbage collection tells from the folder's time when a snapshot became current (garbage.hpp).
Result<> Rollback::mark_time(const Clock& clock) const {
    const fs::path folder = paths_.snapshot(report_.manifest.id);
    timespec now{};
    now.tv_sec = clock.wall().time_since_epoch().count();
    const timespec times[2] = {now, now};  // NOLINT(modernize-avoid-c-arrays): utimensat's
    if (::utimensat(AT_FDCWD, folder.c_str(), times, 0) != 0) {
        return fail(io_error("setting the time of " + folder.string(), errno));
    }
    return {};
}

/// missing.json speaks of the snapshot that was left; what this one lacks nothing of goes.
Result<> Rollback::forget_missing() const {
    MissingFiles left;
    const MissingFiles all = read_missing_files(paths_.missing());
    for (const MissingFile& file : all) {
        const SnapshotChannel* channel = report_.manifest.find(file.channel);
        const SnapshotSubdir* subdir = channel != nullptr ? channel->find(file.subdir) : nullptr;
        if (subdir != nullptr && subdir->missing_files > 0) {
            left.push_back(file);
        }
    }
    if (left == all) {
        return {};
    }
    return left.empty() ? remove_tree(paths_.missing())
                        : write_file_atomically(paths_.missing(), to_text(left));
}

Result<> Rollback::link_all_packages() {
    for (const SnapshotChannel& channel : report_.manifest.channels) {
        for (const SnapshotSubdir& subdir : channel.subdirs) {
            if (auto linked = link_packages_of(channel, subdir); !linked) {
                return linked;
            }
        }
    }
    return {};
}

/// The order of publish(): names that are right before and after the flip, then the flip.
Result<RollbackReport> Rollback::run(const Clock& clock) {
    const Manifest& target = report_.manifest;
    CHM_TRY(std::optional<std::string> before, current_id(paths_));
    before_ = std::move(before).value_or("");
    if (auto current = read_current(paths_)) {  // a damaged one can only be left
        current_ = std::move(*current);
    }
    report_.before = before_;
    CHM_CHECK(link_public_indexes(paths_, target));
    CHM_CHECK(link_all_packages());
    if (before_ != target.id) {
        CHM_CHECK(mark_time(clock));
        CHM_CHECK(replace_symlink(paths_.current(), fs::path("snapshots") / target.id));
    }
    CHM_CHECK(forget_missing());
    return std::move(report_);
}

}  // namespace

Result<RollbackReport> rollback(const MirrorPaths& paths,
                                std::string_view text,
                                const Clock& clock,
                                const std::stop_token& stop) {
    CHM_CHECK(resolve_snapshot(paths, text));  // a typing mistake need not wait for the lock
    FileLock::Options options;
    options.purpose = "chanmirror snapshot rollback";
    options.stop = stop;
    CHM_TRY(const FileLock lock, FileLock::acquire(paths.lock(), options, clock));
    CHM_TRY(const std::string id, resolve_snapshot(paths, text));
    auto target = read_snapshot(paths, id);
    if (!target) {
        return fail(ErrorKind::integrity,
                    fmt::format("snapshot {} is damaged: {}; the mirror is unchanged, choose "
                                "another of 'chanmirror snapshot list'",
                                id,
                                target.error().message));
    }
    CHM_CHECK(require_whole({paths, default_threads(), stop}, *target));
    return Rollback(paths, std::move(*target)).run(clock);
}

}  // namespace chm::channels
