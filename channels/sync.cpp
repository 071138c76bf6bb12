#include "channels/sync.hpp"

#include "base/file.hpp"
#include "base/file_lock.hpp"
#include "base/text.hpp"
#include "channels/publish.hpp"
#include "conda/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace chm::channels {
namespace {

/// base_url (CEP 15) may be absolute or relative to the index; without one, packages lie beside it.
std::string package_url_of(const IndexSource& source, const RepodataSummary& summary) {
    std::string beside = fmt::format("{}/{}", source.channel_url, source.subdir);
    if (summary.base_url.empty()) {
        return beside;
    }
    std::string url = summary.base_url;
    if (url.find("://") == std::string::npos) {
        url = beside + "/" + url;
    }
    while (url.ends_with('/')) {
        url.pop_back();
    }
    const auto split = conda::split_credentials(url);
    return split ? split->url : beside;
}

/// Each once, in the order of their first mention.
template <class T>
std::vector<T> without_repeats(const std::vector<T>& items) {
    std::vector<T> unique;
    for (const T& item : items) {
        if (std::find(unique.begin(), unique.end(), item) == unique.end()) {
            unique.push_back(item);
        }
    }
    return unique;
}

std::vector<std::string> with_noarch(std::vector<std::string> subdirs) {
    subdirs.emplace_back(conda::k_noarch);
    return without_repeats(subdirs);
}

/// One run, under the lock.
class SyncRun {
public:
    SyncRun(const config::Settings& settings, const SyncRequest& request, const FetchEdges& edges)
        : settings_(settings), request_(request), edges_(edges), paths_(settings.root) {}

    Result<SyncReport> run();

private:
    void list_sources();
    [[nodiscard]] const SnapshotSubdir* held(const IndexSource& source) const;
    Result<> require_known_channels(const std::vector<FetchOutcome>& outcomes) const;
    void take(const IndexSource& source, FetchOutcome outcome);
    void take_fetched(const IndexSource& source, FetchedIndex index);
    void take_missing(const IndexSource& source);
    void report_on(const IndexSource& source, SubdirChange change, std::uint64_t records);
    void save_states() const;

    const config::Settings& settings_;
    const SyncRequest& request_;
    const FetchEdges& edges_;
    MirrorPaths paths_;
    std::optional<Manifest> previous_;
    std::vector<IndexSource> sources_;
    std::vector<NewIndex> new_indexes_;
    std::vector<std::pair<std::filesystem::path, FetchState>> new_states_;
    SyncReport report_;
};

const SnapshotSubdir* SyncRun::held(const IndexSource& source) const {
    const SnapshotChannel* channel = previous_ ? previous_->find(source.channel.name) : nullptr;
    const SnapshotSubdir* subdir = channel != nullptr ? channel->find(source.subdir) : nullptr;
    const bool whole =
        subdir != nullptr && has_index_files(paths_, *previous_, channel->name, subdir->subdir);
    return whole ? subdir : nullptr;  // what lost a file is fetched and published anew
}

void SyncRun::list_sources() {
    for (const conda::Channel& channel : without_repeats(request_.channels)) {
        const ChannelUpstream upstream = upstream_of(settings_, channel);
        for (const std::string& subdir : with_noarch(request_.subdirs)) {
            IndexSource source{channel, subdir, upstream.channel_url, upstream.credentials, {}};
            const SnapshotSubdir* have = held(source);
            source.last = read_fetch_state(paths_.fetch_state(channel.name, subdir));
            if (have == nullptr ||
                (source.last && source.last->index_sha256 != have->index_sha256)) {
                source.last.reset();  // a 304 would refer to bytes that this mirror does not hold
            }
            sources_.push_back(std::move(source));
        }
    }
}

Result<SyncReport> SyncRun::run() {
    CHM_TRY(previous_, read_current(paths_));
    CHM_CHECK(remove_unfinished_snapshots(paths_));
    list_sources();
    edges_.reporter.report(PhaseBegan{"fetching indexes", sources_.size(), Unit::items});
    auto outcomes = fetch_indexes(sources_, edges_);
    edges_.reporter.report(PhaseEnded{});
    if (!outcomes) {
        return fail(std::move(outcomes).error());
    }
    CHM_CHECK(require_known_channels(*outcomes));
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        take(sources_[i], std::move((*outcomes)[i]));
    }
    if (new_indexes_.empty() && previous_) {
        report_.manifest = std::move(*previous_);
    } else {
        edges_.reporter.report(PhaseBegan{"publishing", new_indexes_.size(), Unit::items});
        auto manifest =
            publish(paths_, previous_, std::move(new_indexes_), edges_.clock, edges_.stop);
        edges_.reporter.report(PhaseEnded{});
        CHM_TRY(report_.manifest, std::move(manifest));
        report_.new_snapshot = true;
    }
    save_states();
    return std::move(report_);
}

