#include "channels/sync.hpp"

#include "base/atomic_file.hpp"
#include "base/file.hpp"
#include "base/file_lock.hpp"
#include "base/text.hpp"
#include "channels/publish.hpp"
#include "channels/upstreams.hpp"
#include "conda/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace chm::channels {
namespace {

std::string folder_of(const Upstream& upstream, std::string_view subdir) {
    return fmt::format("{}/{}", upstream.channel_url, subdir);
}

bool is_beside_an_index(const IndexSource& source, std::string_view package_url) {
    return std::ranges::any_of(source.upstreams, [&](const Upstream& upstream) {
        return folder_of(upstream, source.subdir) == package_url;
    });
}

/// Where the packages of an index may be had. Beside the index: at each upstream, first at the one
/// that it came from. Elsewhere (base_url)
/// only there; and without the upstream's credentials when that is another server.
std::vector<PackageSource> package_folders(const IndexSource& source,
                                           const std::string& package_url) {
    if (!is_beside_an_index(source, package_url)) {
        const bool same = conda::is_same_server(package_url, source.channel_url);
        return {{package_url, same ? source.credentials : conda::Credentials{}}};
    }
    std::vector<PackageSource> folders;
    for (const Upstream& upstream : source.upstreams) {
        folders.push_back({folder_of(upstream, source.subdir), upstream.credentials});
    }
    std::ranges::stable_partition(folders, [&](const PackageSource& folder) {
        return folder.url == fmt::format("{}/{}", source.channel_url, source.subdir);
    });
    return folders;
}

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

/// Fewer lost records than this say nothing: small channels change.
constexpr std::uint64_t k_lost_few = 10;

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
    [[nodiscard]] Result<> require_distinct_names() const;
    void list_sources();
    [[nodiscard]] Result<HeldIndex> read_held(const std::string& channel,
                                              const std::string& subdir,
                                              const SnapshotSubdir& have) const;
    std::vector<Upstream> ranked_upstreams(const conda::Channel& channel, UpstreamSpeeds& speeds);
    void save_speeds(const UpstreamSpeeds& speeds) const;
    void forget_speeds_of_failed() const;
    [[nodiscard]] const SnapshotSubdir* held(const IndexSource& source) const;
    Result<> require_known_channels(const std::vector<FetchOutcome>& outcomes) const;
    [[nodiscard]] Result<> require_no_shrink(const IndexSource& source,
                                             const FetchedIndex& index) const;
    [[nodiscard]] bool is_as_wanted(const IndexSource& source, const SnapshotSubdir& have) const;
    Result<> take(const IndexSource& source, FetchOutcome outcome);
    Result<> take_fetched(const IndexSource& source, FetchedIndex index);
    Result<> take_unchanged(const IndexSource& source, UnchangedIndex index);
    void take_missing(const IndexSource& source);
    Result<> plan_packages_of(const IndexSource& source, NewIndex& index);
    Result<> store_planned_packages();
    void drop_what_is_no_news();
    Result<> publish_all();
    Result<> write_missing() const;
    void report_on(const IndexSource& source, SubdirChange change, std::uint64_t records);
    void save_states() const;

    const config::Settings& settings_;
    const SyncRequest& request_;
    const FetchEdges& edges_;
    MirrorPaths paths_;
    std::optional<Manifest> previous_;
    std::vector<IndexSource> sources_;
    std::vector<NewIndex> new_indexes_;
    std::vector<PackageTask> tasks_;          // of the new indexes whose packages are stored
    std::vector<std::size_t> index_of_task_;  // of new_indexes_
    struct NewState {
        std::string channel;
        std::string subdir;
        FetchState state;
        ShardDigests shards = {};
    };
    std::vector<NewState> new_states_;
    SyncReport report_;
};

const SnapshotSubdir* SyncRun::held(const IndexSource& source) const {
    const SnapshotChannel* channel = previous_ ? previous_->find(source.channel.name) : nullptr;
    const SnapshotSubdir* subdir = channel != nullptr ? channel->find(source.subdir) : nullptr;
    const bool whole =
        subdir != nullptr && has_index_files(paths_, *previous_, channel->name, subdir->subdir);
    return whole ? subdir : nullptr;  // what lost a file is fetched and published anew
}

/// A name is a folder here, and two channels may have one: file:///srv/x and a channel called
/// "file/srv/x". The second must not take the first one's place.
Result<> SyncRun::require_distinct_names() const {
    const auto clash = [](const conda::Channel& channel, const std::string& other_url) {
        return fail(ErrorKind::usage,
                    fmt::format("channel {} would have the name '{}', which {} has in this mirror: "
                                "one mirror cannot hold both",
                                channel.url,
                                channel.name,
                                other_url));
    };
    for (const conda::Channel& channel : request_.channels) {
        const SnapshotChannel* held = previous_ ? previous_->find(channel.name) : nullptr;
        if (held != nullptr && previous_->find(channel) == nullptr) {
            return clash(channel, held->url);
        }
        for (const conda::Channel& other : request_.channels) {
            if (other.name == channel.name && !conda::is_same_place(other, channel)) {
                return clash(channel, other.url);
            }
        }
    }
    return {};
}

