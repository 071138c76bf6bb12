#include "channels/snapshot.hpp"

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "base/zstd.hpp"
#include "channels/limits.hpp"
#include "channels/shards.hpp"
#include "conda/channel.hpp"
#include "conda/platform.hpp"

#include <fmt/format.h>

#include <utility>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t k_manifest_format = 1;
constexpr std::uint64_t k_max_manifest_bytes = 64 << 20;

tl::unexpected<Error> damaged(std::string_view what) {
    return fail(ErrorKind::integrity, fmt::format("not a snapshot manifest: {}", what));
}

Json to_json_value(const SnapshotSubdir& subdir) {
    Json::Object json{{"subdir", subdir.subdir},
                      {"view", to_text(subdir.view)},
                      {"records", subdir.records},
                      {"index_sha256", subdir.index_sha256.hex()},
                      {"published_sha256", subdir.published_sha256.hex()},
                      {"fetched_from", subdir.fetched_from},
                      {"package_url", subdir.package_url}};
    if (subdir.view == View::closed) {
        json.emplace_back("policy", subdir.policy);
        json.emplace_back("published_records", subdir.published_records);
        json.emplace_back("stored_files", subdir.stored_files);
        json.emplace_back("stored_bytes", subdir.stored_bytes);
        json.emplace_back("missing_files", subdir.missing_files);
        json.emplace_back("stored_sha256", subdir.stored_sha256.value_or(Sha256{}).hex());
    }
    if (!subdir.relations.empty()) {
        json.emplace_back("channel_relations",
                          Json::Object{{"base", subdir.relations.base},
                                       {"overrides", subdir.relations.overrides}});
    }
    return json;
}

Result<Sha256> read_digest(const Json& json, std::string_view key) {
    const auto digest = Sha256::from_hex(json.text(key));
    if (!digest) {
        return damaged(fmt::format("{}: {}", key, digest.error().message));
    }
    return *digest;
}

Result<std::uint64_t> read_count(const Json& json, std::string_view key) {
    const Json* count = json.find(key);
    if (count == nullptr || count->as_integer() == nullptr || *count->as_integer() < 0) {
        return damaged(fmt::format("no number of {}", key));
    }
    return static_cast<std::uint64_t>(*count->as_integer());
}

Result<> read_stored(const Json& json, SnapshotSubdir& subdir) {
    subdir.policy = json.text("policy");
    CHM_TRY(subdir.published_records, read_count(json, "published_records"));
    CHM_TRY(subdir.stored_files, read_count(json, "stored_files"));
    CHM_TRY(subdir.stored_bytes, read_count(json, "stored_bytes"));
    CHM_TRY(subdir.missing_files, read_count(json, "missing_files"));
    CHM_TRY(subdir.stored_sha256, read_digest(json, "stored_sha256"));
    return {};
}

Result<SnapshotSubdir> read_subdir(const Json& json) {
    SnapshotSubdir subdir;
    subdir.subdir = json.text("subdir");
    if (!conda::parse_subdir(subdir.subdir)) {
        return damaged(fmt::format("unknown subdir '{}'", printable(subdir.subdir)));
    }
    if (json.text("view") == to_text(View::closed)) {
        subdir.view = View::closed;
        CHM_CHECK(read_stored(json, subdir));
    } else if (json.text("view") != to_text(View::upstream)) {
        return damaged(fmt::format("unknown view '{}'", printable(json.text("view"))));
    }
    CHM_TRY(subdir.records, read_count(json, "records"));
    CHM_TRY(subdir.index_sha256, read_digest(json, "index_sha256"));
    CHM_TRY(subdir.published_sha256, read_digest(json, "published_sha256"));
    subdir.fetched_from = json.text("fetched_from");
    subdir.package_url = json.text("package_url");
    if (const Json* relations = json.find("channel_relations"); relations != nullptr) {
        subdir.relations = {std::string(relations->text("base")),
                            std::string(relations->text("overrides"))};
    }
    return subdir;
}

