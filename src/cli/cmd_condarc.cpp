// chanmirror condarc: client configuration that points at this mirror.
#include "base/file.hpp"
#include "channels/snapshot.hpp"
#include "cli/command.hpp"
#include "cli/current_snapshot.hpp"
#include "cli/product.hpp"
#include "conda/channel.hpp"
#include "config/channel_list.hpp"
#include "config/keys.hpp"
#include "emit/condarc.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace chm::cli {
namespace {

struct CondarcOptions {
    std::string base_url;
    std::string client = "conda";
    std::string output;
    bool force = false;
};

/// The mirror's channels: configured ones first, in their order of priority; the others after them.
Result<std::vector<std::string>> channels_in_order(const config::Settings& settings,
                                                   const channels::Manifest& manifest) {
    CHM_TRY(const auto configured,
            config::expand_channels(settings.channels, settings, settings.subdirs));
    std::vector<std::string> names;
    for (const conda::Channel& channel : configured) {
        if (manifest.find(channel.name) != nullptr) {
            names.push_back(channel.name);
        }
    }
    for (const channels::SnapshotChannel& channel : manifest.channels) {
        if (std::find(names.begin(), names.end(), channel.name) == names.end()) {
            names.push_back(channel.name);
        }
    }
    return names;
}

/// A .condarc that someone wrote by hand is not ours to replace.
Result<> spare_users_file(const std::filesystem::path& file, bool force) {
    std::error_code ignored;
    if (force || !std::filesystem::is_regular_file(file, ignored)) {
        return {};
    }
    constexpr std::uint64_t k_max_condarc_bytes = 16 << 20;
    const auto text = read_file(file, k_max_condarc_bytes);
    if (text && (text->empty() || text->starts_with(emit::k_condarc_mark))) {
        return {};
    }
    return fail(
        ErrorKind::usage,
        fmt::format("{} exists and chanmirror did not write it; merge by hand, name another "
                    "file, or use --force",
                    file.string()));
}

/// Indexes of a file:// upstream send clients to a path of this machine.
void warn_of_local_packages(const channels::Manifest& manifest,
                            std::string_view base_url,
                            Reporter& reporter) {
    for (const channels::SnapshotChannel& channel : manifest.channels) {
        for (const channels::SnapshotSubdir& subdir : channel.subdirs) {
            if (!base_url.starts_with("file:") && subdir.package_url.starts_with("file:")) {
                reporter.warn(
                    fmt::format("{}/{}: its packages are at {}, which other machines cannot read",
                                channel.name,
                                subdir.subdir,
                                subdir.package_url));
                return;
            }
        }
    }
}

Result<ExitCode> run_condarc(const CondarcOptions& options, Services& services) {
    CHM_TRY(const config::Loaded loaded, services.load_settings());
    const channels::MirrorPaths paths(loaded.settings.root);
    CHM_TRY(const channels::Manifest manifest, current_snapshot(paths));
    emit::CondarcRequest request;
    CHM_TRY(request.channels, channels_in_order(loaded.settings, manifest));
    request.base_url = emit::file_url(paths.published().string());
    request.channel_priority = config::to_text(loaded.settings.channel_priority);
    if (!options.base_url.empty()) {
        CHM_TRY(const conda::SplitUrl split, conda::split_credentials(options.base_url));
        if (!split.credentials.empty()) {
            return fail(ErrorKind::usage,
                        "--base-url must not hold credentials: a .condarc is read by many; "
                        "use ~/.netrc");
        }
        request.base_url = split.url;
        while (request.base_url.ends_with('/')) {
            request.base_url.pop_back();
        }
    }
    warn_of_local_packages(manifest, request.base_url, services.reporter);
    const std::string text =
        services.global.json ? emit::condarc_json(request) : emit::condarc(request);
    CHM_CHECK(require_output_folder(options.output, services));
    CHM_CHECK(spare_users_file(services.working_directory / options.output, options.force));
    CHM_CHECK(write_product(options.output, text, services));
    return ExitCode::whole;
}

}  // namespace

Run add_condarc(CLI::App& app) {
    const auto options = std::make_shared<CondarcOptions>();
    app.add_option("--base-url",
                   options->base_url,
                   "Where clients find the root's folder public/; default: file://")
        ->type_name("URL");
    app.add_option("--client", options->client, "conda and mamba read the same file")
        ->type_name("CLIENT")
        ->check(CLI::IsMember({"conda", "mamba"}))
        ->capture_default_str();
    app.add_option("-o,--output", options->output, "Write to FILE instead of standard output")
        ->type_name("FILE");
    app.add_flag("--force", options->force, "Replace FILE even if chanmirror did not write it");
    app.footer(
        "Example:\n  chanmirror condarc --base-url http://mirror.example.org/conda -o ~/.condarc");
    return [options](Services& services) { return run_condarc(*options, services); };
}

}  // namespace chm::cli