/// The channel's upstreams in the order in which they are asked, measured first where that is due.
std::vector<Upstream> SyncRun::ranked_upstreams(const conda::Channel& channel,
                                                UpstreamSpeeds& speeds) {
    std::vector<Upstream> upstreams = upstreams_of(settings_, channel);
    if (!settings_.rank_upstreams || upstreams.size() < 2) {
        return upstreams;
    }
    if (needs_measuring(upstreams, speeds, edges_.clock.wall())) {
        measure_speeds(upstreams, speeds, edges_);
        if (!request_.dry_run) {
            save_speeds(speeds);
        }
    }
    rank(upstreams, speeds);
    edges_.reporter.detail(
        fmt::format("{}: asking {} first", channel.name, upstreams.front().channel_url));
    return upstreams;
}

/// A cache, as fetch states are.
void SyncRun::save_speeds(const UpstreamSpeeds& speeds) const {
    if (auto written = write_upstream_speeds(paths_.upstream_speeds(), speeds); !written) {
        edges_.reporter.warn(written.error().message);
    }
}

/// An upstream that failed its channel is measured again next time.
void SyncRun::forget_speeds_of_failed() const {
    UpstreamSpeeds speeds = read_upstream_speeds(paths_.upstream_speeds());
    std::size_t forgotten = 0;
    for (const IndexSource& source : sources_) {
        if (source.channel_url != source.upstreams.front().channel_url) {
            forgotten += speeds.erase(source.upstreams.front().channel_url);
        }
    }
    if (forgotten > 0) {
        save_speeds(speeds);
    }
}

void SyncRun::list_sources() {
    UpstreamSpeeds speeds = read_upstream_speeds(paths_.upstream_speeds());
    for (const conda::Channel& channel : without_repeats(request_.channels)) {
        const std::vector<Upstream> upstreams = ranked_upstreams(channel, speeds);
        for (const std::string& subdir : with_noarch(request_.subdirs)) {
            const auto& [url, credentials] = upstreams.front();
            IndexSource source{channel, subdir, url, credentials, {}, upstreams};
            const SnapshotSubdir* have = held(source);
            source.last = read_fetch_state(paths_.fetch_state(channel.name, subdir));
            if (have == nullptr ||
                (source.last && source.last->index_sha256 != have->index_sha256)) {
                source.last.reset();  // a 304 would refer to bytes that this mirror does not hold
            }
            if (source.last) {
                source.held = [this, name = channel.name, subdir, have] {
                    return read_held(name, subdir, *have);
                };
            }
            source.accept_older = request_.accept_shrink;
            sources_.push_back(std::move(source));
        }
    }
}

Result<HeldIndex> SyncRun::read_held(const std::string& channel,
                                     const std::string& subdir,
                                     const SnapshotSubdir& have) const {
    HeldIndex index;
    CHM_TRY(index.json, read_index(paths_, *previous_, *previous_->find(channel), have));
    index.shards = read_held_shards(paths_.held_shards(channel, subdir), have.index_sha256);
    return index;
}

Result<SyncReport> SyncRun::run() {
    CHM_TRY(previous_, read_current(paths_));
    if (!request_.dry_run) {
        CHM_CHECK(remove_unfinished_snapshots(paths_));
    }
    CHM_CHECK(require_distinct_names());
    list_sources();
    edges_.reporter.report(PhaseBegan{"fetching indexes", sources_.size(), Unit::items});
    auto outcomes = fetch_from_upstreams(sources_, edges_);
    edges_.reporter.report(PhaseEnded{});
    if (!request_.dry_run) {
        forget_speeds_of_failed();
    }
    if (!outcomes) {
        return fail(std::move(outcomes).error());
    }
    CHM_CHECK(require_known_channels(*outcomes));
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        CHM_CHECK(take(sources_[i], std::move((*outcomes)[i])));
    }
    CHM_TRY(report_.plan, plan_packages(tasks_, paths_));
    if (request_.dry_run) {
        report_.manifest = previous_.value_or(Manifest{});
        return std::move(report_);
    }
    CHM_CHECK(report_.plan.require_room());
    CHM_CHECK(store_planned_packages());
    CHM_CHECK(publish_all());
    save_states();
    return std::move(report_);
}

