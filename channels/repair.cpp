#include "channels/repair.hpp"

#include "base/atomic_file.hpp"
#include "base/file.hpp"
#include "base/file_hashing.hpp"
#include "base/file_lock.hpp"
#include "channels/missing_files.hpp"
#include "channels/object_store.hpp"
#include "channels/publish.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <system_error>
#include <tuple>
#include <unistd.h>
#include <utility>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;

class Repair {
public:
    Repair(const MirrorPaths& paths, const VerifyEdges& edges)
        : paths_(paths), edges_(edges), store_(paths.root()) {}

    Result<RepairReport> run(const CorruptObjects& suspects);

private:
    Result<> confirm(const CorruptObjects& suspects);
    [[nodiscard]] std::string fault_of(const StoredFile& file) const;
    Result<> leave_out(const SnapshotChannel& channel, const SnapshotSubdir& subdir);
    Result<> leave_out_all();
    Result<> publish_without();
    Result<> note_missing() const;
    Result<> remove_names() const;
    Result<> quarantine();

    const MirrorPaths& paths_;
    const VerifyEdges& edges_;
    ObjectStore store_;
    std::optional<Manifest> current_;
    CorruptObjects corrupt_;
    std::vector<NewIndex> indexes_;
    MissingFiles missing_;
    RepairReport report_;
};

/// What was found without the lock may have been replaced since.
Result<> Repair::confirm(const CorruptObjects& suspects) {
    for (const auto& [digest, got] : suspects) {
        const auto hashed = hash_file<Sha256>(store_.path_of(digest), {nullptr, {}, edges_.stop});
        if (!hashed && hashed.error().kind == ErrorKind::interrupted) {
            return fail(hashed.error());
        }
        if (hashed ? hashed->digest != digest : hashed.error().kind != ErrorKind::not_found) {
            corrupt_.emplace(digest, got);
        }
    }
    return {};
}

/// Why a stored file cannot stay; empty when it can.
std::string Repair::fault_of(const StoredFile& file) const {
    if (const auto bad = corrupt_.find(file.sha256); bad != corrupt_.end()) {
        return bad->second + " (in quarantine)";
    }
    const auto size = store_.size_of(file.sha256);
    if (size == file.size) {
        return {};
    }
    return size ? fmt::format("{} bytes", *size) : "the stored file is gone";
}

/// Adds a subdir without its faulty files to what is published, if it has such.
Result<> Repair::leave_out(const SnapshotChannel& channel, const SnapshotSubdir& subdir) {
    CHM_TRY(StoredFiles stored, read_stored_files(paths_, *current_, channel.name, subdir));
    const std::size_t before = missing_.size();
    std::erase_if(stored, [&](const StoredFile& file) {
        std::string got = fault_of(file);
        if (got.empty()) {
            return false;
        }
        missing_.push_back({channel.name,
                            subdir.subdir,
                            file.fn,
                            fmt::format("{}/{}", subdir.package_url, file.fn),
                            fmt::format("sha256 {}, {} bytes", file.sha256.hex(), file.size),
                            std::move(got),
                            0,
                            utc_text(edges_.clock.wall())});
        return true;
    });
    if (missing_.size() == before) {
        return {};
    }
    CHM_TRY(std::string json, read_index(paths_, *current_, channel, subdir));
    NewIndex index{{channel.name, channel.url},
                   subdir.subdir,
                   std::move(json),
                   subdir.records,
                   subdir.index_sha256,
                   subdir.fetched_from,
                   subdir.package_url,
                   subdir.relations};
    index.packages = NewPackages{
        subdir.policy, std::move(stored), subdir.missing_files + (missing_.size() - before)};
    indexes_.push_back(std::move(index));
    return {};
}

Result<> Repair::leave_out_all() {
    for (const SnapshotChannel& channel : current_->channels) {
        for (const SnapshotSubdir& subdir : channel.subdirs) {
            if (auto done = leave_out(channel, subdir); !done) {
                return done;
            }
        }
    }
    return {};
}

Result<> Repair::publish_without() {
    CHM_TRY(current_, read_current(paths_));
    if (!current_) {
        return {};
    }
    CHM_CHECK(leave_out_all());
    if (indexes_.empty()) {
        return {};
    }
    CHM_CHECK(publish(paths_, current_, std::move(indexes_), edges_.clock, edges_.stop));
    return note_missing();
}

Result<> Repair::note_missing() const {
    MissingFiles all = read_missing_files(paths_.missing());
    all.insert(all.end(), missing_.begin(), missing_.end());
    const auto place = [](const MissingFile& file) {
        return std::tie(file.channel, file.subdir, file.fn);
    };
    std::ranges::stable_sort(all, {}, place);
    const auto repeated = std::ranges::unique(all, {}, place);
    all.erase(repeated.begin(), repeated.end());
    return write_file_atomically(paths_.missing(), to_text(all));
}

/// Clients must not be served what is known to be wrong: every name of a damaged object goes.
Result<> Repair::remove_names() const {
    std::set<std::pair<std::uint64_t, std::uint64_t>> bad;  // device, inode
    for (const auto& [digest, got] : corrupt_) {
        struct stat status {};
        if (::stat(store_.path_of(digest).c_str(), &status) == 0) {
            bad.emplace(status.st_dev, status.st_ino);
        }
    }
    if (bad.empty()) {
        return {};
    }
    std::error_code error;
    fs::recursive_directory_iterator entries(paths_.published(), error);
    while (!error && entries != fs::recursive_directory_iterator()) {
        struct stat status {};
        const fs::path& name = entries->path();
        if (::stat(name.c_str(), &status) == 0 && bad.contains({status.st_dev, status.st_ino}) &&
            ::unlink(name.c_str()) != 0) {
            return fail(io_error("removing " + name.string(), errno));
        }
        entries.increment(error);
    }
    if (error && error != std::errc::no_such_file_or_directory) {
        return fail(io_error("listing " + paths_.published().string(), error.value()));
    }
    return {};
}

Result<> Repair::quarantine() {
    const fs::path folder = paths_.root() / "quarantine";
    CHM_CHECK(make_directories(folder));
    for (const auto& [digest, got] : corrupt_) {
        const fs::path object = store_.path_of(digest);
        std::error_code error;
        fs::rename(object, folder / digest.hex(), error);
        if (error) {
            return fail(io_error("moving " + object.string() + " to quarantine", error.value()));
        }
        report_.quarantined.push_back(object.lexically_relative(paths_.root()).string());
    }
    return sync_directory(folder);
}

/// The mirror is whole without the files before they go.
Result<RepairReport> Repair::run(const CorruptObjects& suspects) {
    CHM_CHECK(confirm(suspects));
    CHM_CHECK(publish_without());
    if (!corrupt_.empty()) {
        CHM_CHECK(remove_names());
        CHM_CHECK(quarantine());
    }
    for (const MissingFile& file : missing_) {
        report_.published.push_back(fmt::format("{}/{}/{}", file.channel, file.subdir, file.fn));
    }
    return std::move(report_);
}

}  // namespace

Result<RepairReport> repair_mirror(const MirrorPaths& paths,
                                   const CorruptObjects& corrupt,
                                   const VerifyEdges& edges) {
    FileLock::Options options;
    options.purpose = "chanmirror verify --repair";
    options.stop = edges.stop;
    CHM_TRY(const FileLock lock, FileLock::acquire(paths.lock(), options, edges.clock));
    return Repair(paths, edges).run(corrupt);
}

}  // namespace chm::channels
