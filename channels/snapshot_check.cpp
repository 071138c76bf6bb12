#include "channels/snapshot_check.hpp"

#include "base/file.hpp"
#include "base/file_hashing.hpp"
#include "base/text.hpp"
#include "base/workers.hpp"
#include "base/zstd.hpp"
#include "channels/closed_index.hpp"
#include "channels/limits.hpp"
#include "channels/object_store.hpp"
#include "channels/public_names.hpp"
#include "channels/record_walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <sys/stat.h>
#include <utility>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;

std::string shown(const MirrorPaths& paths, const fs::path& file) {
    return printable(file.lexically_relative(paths.root()).native(), 5000);
}

std::string sha256_text(const Sha256& digest) {
    return "sha256 " + digest.hex();
}

std::string what_was_got(const Error& error) {
    return error.kind == ErrorKind::not_found ? "there is no such file" : error.message;
}

struct Place {
    const SnapshotChannel* channel;
    const SnapshotSubdir* subdir;

    [[nodiscard]] std::string text() const { return channel->name + "/" + subdir->subdir; }
};

std::vector<Place> places_of(const Manifest& manifest) {
    std::vector<Place> places;
    for (const SnapshotChannel& channel : manifest.channels) {
        for (const SnapshotSubdir& subdir : channel.subdirs) {
            places.push_back({&channel, &subdir});
        }
    }
    return places;
}

/// step(place) for every subdir, in parallel.
Result<> for_each_place(const CheckContext& context,
                        const Manifest& manifest,
                        const std::function<Result<>(const Place&)>& step) {
    const std::vector<Place> places = places_of(manifest);
    return for_each_parallel(places.size(), context.threads, [&](std::size_t i) -> Result<> {
        if (context.stop.stop_requested()) {
            return fail(ErrorKind::interrupted, "interrupted; nothing was changed");
        }
        return step(places[i]);
    });
}

std::string advice_for(const Place& place) {
    return fmt::format(
        "remove this file and run 'chanmirror sync {0}', or go back with 'chanmirror snapshot "
        "rollback'",
        place.channel->name);
}

Result<Sha256> digest_of_index(const fs::path& file) {
    if (file.extension() != ".zst") {
        CHM_TRY(const HashedFile<Sha256> hashed, hash_file<Sha256>(file, {}));
        return hashed.digest;
    }
    CHM_TRY(const std::string bytes, read_file(file, k_max_index_bytes));
    CHM_TRY(const std::string decoded, zstd_decompress(bytes, {k_max_index_bytes}));
    return sha256(decoded);
}

struct ExpectedFile {
    fs::path file;
    Sha256 digest;  // decoded
};

std::vector<ExpectedFile> expected_files(const fs::path& snapshot, const Place& place) {
    const auto& [channel, subdir] = place;
    std::vector<ExpectedFile> files{
        {upstream_index(snapshot, channel->name, subdir->subdir), subdir->index_sha256}};
    for (const std::string_view file : k_whole_indexes) {
        files.push_back({published_subdir(snapshot, channel->name, subdir->subdir) / file,
                         subdir->published_sha256});
    }
    if (subdir->stored_sha256) {
        files.push_back(
            {stored_list(snapshot, channel->name, subdir->subdir), *subdir->stored_sha256});
    }
    return files;
}

/// The sharded form (CEP 16): its index can be read, and each shard's bytes are those it is named by.
class ShardCheck {
public:
    ShardCheck(const CheckContext& context, fs::path folder, ProvenFiles& proven, Faults& faults)
        : context_(context), folder_(std::move(folder)), proven_(proven), faults_(faults) {}

    void run(const std::string& advice) {
        const auto bytes = read_file(folder_ / k_shard_index, k_max_index_bytes);
        const auto shards = bytes ? parse_shard_index(*bytes)
                                  : Result<std::map<std::string, Sha256>>(fail(bytes.error()));
        if (!shards) {
            faults_.add({shown(context_.paths, folder_ / k_shard_index),
                         "an index of shards",
                         what_was_got(shards.error()),
                         advice,
                         {}});
            return;
        }
        for (const auto& [name, digest] : *shards) {
            check_shard(digest, advice);
        }
    }

private:
    void check_shard(const Sha256& digest, const std::string& advice) {
        const fs::path file = folder_ / k_shard_folder / shard_file_name(digest);
        if (proven_.has(file, digest)) {
            return;
        }
        const auto hashed = hash_file<Sha256>(file, {});
        if (hashed && hashed->digest == digest) {
            proven_.add(file, digest);
            return;
        }
        faults_.add({shown(context_.paths, file),
                     sha256_text(digest),
                     hashed ? sha256_text(hashed->digest) : what_was_got(hashed.error()),
                     advice,
                     {}});
    }

