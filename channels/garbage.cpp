// First everything is decided (garbage_plan.hpp), then it is removed in an order in which a kill leaves
// nothing that names something gone: snapshots, names, objects, empty folders.
#include "channels/garbage.hpp"

#include "base/file.hpp"
#include "base/file_hashing.hpp"
#include "base/file_lock.hpp"
#include "base/text.hpp"
#include "base/workers.hpp"
#include "channels/garbage_plan.hpp"
#include "channels/public_names.hpp"
#include "channels/snapshot_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view k_unfinished = ".unfinished";
constexpr std::chrono::days k_partial_age{7};
/// Folders that others than the lock's holder write into: their temporaries may be at work.
constexpr std::chrono::days k_foreign_age{1};

using FileId = std::pair<std::uint64_t, std::uint64_t>;  // device, inode

FileId id_of(const struct stat& status) {
    return {status.st_dev, status.st_ino};
}

WallTime time_of(const struct stat& status) {
    return WallTime(std::chrono::seconds(status.st_mtim.tv_sec));
}

/// visit(path, lstat) for everything below `folder`, folders before what is in them; links are not
/// followed. A folder that is not there is empty.
Result<> walk(const fs::path& folder,
              const std::function<void(const fs::path&, const struct stat&)>& visit) {
    std::error_code error;
    fs::recursive_directory_iterator entries(folder, error);
    if (error == std::errc::no_such_file_or_directory) {
        return {};
    }
    while (!error && entries != fs::recursive_directory_iterator()) {
        struct stat status {};
        if (::lstat(entries->path().c_str(), &status) == 0) {
            visit(entries->path(), status);
        }
        entries.increment(error);
    }
    if (error) {
        return fail(io_error("listing " + folder.string(), error.value()));
    }
    return {};
}

class Collection {
public:
    Collection(const MirrorPaths& paths, const GarbageRequest& request, const GarbageEdges& edges)
        : paths_(paths),
          request_(request),
          edges_(edges),
          store_(paths.root()),
          now_(edges.clock.wall()) {}

    Result<GarbageReport> run();

private:
    Result<> decide_what_stays();
    Result<> plan();
    [[nodiscard]] bool is_older(const struct stat& status, std::chrono::days age) const;
    void add_leftover(const fs::path& file, const struct stat& status);
    void add_temporary(const fs::path& file, const struct stat& status);
    Result<> plan_temporaries();
    Result<> plan_old_files();
    Result<> plan_unfinished();
    Result<> plan_snapshots();
    Result<> plan_objects();
    Result<> spare_objects_of_md5_locks();
    Result<> plan_names();
    [[nodiscard]] bool is_unneeded_name(const fs::path& file, const struct stat& status) const;
    [[nodiscard]] bool is_kept_name(const fs::path& file) const;
    [[nodiscard]] bool may_remove_object_name(const fs::path& file,
                                              const struct stat& status) const;
    Result<> remove_all() const;
    Result<> remove_snapshot(const std::string& id) const;
    Result<> remove_empty_folders() const;
    [[nodiscard]] Result<> require_going_on() const;
    void count(const struct stat& status);

    const MirrorPaths& paths_;
    const GarbageRequest& request_;
    const GarbageEdges& edges_;
    ObjectStore store_;
    WallTime now_;
    SnapshotChoice choice_;
    Needed needed_;
    std::map<FileId, Sha256> objects_by_file_;  // all that are stored
    std::map<FileId, std::uint64_t> links_;     // of files to be removed: how many names go
    GarbageReport report_;
};

Result<> Collection::require_going_on() const {
    if (edges_.stop.stop_requested()) {
        return fail(ErrorKind::interrupted,
                    "interrupted; the mirror is whole, the next 'chanmirror snapshot gc' goes on");
    }
    return {};
}

