// chanmirror sync: brings channels up to date.
#include "base/json.hpp"
#include "base/text.hpp"
#include "channels/curl_transport.hpp"
#include "channels/sync.hpp"
#include "cli/command.hpp"
#include "cli/related_channels.hpp"
#include "conda/platform.hpp"
#include "config/channel_list.hpp"
#include "config/keys.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <map>
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
};

std::string_view to_text(channels::SubdirChange change) {
    switch (change) {
        case channels::SubdirChange::fetched:
            return "fetched";
        case channels::SubdirChange::unchanged:
            return "unchanged";
        case channels::SubdirChange::absent:
            return "absent";
    }
    return "";
}

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
    }
    return {};
}

Result<channels::SyncRequest> make_request(const SyncOptions& options,
                                           const config::Settings& settings) {
    channels::SyncRequest request;
    const auto& names = options.channels.empty() ? settings.channels : options.channels;
    CHM_TRY(request.channels, config::expand_channels(names, settings, settings.subdirs));
    for (const std::string& text : settings.subdirs) {
        CHM_TRY(std::string subdir, conda::parse_subdir(text));
        request.subdirs.push_back(std::move(subdir));
    }
    return request;
}

std::string to_json_document(const channels::SyncReport& report) {
    Json::Array subdirs;
    for (const channels::SyncedSubdir& subdir : report.subdirs) {
        subdirs.push_back(Json::Object{{"channel", subdir.channel},
                                       {"subdir", subdir.subdir},
                                       {"change", to_text(subdir.change)},
                                       {"records", subdir.records}});
    }
    const Json document = Json::Object{{"snapshot", report.manifest.id},
                                       {"new_snapshot", report.new_snapshot},
                                       {"subdirs", std::move(subdirs)}};
    return to_json(document, 2) + "\n";
}

/// A platform that not one of the channels has was most likely not meant.
void warn_of_absent_platforms(const channels::SyncReport& report, Reporter& reporter) {
    std::map<std::string_view, bool> absent_everywhere;
    for (const channels::SyncedSubdir& subdir : report.subdirs) {
        const bool absent = subdir.change == channels::SubdirChange::absent;
        const auto [entry, is_new] = absent_everywhere.try_emplace(subdir.subdir, absent);
        entry->second = entry->second && absent;
    }
    for (const auto& [subdir, absent] : absent_everywhere) {
        if (absent && subdir != conda::k_noarch) {
            reporter.warn(fmt::format("no channel of this sync has {} at its upstream", subdir));
        }
    }
}

void note_report(const channels::SyncReport& report,
                 const config::Settings& settings,
                 Reporter& reporter) {
    for (const channels::SyncedSubdir& subdir : report.subdirs) {
        const std::string where = fmt::format("{}/{}", subdir.channel, subdir.subdir);
        if (subdir.change == channels::SubdirChange::absent) {
            reporter.note(fmt::format("{:<28} not at the upstream", where));
        } else {
            reporter.note(fmt::format(
                "{:<28} {:>7} records, {}", where, subdir.records, to_text(subdir.change)));
        }
    }
    warn_of_absent_platforms(report, reporter);
    reporter.note(
        report.new_snapshot
            ? fmt::format("published snapshot {} in {}", report.manifest.id, settings.root.string())
            : fmt::format("nothing changed: snapshot {} stays current", report.manifest.id));
}

Result<ExitCode> run_sync(const SyncOptions& options, Services& services) {
    CHM_TRY(config::Loaded loaded, services.load_settings());
    config::Settings& settings = loaded.settings;
    CHM_CHECK(apply_flags(options, settings));
    CHM_TRY(const channels::SyncRequest request, make_request(options, settings));

    channels::CurlOptions curl;
    curl.connections = settings.jobs;
    curl.retry.retries = settings.retries;
    curl.stall_timeout = settings.stall_timeout;
    curl.offline = services.global.offline;
    const auto transport = channels::make_curl_transport(curl, services.clock);
    const channels::FetchEdges edges{*transport, services.clock, services.reporter, services.stop};
    CHM_TRY(const channels::SyncReport report, channels::sync(settings, request, edges));
    note_report(report, settings, services.reporter);
    warn_of_missing_relations(report.manifest, request.channels, services.reporter);
    if (services.global.json) {
        CHM_CHECK(services.print(to_json_document(report)));
    }
    return ExitCode::whole;
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
    app.footer(
        "Example:\n  chanmirror sync pytorch nvidia conda-forge --root /srv/chanmirror --subdir "
        "linux-64");
    return [options](Services& services) { return run_sync(*options, services); };
}

}  // namespace chm::cli