    const CheckContext& context_;
    fs::path folder_;
    ProvenFiles& proven_;
    Faults& faults_;
};

bool same_file(const struct stat& a, const struct stat& b) {
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// Holds one closed subdir's index and its names against the list of stored files.
class ClosedCheck {
public:
    ClosedCheck(const CheckContext& context, const Place& place, Faults& faults)
        : context_(context), place_(place), faults_(faults), store_(context.paths.root()) {}

    void run(const Manifest& manifest) {
        const auto& [channel, subdir] = place_;
        auto stored = read_stored_files(context_.paths, manifest, channel->name, *subdir);
        index_ =
            published_subdir(context_.paths.snapshot(manifest.id), channel->name, subdir->subdir) /
            k_whole_indexes.front();
        auto json = read_file(index_, k_max_index_bytes);
        if (!stored || !json) {
            return;  // check_index_files has told
        }
        stored_ = std::move(*stored);
        check_records(*json);
        check_names();
    }

private:
    void check_records(std::string& json) {
        const auto foreign = foreign_urls(json, 1);
        if (foreign && !foreign->empty()) {
            add(shown(context_.paths, index_),
                "no address outside this mirror",
                printable(foreign->front()));
        }
        const auto walked =
            walk_records(json, [&](const WalkedRecord& record) { check_record(record); });
        if (!walked) {
            add(shown(context_.paths, index_), "a channel index", walked.error().message);
        }
    }

    void check_record(const WalkedRecord& record) {
        const StoredFile* file = find(stored_, record.fn);
        const std::string name = fmt::format("public/{}/{}", place_.text(), printable(record.fn));
        if (file == nullptr) {
            add(name, "a stored file, as the closed index names it", "it is not in the list");
            return;
        }
        if (record.sha256 && *record.sha256 != file->sha256) {
            add(name, sha256_text(*record.sha256), sha256_text(file->sha256));
        } else if (!record.sha256 && record.md5 && file->md5 && *record.md5 != *file->md5) {
            add(name, "md5 " + record.md5->hex(), "md5 " + file->md5->hex());
        }
        if (record.size && *record.size != file->size) {
            add(name, fmt::format("{} bytes", *record.size), fmt::format("{} bytes", file->size));
        }
    }

    void check_names() {
        const fs::path folder =
            context_.paths.published() / place_.channel->name / place_.subdir->subdir;
        for (const StoredFile& file : stored_) {
            const fs::path object = store_.path_of(file.sha256);
            const fs::path name = folder / file.fn;
            struct stat object_status {};
            struct stat name_status {};
            if (::stat(object.c_str(), &object_status) != 0) {
                continue;  // check_objects has told
            }
            if (::stat(name.c_str(), &name_status) != 0) {
                add(shown(context_.paths, name), sha256_text(file.sha256), "there is no such file");
            } else if (!same_file(object_status, name_status)) {
                check_copy(name, file);
            }
        }
    }

    /// A mirror that was copied without its hardlinks is right, only larger.
    void check_copy(const fs::path& name, const StoredFile& file) {
        const auto hashed = hash_file<Sha256>(name, {nullptr, {}, context_.stop});
        if (!hashed) {
            add(shown(context_.paths, name), sha256_text(file.sha256), hashed.error().message);
        } else if (hashed->digest != file.sha256) {
            add(shown(context_.paths, name), sha256_text(file.sha256), sha256_text(hashed->digest));
        }
    }

    void add(std::string file, std::string expected, std::string got) {
        faults_.add({std::move(file),
                     std::move(expected),
                     std::move(got),
                     "'chanmirror snapshot rollback current' makes the names of the current "
                     "snapshot anew",
                     {}});
    }

    const CheckContext& context_;
    Place place_;
    Faults& faults_;
    ObjectStore store_;
    fs::path index_;
    StoredFiles stored_;
};

}  // namespace