/// A file's bytes become free with its last name.
void Collection::count(const struct stat& status) {
    if (S_ISREG(status.st_mode) && ++links_[id_of(status)] == status.st_nlink) {
        report_.bytes += static_cast<std::uint64_t>(status.st_size);
    }
}

bool Collection::is_older(const struct stat& status, std::chrono::days age) const {
    return now_ - time_of(status) >= age;
}

void Collection::add_leftover(const fs::path& file, const struct stat& status) {
    report_.leftovers.push_back(file);
    count(status);
}

void Collection::add_temporary(const fs::path& file, const struct stat& status) {
    if (!S_ISDIR(status.st_mode) && is_leftover_name(file.filename().native())) {
        add_leftover(file, status);
    }
}

/// Temporaries that only the lock's holder writes: nobody can be at work on them.
Result<> Collection::plan_temporaries() {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(paths_.root(), ignored)) {
        struct stat status {};
        if (::lstat(entry.path().c_str(), &status) == 0) {
            add_temporary(entry.path(), status);
        }
    }
    for (const fs::path& folder :
         {paths_.published(), paths_.root() / "objects", paths_.root() / "state"}) {
        CHM_CHECK(walk(folder, [&](const fs::path& file, const struct stat& status) {
            add_temporary(file, status);
        }));
    }
    return {};
}

Result<> Collection::plan_old_files() {
    const auto add_foreign = [&](const fs::path& file, const struct stat& status) {
        if (is_older(status, k_foreign_age)) {
            add_temporary(file, status);
        }
    };
    const auto add_partial = [&](const fs::path& file, const struct stat& status) {
        const bool listed = is_leftover_name(file.filename().native());
        if (S_ISREG(status.st_mode) && is_older(status, k_partial_age) && !listed) {
            add_leftover(file, status);
        }
    };
    CHM_CHECK(walk(paths_.root() / "locks", add_foreign));
    CHM_CHECK(walk(paths_.root() / "solutions", add_foreign));
    return walk(paths_.partial(), add_partial);
}

/// Folders of snapshots/ that never became a snapshot.
Result<> Collection::plan_unfinished() {
    std::vector<fs::path> unfinished;
    std::error_code error;
    fs::directory_iterator entries(paths_.snapshots(), error);
    while (!error && entries != fs::directory_iterator()) {
        const fs::path& folder = entries->path();
        if (folder.extension() == k_unfinished || is_leftover_name(folder.filename().native())) {
            unfinished.push_back(folder);
        } else if (!time_of_id(folder.filename().native())) {
            edges_.reporter.warn(fmt::format("{} is no snapshot of this program; it is left alone",
                                             printable(folder.native(), 5000)));
        }
        entries.increment(error);
    }
    if (error && error != std::errc::no_such_file_or_directory) {
        return fail(io_error("listing " + paths_.snapshots().string(), error.value()));
    }
    for (const fs::path& folder : unfinished) {
        report_.leftovers.push_back(folder);
        CHM_CHECK(walk(folder, [&](const fs::path&, const auto& status) { count(status); }));
    }
    return {};
}

Result<> Collection::plan_snapshots() {
    report_.snapshots = choice_.others;
    for (const Manifest& manifest : choice_.kept) {
        report_.kept_snapshots.push_back(manifest.id);
    }
    for (const std::string& id : report_.snapshots) {
        CHM_CHECK(walk(paths_.snapshot(id),
                       [&](const fs::path&, const struct stat& status) { count(status); }));
    }
    return {};
}

/// Objects that nothing names. Those that came within the grace period may be a sync's that was
/// interrupted and will go on.
Result<> Collection::plan_objects() {
    CHM_TRY(const std::vector<StoredObject> stored, store_.list());
    for (const StoredObject& object : stored) {
        struct stat status {};
        if (::stat(store_.path_of(object.sha256).c_str(), &status) != 0) {
            continue;
        }
        objects_by_file_.emplace(id_of(status), object.sha256);
        const bool needed = needed_.by_snapshots.contains(object.sha256) ||
                            needed_.by_locks.contains(object.sha256);
        const bool young =
            request_.grace > request_.grace.zero() && now_ - time_of(status) < request_.grace;
        if (!needed && !young) {
            report_.objects.push_back(object);
        }
    }
    if (needed_.unreadable_lock) {
        report_.objects_spared = true;
        report_.objects.clear();
        return {};
    }
    return spare_objects_of_md5_locks();
}