Result<> SyncRun::store_planned_packages() {
    if (tasks_.empty()) {
        return {};
    }
    edges_.reporter.report(PhaseBegan{"fetching packages", report_.plan.fetch_files, Unit::items});
    auto stored = store_packages(tasks_, paths_, edges_);
    edges_.reporter.report(PhaseEnded{});
    if (!stored) {
        return fail(std::move(stored).error());
    }
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
        StoredPackages& packages = (*stored)[i];
        NewPackages& entry = *new_indexes_[index_of_task_[i]].packages;
        entry.stored = std::move(packages.stored);
        entry.missing = packages.missing.size();
        report_.missing.insert(report_.missing.end(),
                               std::make_move_iterator(packages.missing.begin()),
                               std::make_move_iterator(packages.missing.end()));
    }
    return {};
}

/// Files that are still missing are no news: without this every sync would make a snapshot.
void SyncRun::drop_what_is_no_news() {
    const auto is_news = [&](const NewIndex& index) {
        const SnapshotChannel* channel = previous_ ? previous_->find(index.channel.name) : nullptr;
        const SnapshotSubdir* have = channel != nullptr ? channel->find(index.subdir) : nullptr;
        return have == nullptr || !index.packages || have->index_sha256 != index.index_sha256 ||
               have->package_url != index.package_url || have->policy != index.packages->policy ||
               have->missing_files != index.packages->missing ||
               have->stored_sha256 != sha256(to_text(index.packages->stored));
    };
    std::erase_if(new_indexes_, [&](const NewIndex& index) { return !is_news(index); });
}

Result<> SyncRun::publish_all() {
    drop_what_is_no_news();
    if (new_indexes_.empty() && previous_) {
        report_.manifest = *previous_;
    } else {
        edges_.reporter.report(PhaseBegan{"publishing", new_indexes_.size(), Unit::items});
        auto manifest =
            publish(paths_, previous_, std::move(new_indexes_), edges_.clock, edges_.stop);
        edges_.reporter.report(PhaseEnded{});
        CHM_TRY(report_.manifest, std::move(manifest));
        report_.new_snapshot = true;
    }
    keep_first_seen(report_.missing, read_missing_files(paths_.missing()), edges_.clock.wall());
    return write_missing();
}

