// What must hold of a mirror at every moment: it is empty, or everything its manifest names is
// there and is what the manifest says. Also small indexes and real ones for tests to publish.
#pragma once

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/zstd.hpp"
#include "channels/repodata.hpp"
#include "channels/snapshot.hpp"

#include <fmt/format.h>

#include <filesystem>
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
    const auto summary = channels::check_repodata(*bytes, subdir.subdir);
    if (!summary || summary->base_url != subdir.package_url || summary->records != subdir.records) {
        faults.push_back(file.string() + ": not the index that the manifest describes");
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
        }
    }
    return faults;
}

}  // namespace chm::test