Result<SnapshotChannel> read_channel(const Json& json) {
    SnapshotChannel channel{std::string(json.text("name")), std::string(json.text("url")), {}};
    for (const std::string_view segment : split(channel.name, '/')) {
        if (!conda::is_safe_path_segment(
                segment)) {  // the name becomes a path: never trust our own file either
            return damaged(fmt::format("channel name '{}'", printable(channel.name)));
        }
    }
    const Json* subdirs = json.find("subdirs");
    if (subdirs == nullptr || subdirs->as_array() == nullptr) {
        return damaged(fmt::format("channel {} has no subdirs", printable(channel.name)));
    }
    for (const Json& item : *subdirs->as_array()) {
        CHM_TRY(SnapshotSubdir subdir, read_subdir(item));
        channel.subdirs.push_back(std::move(subdir));
    }
    return channel;
}

}  // namespace

std::string_view to_text(View view) {
    return view == View::closed ? "closed" : "upstream";
}

const SnapshotSubdir* SnapshotChannel::find(std::string_view subdir) const {
    for (const SnapshotSubdir& candidate : subdirs) {
        if (candidate.subdir == subdir) {
            return &candidate;
        }
    }
    return nullptr;
}

const SnapshotChannel* Manifest::find(std::string_view channel) const {
    for (const SnapshotChannel& candidate : channels) {
        if (candidate.name == channel) {
            return &candidate;
        }
    }
    return nullptr;
}

const SnapshotChannel* Manifest::find(const conda::Channel& channel) const {
    const SnapshotChannel* found = find(channel.name);
    return found != nullptr && conda::is_same_place({found->name, found->url}, channel) ? found
                                                                                        : nullptr;
}

fs::path upstream_index(const fs::path& snapshot,
                        std::string_view channel,
                        std::string_view subdir) {
    return snapshot / "upstream" / channel / subdir / "repodata.json.zst";
}

fs::path stored_list(const fs::path& snapshot, std::string_view channel, std::string_view subdir) {
    return snapshot / "stored" / channel / subdir / "files.tsv";
}

fs::path published_subdir(const fs::path& snapshot,
                          std::string_view channel,
                          std::string_view subdir) {
    return snapshot / "public" / channel / subdir;
}

bool has_index_files(const MirrorPaths& paths,
                     const Manifest& manifest,
                     std::string_view channel,
                     std::string_view subdir) {
    const fs::path snapshot = paths.snapshot(manifest.id);
    const fs::path published = published_subdir(snapshot, channel, subdir);
    std::error_code ignored;
    return fs::is_regular_file(upstream_index(snapshot, channel, subdir), ignored) &&
           fs::is_regular_file(published / "repodata.json", ignored) &&
           fs::is_regular_file(published / "repodata.json.zst", ignored) &&
           fs::is_regular_file(published / k_shard_index, ignored);
}

std::string to_text(const Manifest& manifest) {
    Json::Array channels;
    for (const SnapshotChannel& channel : manifest.channels) {
        Json::Array subdirs;
        for (const SnapshotSubdir& subdir : channel.subdirs) {
            subdirs.push_back(to_json_value(subdir));
        }
        channels.push_back(Json::Object{
            {"name", channel.name}, {"url", channel.url}, {"subdirs", std::move(subdirs)}});
    }
    const Json document = Json::Object{{"format", k_manifest_format},
                                       {"id", manifest.id},
                                       {"created", manifest.created},
                                       {"channels", std::move(channels)}};
    return to_json(document, 2) + "\n";
}

Result<Manifest> parse_manifest(std::string_view text) {
    auto json = parse_json(text);
    if (!json) {
        return damaged(json.error().message);
    }
    const Json* format = json->find("format");
    if (format == nullptr || format->as_integer() == nullptr) {
        return damaged("no format number");
    }
    if (*format->as_integer() != k_manifest_format) {
        return damaged(fmt::format("format {} is not {}; another version of chanmirror wrote it",
                                   *format->as_integer(),
                                   k_manifest_format));
    }
    Manifest manifest{std::string(json->text("id")), std::string(json->text("created")), {}};
    if (!conda::is_safe_path_segment(manifest.id)) {
        return damaged("no snapshot id");
    }
    const Json* channels = json->find("channels");
    if (channels == nullptr || channels->as_array() == nullptr) {
        return damaged("no channels");
    }
    for (const Json& item : *channels->as_array()) {
        CHM_TRY(SnapshotChannel channel, read_channel(item));
        manifest.channels.push_back(std::move(channel));
    }
    return manifest;
}

