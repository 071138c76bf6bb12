#include "channels/garbage_plan.hpp"

#include "base/text.hpp"
#include "channels/lock_files.hpp"
#include "channels/snapshot_history.hpp"
#include "channels/stored_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <utility>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;

/// When a snapshot became current: when it was made, or when a rollback last chose it, which sets the
/// folder's time. A folder that was copied looks younger, which is the safe side.
WallTime became_current(const MirrorPaths& paths, const std::string& id) {
    const WallTime made = time_of_id(id).value_or(WallTime());
    struct stat status {};
    if (::stat(paths.snapshot(id).c_str(), &status) != 0) {
        return made;
    }
    return std::max(made, WallTime(std::chrono::seconds(status.st_mtim.tv_sec)));
}

/// Ids whose clients may be at work: those that stopped being current less than `grace` ago. A
/// snapshot stopped when the next one became current.
std::set<std::string> within_grace(const MirrorPaths& paths,
                                   const std::vector<SnapshotEntry>& entries,
                                   std::chrono::seconds grace,
                                   WallTime now) {
    std::vector<std::pair<WallTime, std::string>> by_time;
    by_time.reserve(entries.size());
    for (const SnapshotEntry& entry : entries) {
        by_time.emplace_back(became_current(paths, entry.id), entry.id);
    }
    std::ranges::sort(by_time);
    std::set<std::string> young;
    for (std::size_t i = 0; i < by_time.size(); ++i) {
        const WallTime ended = i + 1 < by_time.size() ? by_time[i + 1].first : now;
        if (grace > grace.zero() && (now - ended < grace || now - by_time[i].first < grace)) {
            young.insert(by_time[i].second);
        }
    }
    return young;
}

/// Adds what one lock names; false when it cannot be read, or does not say by digest.
bool add_lock(const fs::path& file, Needed& needed, Reporter& reporter) {
    const auto locked = read_lock(file);
    if (!locked) {
        reporter.warn(fmt::format("{}; no stored file is removed, since it may name any",
                                  locked.error().message));
        return false;
    }
    for (const LockedFile& entry : *locked) {
        if (entry.sha256) {
            needed.by_locks.insert(*entry.sha256);
        } else if (entry.md5) {
            needed.by_locks_md5.insert(*entry.md5);
        } else {
            reporter.warn(
                fmt::format("{}: {} has no digest; no stored file is removed, since it may be any",
                            printable(file.native(), 5000),
                            printable(entry.fn)));
            return false;
        }
    }
    return true;
}

Result<> add_locks(const MirrorPaths& paths, Needed& needed, Reporter& reporter) {
    const fs::path folder = paths.root() / "locks";
    std::error_code error;
    fs::recursive_directory_iterator entries(folder, error);
    if (error == std::errc::no_such_file_or_directory) {
        return {};
    }
    while (!error && entries != fs::recursive_directory_iterator()) {
        const fs::path file = entries->path();
        std::error_code ignored;
        const bool is_folder = entries->is_directory(ignored) && !entries->is_symlink(ignored);
        if (!is_folder && !is_leftover_name(file.filename().native()) &&
            !add_lock(file, needed, reporter)) {
            needed.unreadable_lock = true;
        }
        entries.increment(error);
    }
    if (error) {
        return fail(io_error("listing " + folder.string(), error.value()));
    }
    return {};
}

void add_stored(const StoredFiles& stored, const std::string& place, bool in_use, Needed& needed) {
    auto& names = needed.names[place];
    auto& kept_names = needed.kept_names[place];
    for (const StoredFile& file : stored) {
        needed.by_snapshots.insert(file.sha256);
        kept_names.insert(file.fn);
        if (in_use) {
            names.insert(file.fn);
        }
    }
}

void add_md5s(const StoredFiles& stored, std::set<Md5>& known) {
    for (const StoredFile& file : stored) {
        if (file.md5) {
            known.insert(*file.md5);
        }
    }
}

Result<> add_lists(const MirrorPaths& paths,
                   const Manifest& manifest,
                   bool in_use,
                   Needed& needed,
                   std::set<Md5>& known_md5) {
    for (const SnapshotChannel& channel : manifest.channels) {
        for (const SnapshotSubdir& subdir : channel.subdirs) {
            auto stored = read_stored_files(paths, manifest, channel.name, subdir);
            if (!stored) {
                return fail(std::move(stored).error());
            }
            add_stored(*stored, channel.name + "/" + subdir.subdir, in_use, needed);
            add_md5s(*stored, known_md5);
        }
    }
    return {};
}

bool all_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

Result<SnapshotChoice> choose_snapshots(const MirrorPaths& paths,
                                        const GarbageRequest& request,
                                        WallTime now) {
    CHM_TRY(std::vector<SnapshotEntry> entries, list_snapshots(paths));
    const std::set<std::string> young = within_grace(paths, entries, request.grace, now);
    SnapshotChoice choice;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        SnapshotEntry& entry = entries[i];
        const bool in_use = entry.is_current || young.contains(entry.id);
        if (!in_use && i >= request.keep) {
            choice.others.push_back(entry.id);
            continue;
        }
        if (!entry.manifest) {
            return fail(ErrorKind::integrity,
                        fmt::format("snapshot {} is to be kept, but is damaged: {}; nothing was "
                                    "removed; remove {} if it is of no use",
                                    entry.id,
                                    entry.damage,
                                    paths.snapshot(entry.id).string()));
        }
        choice.kept.push_back(std::move(*entry.manifest));
        if (in_use) {
            choice.in_use.insert(entry.id);
        }
    }
    return choice;
}

Result<Needed> find_needed(const MirrorPaths& paths,
                           const SnapshotChoice& choice,
                           Reporter& reporter) {
    Needed needed;
    std::set<Md5> known_md5;
    for (const Manifest& manifest : choice.kept) {
        const bool in_use = choice.in_use.contains(manifest.id);
        if (auto added = add_lists(paths, manifest, in_use, needed, known_md5); !added) {
            return fail(with_context(std::move(added).error(),
                                     "nothing was removed, a list of what is needed cannot be "
                                     "read"));
        }
    }
    CHM_CHECK(add_locks(paths, needed, reporter));
    std::erase_if(needed.by_locks_md5, [&](const Md5& md5) { return known_md5.contains(md5); });
    return needed;
}

bool is_leftover_name(std::string_view name) {
    constexpr std::string_view k_end = ".tmp";
    if (!name.starts_with('.') || !name.ends_with(k_end)) {
        return false;
    }
    name.remove_suffix(k_end.size());
    if (name.ends_with(".link") && all_digits(name.substr(1, name.size() - 6))) {
        return true;
    }
    const std::string_view numbers = name.substr(name.rfind('.') + 1);
    const std::size_t dash = numbers.find('-');
    return dash != std::string_view::npos && all_digits(numbers.substr(0, dash)) &&
           all_digits(numbers.substr(dash + 1));
}

}  // namespace chm::channels
