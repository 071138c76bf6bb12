// chanmirror sync: brings channels up to date.
#include "base/text.hpp"
#include "channels/curl_transport.hpp"
#include "channels/sync.hpp"
#include "cli/command.hpp"
#include "cli/related_channels.hpp"
#include "cli/sync_report.hpp"
#include "conda/platform.hpp"
#include "config/channel_list.hpp"
#include "config/network_values.hpp"
#include "config/upstream_list.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace chm::cli {
namespace {

struct SyncOptions {
    std::vector<std::string> channels;
    std::string upstream;
    std::vector<std::string> subdirs;
    unsigned jobs = 0;
    std::string limit_rate;
    std::string packages;
    std::vector<std::string> match;
    bool dry_run = false;
    bool accept_shrink = false;
};

Result<> apply_flags(const SyncOptions& options, config::Settings& settings) {
    if (!options.subdirs.empty()) {
        settings.subdirs = options.subdirs;
    }
    if (settings.subdirs.empty()) {
        settings.subdirs = {std::string(conda::host_platform())};
    }
    if (!options.upstream.empty()) {
        auto upstream = config::parse_upstream("default", options.upstream);
        if (!upstream) {
            return fail(with_context(std::move(upstream).error(), "--upstream"));
        }
        settings.upstreams.clear();
        const auto& texts = options.channels.empty() ? settings.channels : options.channels;
        CHM_TRY(const auto channels, config::expand_channels(texts, settings, settings.subdirs));
        for (const std::string& text : texts) {
            if (text.find("://") != std::string::npos) {
                return fail(
                    ErrorKind::usage,
                    fmt::format("--upstream says where to find channels by name; '{}' is an "
                                "address itself",
                                text));
            }
        }
        for (const conda::Channel& channel : channels) {
            settings.upstreams.push_back({channel.name, upstream->base_url, upstream->credentials});
        }
    }
    if (options.jobs > 0) {
        settings.jobs = options.jobs;
        settings.jobs_per_host = options.jobs;
    }
    if (!options.limit_rate.empty()) {
        auto rate = config::parse_limit_rate(options.limit_rate);
        if (!rate) {
            return fail(with_context(std::move(rate).error(), "--limit-rate"));
        }
        settings.limit_rate = *rate;
    }
    return {};
}

/// --packages and --match, for the channels of this sync alone.
Result<> apply_package_flags(const SyncOptions& options,
                             const std::vector<conda::Channel>& channels,
                             config::Settings& settings) {
    if (options.packages.empty() && options.match.empty()) {
        return {};
    }
    auto policy =
        config::parse_package_policy(options.packages.empty() ? "matching" : options.packages);
    if (!policy) {
        return fail(with_context(std::move(policy).error(), "--packages"));
    }
    if ((*policy == config::PackagePolicy::matching) == options.match.empty()) {
        return fail(ErrorKind::usage,
                    "--match says which packages to store: it goes with '--packages matching'");
    }
    std::vector<conda::MatchSpec> match;
    for (const std::string& text : options.match) {
        auto spec = conda::MatchSpec::parse(text);
        if (!spec) {
            return fail(ErrorKind::usage, fmt::format("--match: {}", spec.error().message));
        }
        match.push_back(std::move(*spec));
    }
    for (const conda::Channel& channel : channels) {
        config::PackageSettings entry = config::settings_for(settings, channel.name);
        entry.channel = channel.name;
        entry.policy = *policy;
        entry.match = match;
        CHM_CHECK(config::require_licence(entry));
        std::erase_if(settings.packages, [&](const config::PackageSettings& known) {
            return known.channel == channel.name;
        });
        settings.packages.push_back(std::move(entry));
    }
    return {};
}

Result<channels::SyncRequest> make_request(const SyncOptions& options,
                                           const config::Settings& settings) {
    channels::SyncRequest request;
    request.dry_run = options.dry_run;
    request.accept_shrink = options.accept_shrink;
    const auto& names = options.channels.empty() ? settings.channels : options.channels;
    CHM_TRY(request.channels, config::expand_channels(names, settings, settings.subdirs));
    for (const std::string& text : settings.subdirs) {
        CHM_TRY(std::string subdir, conda::parse_subdir(text));
        request.subdirs.push_back(std::move(subdir));
    }
    return request;
}

Result<ExitCode> run_sync(const SyncOptions& options, Services& services) {
    CHM_TRY(config::Loaded loaded, services.load_settings());
    config::Settings& settings = loaded.settings;
    CHM_CHECK(apply_flags(options, settings));
    CHM_TRY(const channels::SyncRequest request, make_request(options, settings));
    CHM_CHECK(apply_package_flags(options, request.channels, settings));

    channels::CurlOptions curl = channels::curl_options(settings);
    curl.offline = services.global.offline;
    const auto transport = channels::make_curl_transport(curl, services.clock);
    const channels::FetchEdges edges{*transport, services.clock, services.reporter, services.stop};
    CHM_TRY(const channels::SyncReport report, channels::sync(settings, request, edges));
    if (options.dry_run) {
        CHM_CHECK(services.print(services.global.json ? sync_json(report) : plan_text(report)));
        return ExitCode::whole;
    }
    note_sync(report, settings, services.reporter);
    warn_of_missing_relations(report.manifest, request.channels, services.reporter);
    if (services.global.json) {
        CHM_CHECK(services.print(sync_json(report)));
    }
    return report.missing.empty() ? ExitCode::whole : ExitCode::incomplete;
}

}  // namespace

Run add_sync(CLI::App& app) {
    const auto options = std::make_shared<SyncOptions>();
    app.add_option(
        "CHANNEL",
        options->channels,
        "Channels by name (nvidia/label/cuda-12.4.1) or URL; default: the configured ones");
    app.add_option("--upstream",
                   options->upstream,
                   "Fetch from URL/CHANNEL instead of each channel's own address")
        ->type_name("URL");
    app.add_option("--subdir",
                   options->subdirs,
                   "Platform to mirror; may be repeated, and noarch always comes with it")
        ->type_name("SUBDIR")
        ->allow_extra_args(false);
    app.add_option("--jobs", options->jobs, "Transfers at once")
        ->type_name("N")
        ->check(CLI::Range(1U, 256U));
    app.add_option("--limit-rate",
                   options->limit_rate,
                   "Bytes a second that all transfers together may take, such as 10M")
        ->type_name("RATE");
    app.add_option("--packages",
                   options->packages,
                   "Which packages to store in this sync: none, matching or all; default: as "
                   "configured, else none")
        ->type_name("POLICY");
    app.add_option("--match",
                   options->match,
                   "Store the packages that match; may be repeated (with --packages matching)")
        ->type_name("MATCHSPEC")
        ->allow_extra_args(false);
    app.add_flag("--dry-run",
                 options->dry_run,
                 "Fetch the indexes and say what would be fetched and stored; change nothing");
    app.add_flag("--accept-shrink",
                 options->accept_shrink,
                 "Take indexes that lost more than max_shrink of their records, or are "
                 "older than the mirror's");
    app.footer(
        "Exits with 6 when packages are missing: they are not published, and named in "
        "missing.json.\n"
        "\n"
        "Example:\n  chanmirror sync pytorch nvidia conda-forge --root /srv/chanmirror --subdir "
        "linux-64");
    return [options](Services& services) { return run_sync(*options, services); };
}

}  // namespace chm::cli
