#include "channels/verify_mirror.hpp"

#include "base/file_hashing.hpp"
#include "base/text.hpp"
#include "base/workers.hpp"
#include "channels/lock_files.hpp"
#include "channels/object_check.hpp"
#include "channels/object_store.hpp"
#include "channels/repair.hpp"
#include "channels/snapshot_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;

/// A sync that flips `current` while it is looked at makes a second look necessary; so many are enough.
constexpr int k_looks = 3;
constexpr std::string_view k_repair_advice =
    "'chanmirror verify --repair' takes it out of the mirror, the next 'chanmirror sync' fetches "
    "it "
    "anew";

tl::unexpected<Error> no_mirror(const MirrorPaths& paths) {
    return fail(ErrorKind::usage,
                fmt::format("the mirror {} holds no snapshot; run 'chanmirror sync' first, or name "
                            "another with --root",
                            paths.root().string()));
}

/// One fault for each file, with all the names it is published under.
std::vector<Fault> merged(std::vector<Fault> faults) {
    std::ranges::stable_sort(faults, {}, &Fault::file);
    std::vector<Fault> unique;
    for (Fault& fault : faults) {
        if (unique.empty() || unique.back().file != fault.file) {
            unique.push_back(std::move(fault));
            continue;
        }
        auto& names = unique.back().published_as;
        for (std::string& name : fault.published_as) {
            if (std::ranges::find(names, name) == names.end()) {
                names.push_back(std::move(name));
            }
        }
    }
    return unique;
}

