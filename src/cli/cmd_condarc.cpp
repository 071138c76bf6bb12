// chanmirror condarc: client configuration that points at this mirror.
#include "base/atomic_file.hpp"
#include "channels/snapshot.hpp"
#include "cli/command.hpp"
#include "cli/current_snapshot.hpp"
#include "conda/channel.hpp"
#include "emit/condarc.hpp"

#include <CLI/CLI.hpp>

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
};

/// The mirror's channels: configured ones first, in their order of priority; the others after them.
std::vector<std::string> channels_in_order(const config::Settings& settings,
                                           const channels::Manifest& manifest) {
    std::vector<std::string> names;
    for (const std::string& text : settings.channels) {
        const auto channel = conda::parse_channel(text);
        if (channel && manifest.find(channel->name) != nullptr) {
            names.push_back(channel->name);
        }
    }
    for (const channels::SnapshotChannel& channel : manifest.channels) {
        if (std::find(names.begin(), names.end(), channel.name) == names.end()) {
            names.push_back(channel.name);
        }
    }
    return names;
}

Result<ExitCode> run_condarc(const CondarcOptions& options, Services& services) {
    CHM_TRY(const config::Loaded loaded, services.load_settings());
    const channels::MirrorPaths paths(loaded.settings.root);
    CHM_TRY(const channels::Manifest manifest, current_snapshot(paths));
    emit::CondarcRequest request;
    request.channels = channels_in_order(loaded.settings, manifest);
    request.base_url = emit::file_url(paths.published().string());
    request.strict_priority = loaded.settings.channel_priority == config::ChannelPriority::strict;
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
    const std::string text = emit::condarc(request);
    if (options.output.empty() || options.output == "-") {
        CHM_CHECK(services.print(text));
        return ExitCode::whole;
    }
    const std::filesystem::path file = services.working_directory / options.output;
    CHM_CHECK(write_output(file, text));
    services.reporter.note("wrote " + file.string());
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
    app.footer(
        "Example:\n  chanmirror condarc --base-url http://mirror.example.org/conda -o ~/.condarc");
    return [options](Services& services) { return run_condarc(*options, services); };
}

}  // namespace chm::cli