void Faults::add(Fault fault) {
    const std::scoped_lock guard(mutex_);
    faults_.push_back(std::move(fault));
}

std::vector<Fault> Faults::take() {
    const std::scoped_lock guard(mutex_);
    std::ranges::stable_sort(faults_, {}, &Fault::file);
    return std::exchange(faults_, {});
}

bool ProvenFiles::has(const fs::path& file, const Sha256& digest) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) {
        return false;
    }
    const std::scoped_lock guard(mutex_);
    return proven_.contains({status.st_dev, status.st_ino, digest});
}

void ProvenFiles::add(const fs::path& file, const Sha256& digest) {
    struct stat status {};
    if (::stat(file.c_str(), &status) == 0) {
        const std::scoped_lock guard(mutex_);
        proven_.emplace(status.st_dev, status.st_ino, digest);
    }
}

Result<> check_index_files(const CheckContext& context,
                           const Manifest& manifest,
                           ProvenFiles& proven,
                           Faults& faults) {
    const fs::path snapshot = context.paths.snapshot(manifest.id);
    return for_each_place(context, manifest, [&](const Place& place) -> Result<> {
        for (const auto& [file, digest] : expected_files(snapshot, place)) {
            if (proven.has(file, digest)) {
                continue;
            }
            const auto got = digest_of_index(file);
            if (got && *got == digest) {
                proven.add(file, digest);
                continue;
            }
            faults.add({shown(context.paths, file),
                        sha256_text(digest),
                        got ? sha256_text(*got) : what_was_got(got.error()),
                        advice_for(place),
                        {}});
        }
        ShardCheck(context,
                   published_subdir(snapshot, place.channel->name, place.subdir->subdir),
                   proven,
                   faults)
            .run(advice_for(place));
        return {};
    });
}

Result<> check_objects(const CheckContext& context,
                       const Manifest& manifest,
                       const CorruptObjects& corrupt,
                       Faults& faults) {
    const ObjectStore store(context.paths.root());
    return for_each_place(context, manifest, [&](const Place& place) -> Result<> {
        const auto stored =
            read_stored_files(context.paths, manifest, place.channel->name, *place.subdir);
        if (!stored) {
            return {};  // check_index_files has told
        }
        for (const StoredFile& file : *stored) {
            const auto size = store.size_of(file.sha256);
            const auto bad = corrupt.find(file.sha256);
            if (size == file.size && bad == corrupt.end()) {
                continue;
            }
            faults.add({shown(context.paths, store.path_of(file.sha256)),
                        fmt::format("{}, {} bytes", sha256_text(file.sha256), file.size),
                        !size                  ? "there is no such file"
                        : bad != corrupt.end() ? bad->second
                                               : fmt::format("{} bytes", *size),
                        "'chanmirror verify --repair' takes it out of the mirror, the next "
                        "'chanmirror sync' fetches it anew",
                        {fmt::format("{}/{}", place.text(), printable(file.fn))}});
        }
        return {};
    });
}

Result<> check_public(const CheckContext& context, const Manifest& manifest, Faults& faults) {
    return for_each_place(context, manifest, [&](const Place& place) -> Result<> {
        const auto& [channel, subdir] = place;
        const fs::path folder = context.paths.published() / channel->name / subdir->subdir;
        for (const std::string_view file : k_index_names) {
            const fs::path destination = public_destination(channel->name, subdir->subdir, file);
            std::error_code error;
            const fs::path got = fs::read_symlink(folder / file, error);
            if (got != destination) {
                faults.add({shown(context.paths, folder / file),
                            "a symlink to " + destination.string(),
                            error ? error.message() : "one to " + printable(got.native(), 5000),
                            "'chanmirror snapshot rollback current' makes the names of the current "
                            "snapshot anew",
                            {}});
            }
        }
        if (subdir->view == View::closed) {
            ClosedCheck(context, place, faults).run(manifest);
        }
        return {};
    });
}

}  // namespace chm::channels