/// A channel that has not one subdir at its upstream does not exist there: most likely a typing
/// mistake.
Result<> SyncRun::require_known_channels(const std::vector<FetchOutcome>& outcomes) const {
    for (const conda::Channel& channel : request_.channels) {
        bool exists = false;
        std::string url;
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            if (sources_[i].channel == channel) {
                exists |= !std::holds_alternative<MissingIndex>(outcomes[i]);
                url = sources_[i].channel_url;
            }
        }
        if (!exists && previous_ && previous_->find(channel.name) != nullptr) {
            return fail(
                ErrorKind::network,
                fmt::format(
                    "channel '{}' is no longer at {}; the mirror keeps what it has, check the "
                    "address of the upstream",
                    channel.name,
                    url));
        }
        const auto& configured = settings_.channels;
        if (!exists &&
            std::find(configured.begin(), configured.end(), channel.name) != configured.end()) {
            return fail(
                ErrorKind::network,
                fmt::format("channel '{}' does not exist at {}; check the address of the upstream "
                            "(it is given without the channel's name)",
                            channel.name,
                            url));
        }
        if (!exists) {
            return fail(ErrorKind::usage,
                        fmt::format("channel '{}' does not exist at {}{}",
                                    channel.name,
                                    url,
                                    did_you_mean(channel.name, settings_.channels)));
        }
    }
    return {};
}

void SyncRun::take(const IndexSource& source, FetchOutcome outcome) {
    if (auto* fetched = std::get_if<FetchedIndex>(&outcome)) {
        take_fetched(source, std::move(*fetched));
    } else if (auto* unchanged = std::get_if<UnchangedIndex>(&outcome)) {
        if (unchanged->state) {
            new_states_.emplace_back(paths_.fetch_state(source.channel.name, source.subdir),
                                     std::move(*unchanged->state));
        }
        report_on(source, SubdirChange::unchanged, held(source)->records);
    } else {
        take_missing(source);
    }
}

void SyncRun::take_fetched(const IndexSource& source, FetchedIndex index) {
    const SnapshotSubdir* have = held(source);
    std::string package_url = package_url_of(source, index.summary);
    const std::uint64_t records = index.summary.records;
    const bool same = have != nullptr && have->index_sha256 == index.state.index_sha256 &&
                      have->package_url == package_url;
    report_on(source, same ? SubdirChange::unchanged : SubdirChange::fetched, records);
    new_states_.emplace_back(paths_.fetch_state(source.channel.name, source.subdir), index.state);
    if (!same) {
        new_indexes_.push_back({source.channel,
                                source.subdir,
                                std::move(index.json),
                                records,
                                index.state.index_sha256,
                                std::move(index.fetched_from),
                                std::move(package_url),
                                std::move(index.summary.relations)});
    }
}

/// An absent platform is simply not mirrored; an absent noarch is published empty, since clients
/// ask for it (CEP 26).
void SyncRun::take_missing(const IndexSource& source) {
    report_on(source, SubdirChange::absent, 0);
    const SnapshotSubdir* have = held(source);
    if (have != nullptr && !have->fetched_from.empty()) {
        edges_.reporter.warn(
            fmt::format("{}/{}: upstream no longer has it; the mirror keeps what it has",
                        source.channel.name,
                        source.subdir));
        return;
    }
    if (source.subdir != conda::k_noarch || have != nullptr) {
        return;
    }
    NewIndex index{source.channel, source.subdir, empty_repodata(source.subdir), 0, {}, {}, {}, {}};
    index.index_sha256 = sha256(index.json);
    index.package_url = package_url_of(source, {});
    new_indexes_.push_back(std::move(index));
}

void SyncRun::report_on(const IndexSource& source, SubdirChange change, std::uint64_t records) {
    report_.subdirs.push_back({source.channel.name, source.subdir, change, records});
}

/// A cache: failing to write it costs the next sync a download, and nothing else.
void SyncRun::save_states() const {
    for (const auto& [path, state] : new_states_) {
        if (auto written = write_fetch_state(path, state); !written) {
            edges_.reporter.warn(written.error().message);
        }
    }
}

}  // namespace

ChannelUpstream upstream_of(const config::Settings& settings, const conda::Channel& channel) {
    const bool below_alias =
        channel.url == fmt::format("{}/{}", conda::k_default_channel_alias, channel.name);
    const config::UpstreamSetting* chosen = nullptr;
    for (const config::UpstreamSetting& upstream : settings.upstreams) {
        if (upstream.channel == channel.name) {
            chosen = &upstream;
            break;
        }
        if (upstream.channel == "default" && below_alias) {
            chosen = &upstream;
        }
    }
    if (chosen == nullptr) {
        return {channel.url, {}};
    }
    std::string base = chosen->base_url;
    while (base.ends_with('/')) {
        base.pop_back();
    }
    return {base + "/" + channel.name, chosen->credentials};
}

Result<SyncReport> sync(const config::Settings& settings,
                        const SyncRequest& request,
                        const FetchEdges& edges) {
    CHM_CHECK(make_directories(settings.root));
    FileLock::Options options;
    options.purpose = "chanmirror sync";
    options.stop = edges.stop;
    CHM_TRY(const FileLock lock,
            FileLock::acquire(MirrorPaths(settings.root).lock(), options, edges.clock));
    return SyncRun(settings, request, edges).run();
}

}  // namespace chm::channels