/// What this run found missing, and what earlier runs did in subdirs that this one did not look at.
Result<> SyncRun::write_missing() const {
    MissingFiles all = report_.missing;
    for (const MissingFile& file : read_missing_files(paths_.missing())) {
        const auto looked_at = [&](const PackageTask& task) {
            return task.channel.name == file.channel && task.subdir == file.subdir;
        };
        const SnapshotChannel* channel = report_.manifest.find(file.channel);
        const SnapshotSubdir* subdir = channel != nullptr ? channel->find(file.subdir) : nullptr;
        if (std::ranges::none_of(tasks_, looked_at) && subdir != nullptr &&
            subdir->missing_files > 0) {
            all.push_back(file);
        }
    }
    if (all.empty()) {
        return remove_tree(paths_.missing());
    }
    std::ranges::sort(all, [](const MissingFile& a, const MissingFile& b) {
        return std::tie(a.channel, a.subdir, a.fn) < std::tie(b.channel, b.subdir, b.fn);
    });
    return write_file_atomically(paths_.missing(), to_text(all));
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

Result<> SyncRun::take(const IndexSource& source, FetchOutcome outcome) {
    if (auto* fetched = std::get_if<FetchedIndex>(&outcome)) {
        return take_fetched(source, std::move(*fetched));
    }
    if (auto* unchanged = std::get_if<UnchangedIndex>(&outcome)) {
        return take_unchanged(source, std::move(*unchanged));
    }
    take_missing(source);
    return {};
}

/// Whether the current snapshot was made by today's policy and lacks nothing.
bool SyncRun::is_as_wanted(const IndexSource& source, const SnapshotSubdir& have) const {
    const config::PackageSettings settings = config::settings_for(settings_, source.channel.name);
    if (settings.policy == config::PackagePolicy::none) {
        return have.view == View::upstream;
    }
    return have.view == View::closed && have.policy == policy_text(settings) &&
           have.missing_files == 0;
}

/// An upstream that is being rebuilt, or a proxy's cut answer, may be valid and nearly empty.
Result<> SyncRun::require_no_shrink(const IndexSource& source, const FetchedIndex& index) const {
    const SnapshotSubdir* have = held(source);
    const std::uint64_t now = index.summary.records;
    if (request_.accept_shrink || have == nullptr || now + k_lost_few >= have->records ||
        (have->records - now) * 100 <= have->records * settings_.max_shrink) {
        return {};
    }
    return fail(
        ErrorKind::network,
        fmt::format("{}/{}: the upstream's index has {} records, the mirror's {}: more than "
                    "{} % are gone (max_shrink); the mirror is unchanged; if upstream means "
                    "it, sync with --accept-shrink",
                    source.channel.name,
                    source.subdir,
                    now,
                    have->records,
                    settings_.max_shrink));
}

/// Adds to the plan what the policy wants of this index, if anything.
Result<> SyncRun::plan_packages_of(const IndexSource& source, NewIndex& index) {
    const config::PackageSettings settings = config::settings_for(settings_, source.channel.name);
    if (settings.policy == config::PackagePolicy::none) {
        return {};
    }
    CHM_CHECK(config::require_licence(settings));
    PackageTask task{source.channel,
                     source.subdir,
                     package_folders(source, index.package_url),
                     settings.licence,
                     {},
                     {},
                     {}};
    if (const SnapshotSubdir* have = held(source); have != nullptr) {
        CHM_TRY(task.before, read_stored_files(paths_, *previous_, source.channel.name, *have));
    }
    CHM_TRY(task.selection, select_packages(index.json, source.channel, source.subdir, settings));
    find_absent(task, ObjectStore(paths_.root()));
    index.packages = NewPackages{policy_text(settings), {}, 0};
    tasks_.push_back(std::move(task));
    index_of_task_.push_back(new_indexes_.size());
    return {};
}

Result<> SyncRun::take_fetched(const IndexSource& source, FetchedIndex index) {
    CHM_CHECK(require_no_shrink(source, index));
    const SnapshotSubdir* have = held(source);
    std::string package_url = package_url_of(source, index.summary);
    if (have != nullptr && is_beside_an_index(source, package_url) &&
        is_beside_an_index(source, have->package_url)) {
        package_url = have->package_url;  // which of several upstreams answered today is no news
    }
    const std::uint64_t records = index.summary.records;
    const bool same = have != nullptr && have->index_sha256 == index.state.index_sha256 &&
                      have->package_url == package_url && is_as_wanted(source, *have);
    report_on(source, same ? SubdirChange::unchanged : SubdirChange::fetched, records);
    new_states_.push_back(
        {source.channel.name, source.subdir, index.state, std::move(index.shards)});
    if (same) {
        return {};
    }
    NewIndex published{source.channel,
                       source.subdir,
                       std::move(index.json),
                       records,
                       index.state.index_sha256,
                       std::move(index.fetched_from),
                       std::move(package_url),
                       std::move(index.summary.relations)};
    CHM_CHECK(plan_packages_of(source, published));
    new_indexes_.push_back(std::move(published));
    return {};
}

/// The index is the one that is held; it is published anew where the policy changed, or where files
/// were missing that may be there now.
Result<> SyncRun::take_unchanged(const IndexSource& source, UnchangedIndex index) {
    const SnapshotSubdir* have = held(source);
    if (index.state) {
        new_states_.push_back({source.channel.name, source.subdir, std::move(*index.state)});
    }
    report_on(source, SubdirChange::unchanged, have->records);
    if (is_as_wanted(source, *have)) {
        return {};
    }
    CHM_TRY(std::string json,
            read_index(paths_, *previous_, *previous_->find(source.channel.name), *have));
    NewIndex published{source.channel,
                       source.subdir,
                       std::move(json),
                       have->records,
                       have->index_sha256,
                       have->fetched_from,
                       have->package_url,
                       have->relations};
    CHM_CHECK(plan_packages_of(source, published));
    new_indexes_.push_back(std::move(published));
    return {};
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
    if (source.subdir != conda::k_noarch || (have != nullptr && is_as_wanted(source, *have))) {
        return;
    }
    NewIndex index{
        source.channel, source.subdir, empty_repodata(source.subdir), 0, {}, {}, {}, {}, {}};
    index.index_sha256 = sha256(index.json);
    index.package_url = package_url_of(source, {});
    const config::PackageSettings settings = config::settings_for(settings_, source.channel.name);
    if (settings.policy != config::PackagePolicy::none) {
        index.packages = NewPackages{policy_text(settings), {}, 0};
    }
    new_indexes_.push_back(std::move(index));
}

void SyncRun::report_on(const IndexSource& source, SubdirChange change, std::uint64_t records) {
    report_.subdirs.push_back({source.channel.name, source.subdir, change, records});
}

/// A cache: failing to write it costs the next sync a download, and nothing else.
void SyncRun::save_states() const {
    for (const auto& [channel, subdir, state, shards] : new_states_) {
        auto written = write_fetch_state(paths_.fetch_state(channel, subdir), state);
        if (written && !shards.empty()) {
            written =
                write_held_shards(paths_.held_shards(channel, subdir), state.index_sha256, shards);
        }
        if (!written) {
            edges_.reporter.warn(written.error().message);
        }
    }
}

}  // namespace

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
