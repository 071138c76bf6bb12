// Snapshots: immutable states of the whole mirror, one of which `current` points at. This file
// knows their layout on disk and their manifest; publish.hpp makes new ones. Layout:
// docs/on-disk-format.md.
#pragma once

#include "base/digest.hpp"
#include "base/result.hpp"
#include "channels/stored_files.hpp"
#include "conda/channel.hpp"
#include "conda/channel_relations.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chm::channels {

/// What clients of the published channel see.
enum class View {
    upstream,  // everything upstream lists, with base_url pointing there
    closed,    // what is stored here, and nothing else
};
[[nodiscard]] std::string_view to_text(View view);

struct SnapshotSubdir {
    std::string subdir;
    View view = View::upstream;
    std::uint64_t records = 0;  // in upstream's index
    Sha256 index_sha256;        // of upstream's repodata.json, decoded
    Sha256 published_sha256;    // of the published repodata.json
    std::string
        fetched_from;  // URL that answered, without credentials; empty: upstream has no such subdir
    std::string package_url;  // folder of the packages' files: the published base_url
    conda::ChannelRelations relations = {};  // what the index declares (CEP 42), not checked
    // Of the view `closed`; else empty.
    std::string policy = {};  // what was to be stored, as canonical text: another one, another look
    std::uint64_t published_records = 0;
    std::uint64_t stored_files = 0;
    std::uint64_t stored_bytes = 0;
    std::uint64_t missing_files = 0;  // wanted, and not to be had (missing.json names them)
    std::optional<Sha256> stored_sha256 =
        {};  // of the list of stored files; none: there is no list
};

struct SnapshotChannel {
    std::string name;
    std::string url;  // canonical
    std::vector<SnapshotSubdir> subdirs;

    [[nodiscard]] const SnapshotSubdir* find(std::string_view subdir) const;
};

struct Manifest {
    std::string id;                         // "20261130T234514Z-3f2a9c1d": sorts by age
    std::string created;                    // UTC
    std::vector<SnapshotChannel> channels;  // sorted by name

    [[nodiscard]] const SnapshotChannel* find(std::string_view channel) const;
    /// The same, but none when the one of that name is another channel: "file/srv/x" may be
    /// file:///srv/x, or a channel of that name below the alias.
    [[nodiscard]] const SnapshotChannel* find(const conda::Channel& channel) const;
};

/// Paths below one mirror root.
class MirrorPaths {
public:
    explicit MirrorPaths(std::filesystem::path root) : root_(std::move(root)) {}

    [[nodiscard]] const std::filesystem::path& root() const { return root_; }
    [[nodiscard]] std::filesystem::path lock() const { return root_ / "lock"; }
    [[nodiscard]] std::filesystem::path current() const { return root_ / "current"; }
    [[nodiscard]] std::filesystem::path published() const { return root_ / "public"; }
    [[nodiscard]] std::filesystem::path snapshots() const { return root_ / "snapshots"; }
    [[nodiscard]] std::filesystem::path snapshot(std::string_view id) const {
        return snapshots() / id;
    }
    [[nodiscard]] std::filesystem::path partial() const { return root_ / "state" / "partial"; }
    [[nodiscard]] std::filesystem::path upstream_speeds() const {
        return root_ / "state" / "upstream-speeds.json";
    }
    [[nodiscard]] std::filesystem::path missing() const { return root_ / "missing.json"; }
    [[nodiscard]] std::filesystem::path fetch_state(std::string_view channel,
                                                    std::string_view subdir) const {
        return root_ / "state" / "fetch" / channel / subdir / "repodata.json";
    }
    [[nodiscard]] std::filesystem::path held_shards(std::string_view channel,
                                                    std::string_view subdir) const {
        return root_ / "state" / "fetch" / channel / subdir / "shards.json";
    }

private:
    std::filesystem::path root_;
};

/// Paths within a snapshot's folder (also one that is still being written).
[[nodiscard]] std::filesystem::path upstream_index(const std::filesystem::path& snapshot,
                                                   std::string_view channel,
                                                   std::string_view subdir);
/// The list of stored files (stored_files.hpp); only of the view `closed`.
[[nodiscard]] std::filesystem::path stored_list(const std::filesystem::path& snapshot,
                                                std::string_view channel,
                                                std::string_view subdir);
[[nodiscard]] std::filesystem::path published_subdir(const std::filesystem::path& snapshot,
                                                     std::string_view channel,
                                                     std::string_view subdir);

/// The files that a subdir's snapshot holds; empty for the view `upstream`. ErrorKind::integrity
/// when the list is missing or is not the one of the manifest.
Result<StoredFiles> read_stored_files(const MirrorPaths& paths,
                                      const Manifest& manifest,
                                      std::string_view channel,
                                      const SnapshotSubdir& subdir);

/// Whether all files of a subdir's index are there; says nothing about their bytes.
[[nodiscard]] bool has_index_files(const MirrorPaths& paths,
                                   const Manifest& manifest,
                                   std::string_view channel,
                                   std::string_view subdir);

/// The manifest of one snapshot. ErrorKind::not_found when there is none of this name,
/// ErrorKind::integrity when it is damaged.
Result<Manifest> read_snapshot(const MirrorPaths& paths, std::string_view id);

/// The snapshot that `current` names; none when nothing was synced yet. A damaged manifest is
/// ErrorKind::integrity.
Result<std::optional<Manifest>> read_current(const MirrorPaths& paths);

/// Upstream's decoded repodata.json of one subdir, checked against the manifest's digest.
Result<std::string> read_index(const MirrorPaths& paths,
                               const Manifest& manifest,
                               const SnapshotChannel& channel,
                               const SnapshotSubdir& subdir);

[[nodiscard]] std::string to_text(const Manifest& manifest);
Result<Manifest> parse_manifest(std::string_view text);

}  // namespace chm::channels