namespace {

/// `current` leads to nothing that can be used: what is wrong, and how to start over.
tl::unexpected<Error> unusable(const MirrorPaths& paths,
                               const fs::path& file,
                               std::string_view what) {
    return fail(
        ErrorKind::integrity,
        fmt::format("{}: {}; point {} at another snapshot, or remove it and run 'chanmirror sync'",
                    file.string(),
                    what,
                    paths.current().string()));
}

}  // namespace

Result<Manifest> read_snapshot(const MirrorPaths& paths, std::string_view id) {
    if (!conda::is_safe_path_segment(id)) {
        return fail(ErrorKind::not_found, fmt::format("no snapshot '{}'", printable(id)));
    }
    CHM_TRY(const std::string text,
            read_file(paths.snapshot(id) / "manifest.json", k_max_manifest_bytes));
    CHM_TRY(Manifest manifest, parse_manifest(text));
    if (manifest.id != id) {
        return fail(ErrorKind::integrity,
                    fmt::format("it names snapshot {}, not its own", manifest.id));
    }
    return manifest;
}

Result<std::optional<Manifest>> read_current(const MirrorPaths& paths) {
    std::error_code error;
    const fs::path target = fs::read_symlink(paths.current(), error);
    if (error == std::errc::no_such_file_or_directory) {
        return std::optional<Manifest>();
    }
    if (error) {
        return fail(io_error("reading " + paths.current().string(), error.value()));
    }
    // Read through the link's target, not through the link: a sync may flip it between two reads.
    const std::string id = target.filename().string();
    auto manifest = read_snapshot(paths, id);
    if (manifest) {
        return std::optional(std::move(*manifest));
    }
    const fs::path file = paths.snapshot(id) / "manifest.json";
    switch (manifest.error().kind) {
        case ErrorKind::not_found:
            return unusable(paths, file, "it is missing");
        case ErrorKind::integrity:
            return unusable(paths, file, manifest.error().message);
        default:
            return fail(std::move(manifest).error());
    }
}

Result<StoredFiles> read_stored_files(const MirrorPaths& paths,
                                      const Manifest& manifest,
                                      std::string_view channel,
                                      const SnapshotSubdir& subdir) {
    if (!subdir.stored_sha256) {
        return StoredFiles{};
    }
    const fs::path file = stored_list(paths.snapshot(manifest.id), channel, subdir.subdir);
    auto text = read_file(file, k_max_index_bytes);
    if (!text) {
        const bool gone = text.error().kind == ErrorKind::not_found;
        return fail(gone ? ErrorKind::integrity : text.error().kind, text.error().message);
    }
    if (sha256(*text) != *subdir.stored_sha256) {
        return fail(ErrorKind::integrity, file.string() + ": it changed since it was stored");
    }
    auto files = parse_stored_files(*text);
    return files ? std::move(files) : fail(with_context(files.error(), file.string()));
}

Result<std::string> read_index(const MirrorPaths& paths,
                               const Manifest& manifest,
                               const SnapshotChannel& channel,
                               const SnapshotSubdir& subdir) {
    const fs::path file = upstream_index(paths.snapshot(manifest.id), channel.name, subdir.subdir);
    const auto damaged_file = [&](std::string_view what) {
        return fail(ErrorKind::integrity,
                    fmt::format("{0}: {1}; remove this file and run 'chanmirror sync {2}'",
                                file.string(),
                                what,
                                channel.name));
    };
    const auto compressed = read_file(file, k_max_index_bytes);
    if (!compressed) {
        const bool gone = compressed.error().kind == ErrorKind::not_found;
        return gone ? damaged_file("it is missing") : fail(compressed.error());
    }
    auto json = zstd_decompress(*compressed, {k_max_index_bytes});
    if (!json) {
        return damaged_file(json.error().message);
    }
    if (sha256(*json) != subdir.index_sha256) {
        return damaged_file("it changed since it was stored");
    }
    return json;
}

}  // namespace chm::channels