/// A lock may name by md5 what the store knows by sha256 only: what is about to go is hashed.
Result<> Collection::spare_objects_of_md5_locks() {
    if (needed_.by_locks_md5.empty()) {
        return {};
    }
    std::mutex mutex;
    const auto hash_one = [&](std::size_t i) -> Result<> {
        const Sha256& sha256 = report_.objects[i].sha256;
        CHM_TRY(const HashedFile<Md5> hashed,
                hash_file<Md5>(store_.path_of(sha256), {nullptr, {}, edges_.stop}));
        const std::scoped_lock guard(mutex);
        if (needed_.by_locks_md5.contains(hashed.digest)) {
            needed_.by_locks.insert(sha256);
        }
        return {};
    };
    CHM_CHECK(for_each_parallel(report_.objects.size(), default_threads(), hash_one));
    std::erase_if(report_.objects, [&](const StoredObject& object) {
        return needed_.by_locks.contains(object.sha256);
    });
    return {};
}

/// Whether any kept snapshot has a file of this public name.
bool Collection::is_kept_name(const fs::path& file) const {
    const auto names = needed_.kept_names.find(
        file.parent_path().lexically_relative(paths_.published()).generic_string());
    return names != needed_.kept_names.end() && names->second.contains(file.filename().native());
}

/// Whether a name of public/ that no snapshot in use has is one of ours: a second name of an object
/// (or a symlink to one) that no lock needs.
bool Collection::may_remove_object_name(const fs::path& file, const struct stat& status) const {
    std::optional<Sha256> digest;
    if (S_ISLNK(status.st_mode)) {
        std::error_code ignored;
        const fs::path target = fs::read_symlink(file, ignored);
        if (target.native().find("../current/public/") != std::string::npos) {
            return !fs::exists(file, ignored) && !is_kept_name(file);
        }
        const auto parsed = Sha256::from_hex(target.filename().native());
        const bool into_store = target.native().find("objects/sha256/") != std::string::npos;
        digest = parsed && into_store ? std::optional(*parsed) : std::nullopt;
    } else if (const auto known = objects_by_file_.find(id_of(status));
               known != objects_by_file_.end()) {
        digest = known->second;
    }
    return digest && !needed_.by_locks.contains(*digest) && !needed_.unreadable_lock;
}

bool Collection::is_unneeded_name(const fs::path& file, const struct stat& status) const {
    if (!S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode)) {
        return false;
    }
    const std::string place =
        file.parent_path().lexically_relative(paths_.published()).generic_string();
    const auto names = needed_.names.find(place);
    const std::string fn = file.filename().native();
    const bool is_index = std::ranges::find(k_index_names, fn) != k_index_names.end();
    if (is_index && S_ISLNK(status.st_mode)) {
        std::error_code ignored;  // of a channel that only a later snapshot has: it leads nowhere
        return names == needed_.names.end() && !fs::exists(file, ignored);
    }
    const bool named = names != needed_.names.end() && names->second.contains(fn);
    return !named && may_remove_object_name(file, status);
}

Result<> Collection::plan_names() {
    return walk(paths_.published(), [&](const fs::path& file, const struct stat& status) {
        if (!is_leftover_name(file.filename().native()) && is_unneeded_name(file, status)) {
            report_.names.push_back(file);
            count(status);
        }
    });
}

