// What must hold of a mirror at every moment: it is empty, or everything its manifest names is
// there and is what the manifest says. Also small indexes and real ones for tests to publish.
#pragma once

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/zstd.hpp"
#include "channels/repodata.hpp"
#include "channels/snapshot.hpp"
#include "channels/subdir_index.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace chm::test {

/// Limit of every read in tests.
inline constexpr std::uint64_t k_test_limit = 256U << 20;

/// An index with one record for each "name-version-build" of `packages`.
inline std::string small_index(std::string_view subdir, const std::vector<std::string>& packages) {
    std::string records;
    for (const std::string& package : packages) {
        const auto build = package.rfind('-');
        const auto version = package.rfind('-', build - 1);
        records += fmt::format(
            R"({}"{}.conda":{{"name":"{}","version":"{}","build":"{}","build_number":0,"depends":[],"sha256":"{}","size":1}})",
            records.empty() ? "" : ",",
            package,
            package.substr(0, version),
            package.substr(version + 1, build - version - 1),
            package.substr(build + 1),
            sha256(package).hex());
    }
    return fmt::format(
        R"({{"info":{{"subdir":"{}"}},"packages":{{}},"packages.conda":{{{}}},"removed":[],"repodata_version":1}})",
        subdir,
        records);
}

/// "name-version-build.conda" → the file's bytes.
using PackageFiles = std::map<std::string, std::string>;

/// An index of these files, with their real digests and sizes. ".tar.bz2" files go under
/// "packages".
inline std::string index_of(std::string_view subdir, const PackageFiles& files) {
    std::string sections[2];
    for (const auto& [fn, bytes] : files) {
        const bool is_conda = fn.ends_with(".conda");
        const std::string stem = fn.substr(0, fn.size() - (is_conda ? 6 : 8));
        const auto build = stem.rfind('-');
        const auto version = stem.rfind('-', build - 1);
        std::string& records = sections[is_conda ? 1 : 0];
        records += fmt::format(
            R"({}"{}":{{"name":"{}","version":"{}","build":"{}","build_number":0,"depends":[],"sha256":"{}","size":{}}})",
            records.empty() ? "" : ",",
            fn,
            stem.substr(0, version),
            stem.substr(version + 1, build - version - 1),
            stem.substr(build + 1),
            sha256(bytes).hex(),
            bytes.size());
    }
    return fmt::format(
        R"({{"info":{{"subdir":"{}"}},"packages":{{{}}},"packages.conda":{{{}}},"removed":[],"repodata_version":1}})",
        subdir,
        sections[0],
        sections[1]);
}

/// Decoded text of tests/data/channels/<place>/repodata.json.zst; empty when it cannot be read.
inline std::string real_index([[maybe_unused]] std::string_view data, std::string_view place) {
    const auto bytes =
        read_file(fmt::format("{}/channels/{}/repodata.json.zst", data, place), k_test_limit);
    auto json =
        bytes ? zstd_decompress(*bytes, {k_test_limit}) : Result<std::string>(std::string());
    return json ? std::move(*json) : std::string();
}

/// Reads one published form and holds it against the manifest's digest.
inline void check_published(const std::filesystem::path& file,
                            const channels::SnapshotSubdir& subdir,
                            std::vector<std::string>& faults) {
    auto bytes = read_file(file, k_test_limit);
    if (bytes && file.extension() == ".zst") {
        bytes = zstd_decompress(*bytes, {k_test_limit});
    }
    if (!bytes) {
        faults.push_back(file.string() + ": " + bytes.error().message);
        return;
    }
    if (sha256(*bytes) != subdir.published_sha256) {
        faults.push_back(file.string() + ": not the manifest's digest");
    }
    const bool closed = subdir.view == channels::View::closed;
    const auto summary = channels::check_repodata(*bytes, subdir.subdir);
    if (!summary || summary->base_url != (closed ? "" : subdir.package_url) ||
        summary->records != (closed ? subdir.published_records : subdir.records)) {
        faults.push_back(file.string() + ": not the index that the manifest describes");
    }
}

/// A closed index: every record has its file in public/, which is the right object.
inline void check_closed(const channels::MirrorPaths& paths,
                         const channels::Manifest& manifest,
                         const channels::SnapshotChannel& channel,
                         const channels::SnapshotSubdir& subdir,
                         std::vector<std::string>& faults) {
    const auto stored = channels::read_stored_files(paths, manifest, channel.name, subdir);
    if (!stored) {
        faults.push_back(stored.error().message);
        return;
    }
    const auto folder = paths.published() / channel.name / subdir.subdir;
    for (const channels::StoredFile& file : *stored) {
        const auto digest = sha256_of_file(folder / file.fn);
        if (!digest || *digest != file.sha256) {
            faults.push_back((folder / file.fn).string() + ": not the stored file's bytes");
        }
    }
    auto json = read_file(folder / "repodata.json", k_test_limit);
    auto index = json ? channels::SubdirIndex::open(
                            std::move(*json), {channel.name, channel.url}, subdir.subdir)
                      : Result<channels::SubdirIndex>(fail(json.error()));
    if (!index) {
        faults.push_back(index.error().message);
        return;
    }
    channels::RecordSet records;
    for (const std::string_view name : index->names()) {
        index->load(name, records);
    }
    for (const conda::Record& record : records.records()) {
        if (channels::find(*stored, record.fn) == nullptr) {
            faults.push_back(std::string(record.fn) + ": published and not stored");
        }
    }
}

/// What is wrong with the mirror at `root`; empty when it is empty or whole.
inline std::vector<std::string> mirror_faults(const std::filesystem::path& root) {
    const channels::MirrorPaths paths(root);
    const auto current = channels::read_current(paths);
    if (!current) {
        return {current.error().message};
    }
    std::vector<std::string> faults;
    if (!*current) {
        return faults;
    }
    const channels::Manifest& manifest = **current;
    for (const channels::SnapshotChannel& channel : manifest.channels) {
        for (const channels::SnapshotSubdir& subdir : channel.subdirs) {
            const auto index = channels::read_index(paths, manifest, channel, subdir);
            if (!index) {
                faults.push_back(index.error().message);
            }
            const std::filesystem::path in_snapshot = channels::published_subdir(
                paths.snapshot(manifest.id), channel.name, subdir.subdir);
            const std::filesystem::path in_public =
                paths.published() / channel.name / subdir.subdir;
            for (const char* name : {"repodata.json", "repodata.json.zst"}) {
                check_published(in_snapshot / name, subdir, faults);
                check_published(in_public / name, subdir, faults);
            }
            if (subdir.view == channels::View::closed) {
                check_closed(paths, manifest, channel, subdir, faults);
            }
        }
    }
    return faults;
}

}  // namespace chm::test