void append(std::vector<Fault>& all, std::vector<Fault> more) {
    all.insert(
        all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

class Verification {
public:
    Verification(const MirrorPaths& paths, const VerifyRequest& request, const VerifyEdges& edges)
        : paths_(paths),
          request_(request),
          edges_(edges),
          store_(paths.root()),
          context_{paths, request.jobs > 0 ? request.jobs : default_threads(), edges.stop} {}

    Result<VerifyReport> run();

private:
    Result<> hash_all();
    Result<> check_snapshots();
    Result<std::vector<Fault>> check_current(const Manifest& manifest);
    Result<std::vector<Fault>> check_other(const SnapshotEntry& entry);
    void add_unnamed_corrupt();
    Result<> repair();

    const MirrorPaths& paths_;
    const VerifyRequest& request_;
    const VerifyEdges& edges_;
    ObjectStore store_;
    CheckContext context_;
    CorruptObjects corrupt_;
    ProvenFiles proven_;
    VerifyReport report_;
};

Result<> Verification::hash_all() {
    CHM_TRY(std::vector<StoredObject> objects, store_.list());
    CHM_TRY(HashedObjects hashed, hash_objects(store_, std::move(objects), request_, edges_));
    corrupt_ = std::move(hashed.corrupt);
    report_.objects = hashed.objects;
    report_.bytes = hashed.bytes;
    return {};
}

Result<std::vector<Fault>> Verification::check_current(const Manifest& manifest) {
    Faults faults;
    CHM_CHECK(check_index_files(context_, manifest, proven_, faults));
    CHM_CHECK(check_objects(context_, manifest, corrupt_, faults));
    CHM_CHECK(check_public(context_, manifest, faults));
    return faults.take();
}

Result<std::vector<Fault>> Verification::check_other(const SnapshotEntry& entry) {
    Faults faults;
    const fs::path folder = fs::path("snapshots") / entry.id;
    if (!entry.manifest) {
        faults.add({(folder / "manifest.json").string(),
                    "a snapshot's manifest",
                    entry.damage,
                    fmt::format("remove {}: nothing can use it", folder.string()),
                    {}});
    } else {
        CHM_CHECK(check_index_files(context_, *entry.manifest, proven_, faults));
        CHM_CHECK(check_objects(context_, *entry.manifest, corrupt_, faults));
    }
    std::error_code ignored;
    if (!fs::exists(paths_.snapshot(entry.id), ignored)) {
        return std::vector<Fault>();  // a garbage collection took it meanwhile
    }
    std::vector<Fault> found = faults.take();
    for (Fault& fault : found) {
        fault.advice = fmt::format(
            "nobody can go back to snapshot {} now; 'chanmirror snapshot gc' removes it in its "
            "time",
            entry.id);
    }
    return found;
}

/// Damaged objects that no snapshot names: an orphan, or what only a lock needs.
void Verification::add_unnamed_corrupt() {
    for (const auto& [digest, got] : corrupt_) {
        const std::string file = store_.path_of(digest).lexically_relative(paths_.root()).string();
        const auto told = std::ranges::find(report_.faults, file, &Fault::file);
        if (told == report_.faults.end() && store_.size_of(digest)) {
            report_.faults.push_back(
                {file, "sha256 " + digest.hex(), got, std::string(k_repair_advice), {}});
        }
    }
}

Result<> Verification::check_snapshots() {
    edges_.reporter.report(PhaseBegan{"checking snapshots", 0, Unit::items});
    report_.faults.clear();
    for (int look = 0; look < k_looks; ++look) {
        CHM_TRY(const std::optional<Manifest> current, read_current(paths_));
        if (!current) {
            return no_mirror(paths_);
        }
        CHM_TRY(report_.faults, check_current(*current));
        report_.snapshot = current->id;
        report_.missing = totals_of(*current).missing_files;
        CHM_TRY(const std::optional<std::string> now, current_id(paths_));
        if (now == current->id) {
            break;
        }
    }
    CHM_TRY(const std::vector<SnapshotEntry> entries, list_snapshots(paths_));
    for (const SnapshotEntry& entry : entries) {
        if (entry.id != report_.snapshot) {
            CHM_TRY(std::vector<Fault> found, check_other(entry));
            append(report_.faults, std::move(found));
        }
    }
    report_.snapshots = entries.size();
    add_unnamed_corrupt();
    report_.faults = merged(std::move(report_.faults));
    edges_.reporter.report(PhaseEnded{});
    return {};
}

Result<> Verification::repair() {
    CHM_TRY(RepairReport repaired, repair_mirror(paths_, corrupt_, edges_));
    report_.repaired = std::move(repaired.quarantined);
    report_.published = std::move(repaired.published);
    if (!report_.repaired.empty() || !report_.published.empty()) {
        corrupt_.clear();
        CHM_CHECK(check_snapshots());
    }
    return {};
}

Result<VerifyReport> Verification::run() {
    CHM_TRY(const std::optional<std::string> current, current_id(paths_));
    if (!current) {
        return no_mirror(paths_);
    }
    CHM_CHECK(hash_all());
    CHM_CHECK(check_snapshots());
    if (request_.repair && !report_.faults.empty()) {
        CHM_CHECK(repair());
    }
    return std::move(report_);
}

/// What locks name, and nothing else.
class LockVerification {
public:
    LockVerification(const MirrorPaths& paths,
                     const VerifyRequest& request,
                     const VerifyEdges& edges)
        : paths_(paths), request_(request), edges_(edges), store_(paths.root()) {}

    Result<VerifyReport> run();

private:
    struct Promise {
        std::string lock;
        LockedFile file;
    };
    Result<> find_objects(const fs::path& lock);
    Result<> find_object(const std::string& lock, const LockedFile& file);
    Result<const StoredFiles*> stored_at(const LockedPlace& place);
    void add_absent(const std::string& lock, const LockedFile& file);
    Result<> check_digests();
    Result<> check_md5s();

    const MirrorPaths& paths_;
    const VerifyRequest& request_;
    const VerifyEdges& edges_;
    ObjectStore store_;
    Manifest current_;
    std::map<const SnapshotSubdir*, StoredFiles> lists_;
    std::map<Sha256, std::vector<Promise>> wanted_;
    VerifyReport report_;
};

Result<const StoredFiles*> LockVerification::stored_at(const LockedPlace& place) {
    const auto known = lists_.find(place.subdir);
    if (known != lists_.end()) {
        return &known->second;
    }
    CHM_TRY(StoredFiles files,
            read_stored_files(paths_, current_, place.channel->name, *place.subdir));
    return &lists_.emplace(place.subdir, std::move(files)).first->second;
}

std::string promised(const LockedFile& file) {
    return file.sha256 ? "sha256 " + file.sha256->hex()
           : file.md5  ? "md5 " + file.md5->hex()
                       : std::string("a stored file");
}

void LockVerification::add_absent(const std::string& lock, const LockedFile& file) {
    report_.faults.push_back({lock + ": " + printable(file.fn),
                              promised(file),
                              "it is not stored in this mirror",
                              "mirror its channel's packages ('packages' in the configuration), "
                              "then run 'chanmirror sync'",
                              {}});
}

/// By its sha256, else by its name in the current snapshot.
Result<> LockVerification::find_object(const std::string& lock, const LockedFile& file) {
    if (file.sha256) {
        if (store_.size_of(*file.sha256)) {
            wanted_[*file.sha256].push_back({lock, file});
        } else {
            add_absent(lock, file);
        }
        return {};
    }
    const LockedPlace place = place_of(file, current_);
    const StoredFile* held = nullptr;
    if (place.subdir != nullptr) {
        CHM_TRY(const StoredFiles* files, stored_at(place));
        held = find(*files, file.fn);
    }
    if (held != nullptr && store_.size_of(held->sha256)) {
        wanted_[held->sha256].push_back({lock, file});
    } else {
        add_absent(lock, file);
    }
    return {};
}

Result<> LockVerification::check_digests() {
    std::vector<StoredObject> objects;
    objects.reserve(wanted_.size());
    for (const auto& [digest, promises] : wanted_) {
        objects.push_back({digest, store_.size_of(digest).value_or(0)});
    }
    CHM_TRY(const HashedObjects hashed, hash_objects(store_, std::move(objects), request_, edges_));
    report_.objects = hashed.objects;
    report_.bytes = hashed.bytes;
    for (const auto& [digest, got] : hashed.corrupt) {
        Fault fault{store_.path_of(digest).lexically_relative(paths_.root()).string(),
                    "sha256 " + digest.hex(),
                    got,
                    std::string(k_repair_advice),
                    {}};
        for (const Promise& promise : wanted_[digest]) {
            fault.published_as.push_back(promise.lock + ": " + printable(promise.file.fn));
        }
        report_.faults.push_back(std::move(fault));
    }
    return {};
}

/// What a lock promises by md5 is the stored file of that name only if its md5 says so.
Result<> LockVerification::check_md5s() {
    std::vector<std::pair<Sha256, const Promise*>> checks;
    for (const auto& [digest, promises] : wanted_) {
        for (const Promise& promise : promises) {
            if (promise.file.md5) {
                checks.emplace_back(digest, &promise);
            }
        }
    }
    std::mutex mutex;
    const auto check_one = [&](std::size_t i) -> Result<> {
        const auto& [digest, promise] = checks[i];
        const auto hashed = hash_file<Md5>(store_.path_of(digest), {nullptr, {}, edges_.stop});
        if (!hashed && hashed.error().kind == ErrorKind::interrupted) {
            return fail(hashed.error());
        }
        if (hashed && hashed->digest != *promise->file.md5) {
            const std::scoped_lock guard(mutex);
            report_.faults.push_back({promise->lock + ": " + printable(promise->file.fn),
                                      promised(promise->file),
                                      "md5 " + hashed->digest.hex(),
                                      "the mirror has other bytes under this name: solve anew",
                                      {}});
        }
        return {};
    };
    const unsigned threads = request_.jobs > 0 ? request_.jobs : default_threads();
    return for_each_parallel(checks.size(), threads, check_one);
}

Result<> LockVerification::find_objects(const fs::path& lock) {
    auto files = read_lock(lock);
    if (!files) {  // a file that the user names is wrong, not the mirror
        return fail(ErrorKind::usage, std::move(files).error().message);
    }
    for (const LockedFile& file : *files) {
        CHM_CHECK(find_object(printable(lock.native(), 5000), file));
    }
    return {};
}

Result<VerifyReport> LockVerification::run() {
    CHM_TRY(std::optional<Manifest> current, read_current(paths_));
    if (!current) {
        return no_mirror(paths_);
    }
    current_ = std::move(*current);
    report_.snapshot = current_.id;
    for (const fs::path& lock : request_.locks) {
        CHM_CHECK(find_objects(lock));
    }
    CHM_CHECK(check_digests());
    CHM_CHECK(check_md5s());
    report_.faults = merged(std::move(report_.faults));
    return std::move(report_);
}

}  // namespace

Result<VerifyReport> verify_mirror(const MirrorPaths& paths,
                                   const VerifyRequest& request,
                                   const VerifyEdges& edges) {
    if (!request.locks.empty()) {
        return LockVerification(paths, request, edges).run();
    }
    return Verification(paths, request, edges).run();
}

}  // namespace chm::channels