Result<> Collection::decide_what_stays() {
    CHM_TRY(const std::optional<std::string> current, current_id(paths_));
    if (!current) {
        return fail(
            ErrorKind::usage,
            fmt::format("the mirror {} has no current snapshot; run 'chanmirror sync' first",
                        paths_.root().string()));
    }
    CHM_CHECK(read_current(paths_));  // damaged: its message says what to do
    CHM_TRY(choice_, choose_snapshots(paths_, request_, now_));
    CHM_TRY(needed_, find_needed(paths_, choice_, edges_.reporter));
    return require_going_on();
}

Result<> Collection::plan() {
    CHM_CHECK(decide_what_stays());
    CHM_CHECK(plan_temporaries());
    CHM_CHECK(plan_old_files());
    CHM_CHECK(plan_unfinished());
    CHM_CHECK(plan_snapshots());
    CHM_CHECK(plan_objects());
    CHM_CHECK(plan_names());
    for (const StoredObject& object : report_.objects) {
        struct stat status {};
        if (::lstat(store_.path_of(object.sha256).c_str(), &status) == 0) {
            count(status);
        }
    }
    return require_going_on();
}

/// First it loses its name, so that a kill leaves no half of a snapshot under it.
Result<> Collection::remove_snapshot(const std::string& id) const {
    fs::path doomed = paths_.snapshot(id);
    doomed += k_unfinished;
    CHM_CHECK(remove_tree(doomed));
    std::error_code error;
    fs::rename(paths_.snapshot(id), doomed, error);
    if (error) {
        return fail(io_error("removing snapshot " + id, error.value()));
    }
    return remove_tree(doomed);
}

/// Folders of public/ in which nothing is left; the deepest come last in the walk.
Result<> Collection::remove_empty_folders() const {
    std::vector<fs::path> folders;
    CHM_CHECK(walk(paths_.published(), [&](const fs::path& path, const struct stat& status) {
        if (S_ISDIR(status.st_mode)) {
            folders.push_back(path);
        }
    }));
    std::ranges::sort(folders, std::greater<>());
    for (const fs::path& folder : folders) {
        ::rmdir(folder.c_str());  // refused where something is in it
    }
    return {};
}

Result<> Collection::remove_all() const {
    for (const fs::path& path : report_.leftovers) {
        CHM_CHECK(remove_tree(path));
    }
    for (const std::string& id : report_.snapshots) {
        CHM_CHECK(require_going_on());
        CHM_CHECK(remove_snapshot(id));
    }
    for (const fs::path& name : report_.names) {
        if (::unlink(name.c_str()) != 0 && errno != ENOENT) {
            return fail(io_error("removing " + name.string(), errno));
        }
    }
    for (const StoredObject& object : report_.objects) {
        CHM_CHECK(require_going_on());
        CHM_CHECK(store_.remove(object.sha256));
    }
    return remove_empty_folders();
}

Result<GarbageReport> Collection::run() {
    CHM_CHECK(plan());
    if (!request_.dry_run) {
        CHM_CHECK(remove_all());
    }
    for (auto* list : {&report_.names, &report_.leftovers}) {
        for (fs::path& path : *list) {
            path = path.lexically_relative(paths_.root());
        }
        std::ranges::sort(*list);
    }
    return std::move(report_);
}

}  // namespace

Result<GarbageReport> collect_garbage(const MirrorPaths& paths,
                                      const GarbageRequest& request,
                                      const GarbageEdges& edges) {
    std::error_code ignored;
    if (!fs::is_directory(paths.root(), ignored)) {
        return fail(ErrorKind::usage,
                    fmt::format("the mirror {} does not exist; run 'chanmirror sync' first, or "
                                "name another with --root",
                                paths.root().string()));
    }
    FileLock::Options options;
    options.purpose = "chanmirror snapshot gc";
    options.stop = edges.stop;
    CHM_TRY(const FileLock lock, FileLock::acquire(paths.lock(), options, edges.clock));
    return Collection(paths, request, edges).run();
}

}  // namespace chm::channels
