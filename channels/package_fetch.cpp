// Batches of some thousand files; in each, rounds of one transport call, from every file's first
// source to its last. What has come is adopted batch by batch, so that a killed run loses none of it.
#include "channels/package_fetch.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/workers.hpp"
#include "channels/partial_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

namespace chm::channels {
namespace {

/// Large, since the end of a batch waits for its slowest file; small enough that its state is a few
/// megabytes.
constexpr std::size_t k_batch = 4096;

/// A source is not worth as many tries while another one waits.
constexpr unsigned k_retries_before_next = 1;

/// Requests for the same bytes.
struct Item {
    std::vector<std::size_t> requests;  // indexes, at least one
};

/// What tells the bytes of one request from those of another, and names the partial file.
std::string key_of(const PackageRequest& request) {
    if (request.sha256) {
        return request.sha256->hex();
    }
    if (request.md5) {
        return "md5-" + request.md5->hex();
    }
    return sha256(request.sources.empty() ? request.label : request.sources.front().url).hex();
}

/// Counts finished requests for the phase that the caller has begun.
class Progress {
public:
    explicit Progress(Reporter& reporter) : reporter_(reporter) {}
    void add(std::size_t requests) {
        done_ += requests;
        reporter_.report(PhaseAdvanced{done_});
    }

private:
    Reporter& reporter_;
    std::uint64_t done_ = 0;
};

/// Stands between the transport and a PartialFile: stops the whole batch when the disk refuses, and
/// counts a file as soon as it is full.
class WatchedSink final : public BodySink {
public:
    WatchedSink(PartialFile& file, std::stop_source stop, Progress& progress, std::size_t requests)
        : file_(file), stop_(std::move(stop)), progress_(progress), requests_(requests) {}

    ResumePoint start_try() override { return file_.start_try(); }
    Result<> begin(const BodyStart& start) override { return watch(file_.begin(start)); }
    Result<> write(std::span<const std::byte> bytes) override { return watch(file_.write(bytes)); }
    Result<> end_try() override {
        if (file_.is_full()) {
            count();
        }
        return watch(file_.end_try());
    }
    /// Only the first call does.
    void count() { progress_.add(std::exchange(requests_, 0)); }

private:
    Result<> watch(Result<> result) {
        if (!result && result.error().kind == ErrorKind::io) {
            stop_.request_stop();
        }
        return result;
    }

    PartialFile& file_;
    std::stop_source stop_;
    Progress& progress_;
    std::size_t requests_;
};

/// One item on its way through the sources.
struct Attempt {
    const Item* item = nullptr;
    std::vector<const PackageSource*> sources;
    FilePromise promise;
    std::unique_ptr<PartialFile> file;  // none: the store has it
    std::unique_ptr<WatchedSink> sink;
    std::size_t source = 0;
    bool fetched_anew = false;  // from the present source, since the pieces did not fit
    bool answered = false;      // by any source
    std::optional<FetchedPackage> fetched;
    MissingPackage missing;

    [[nodiscard]] bool is_open() const { return !fetched && source < sources.size(); }
};

std::string without_url(const Error& error, const std::string& url) {
    const std::string prefix = url + ": ";
    return error.message.starts_with(prefix) ? error.message.substr(prefix.size()) : error.message;
}

class PackageFetch {
public:
    PackageFetch(std::span<const PackageRequest> requests,
                 const ObjectStore& store,
                 const PackageFetchOptions& options,
                 const FetchEdges& edges)
        : requests_(requests),
          store_(store),
          options_(options),
          edges_(edges),
          progress_(edges.reporter),
          forward_stop_(edges.stop, [this] { stop_.request_stop(); }) {}

    Result<std::vector<PackageOutcome>> run();

private:
    void group();
    [[nodiscard]] Attempt make_attempt(const Item& item) const;
    [[nodiscard]] std::optional<FetchedPackage> find_here(const FilePromise& promise) const;
    Result<> run_batch(std::span<const Item> items);
    Result<> prepare(std::vector<Attempt>& attempts);
    Result<> run_round(std::vector<Attempt>& attempts);
    Result<> judge(Attempt& attempt, Result<TransferResponse> response);
    Result<> judge_refusal(Attempt& attempt, const Error& error);
    Result<> judge_whole(Attempt& attempt);
    Result<> take_or_discard(Attempt& attempt, PartialFile::Verdict& verdict);
    static Result<> start_over(Attempt& attempt);
    void try_next(Attempt& attempt, std::string got, bool answered) const;
    Result<> adopt(std::vector<Attempt>& attempts) const;
    void settle(const Attempt& attempt);
    [[nodiscard]] bool is_unreachable() const {
        return first_unreachable_ && unreachable_ > 0 && !reached_;
    }

    std::span<const PackageRequest> requests_;
    const ObjectStore& store_;
    const PackageFetchOptions& options_;
    const FetchEdges& edges_;
    Progress progress_;
    std::vector<Item> items_;
    std::vector<PackageOutcome> outcomes_;
    bool reached_ = false;         // any server, or something was fetched
    std::size_t unreachable_ = 0;  // items for which no server could be reached
    std::optional<Error> first_unreachable_;
    std::stop_source stop_;
    std::stop_callback<std::function<void()>> forward_stop_;  // last: uses stop_
};

void PackageFetch::group() {
    std::unordered_map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
        const auto [place, is_new] = places.try_emplace(key_of(requests_[i]), items_.size());
        if (is_new) {
            items_.emplace_back();
        }
        items_[place->second].requests.push_back(i);
    }
}

Attempt PackageFetch::make_attempt(const Item& item) const {
    Attempt attempt;
    attempt.item = &item;
    const PackageRequest& first = requests_[item.requests.front()];
    attempt.promise = {first.sha256, first.md5, first.size};
    for (const std::size_t i : item.requests) {
        for (const PackageSource& source : requests_[i].sources) {
            const bool known =
                std::any_of(attempt.sources.begin(), attempt.sources.end(), [&](const auto* other) {
                    return other->url == source.url;
                });
            if (!known) {
                attempt.sources.push_back(&source);
            }
        }
        if (requests_[i].size != first.size) {
            attempt.promise.size.reset();  // indexes disagree; the digest decides, settle() tells
        }
    }
    return attempt;
}

std::optional<FetchedPackage> PackageFetch::find_here(const FilePromise& promise) const {
    const auto size = promise.sha256 ? store_.size_of(*promise.sha256) : std::nullopt;
    if (!size || promise.size.value_or(*size) != *size) {
        return std::nullopt;
    }
    return FetchedPackage{*promise.sha256, *size, true};
}

Result<std::vector<PackageOutcome>> PackageFetch::run() {
    group();
    outcomes_.resize(requests_.size());
    CHM_CHECK(make_directories(options_.partial_folder));
    for (std::size_t begin = 0; begin < items_.size(); begin += k_batch) {
        const std::size_t count = std::min(k_batch, items_.size() - begin);
        CHM_CHECK(run_batch(std::span(items_).subspan(begin, count)));
        if (is_unreachable()) {  // and the next batch would wait for the same servers
            break;
        }
    }
    if (is_unreachable()) {
        if (unreachable_ > 1) {
            first_unreachable_->message +=
                fmt::format(" ({} more files failed too)", unreachable_ - 1);
        }
        return fail(std::move(*first_unreachable_));
    }
    return std::move(outcomes_);
}

Result<> PackageFetch::run_batch(std::span<const Item> items) {
    std::vector<Attempt> attempts;
    attempts.reserve(items.size());  // sinks point into it
    for (const Item& item : items) {
        attempts.push_back(make_attempt(item));
    }
    CHM_CHECK(prepare(attempts));
    while (
        std::any_of(attempts.begin(), attempts.end(), [](const auto& a) { return a.is_open(); })) {
        CHM_CHECK(run_round(attempts));
    }
    CHM_CHECK(adopt(attempts));
    for (const Attempt& attempt : attempts) {
        settle(attempt);
    }
    return {};
}

/// Finds what is here already, whole or in part. Reading large beginnings takes all cores.
Result<> PackageFetch::prepare(std::vector<Attempt>& attempts) {
    const auto prepare_one = [&](std::size_t i) -> Result<> {
        Attempt& attempt = attempts[i];
        attempt.fetched = find_here(attempt.promise);
        if (attempt.fetched) {
            return {};
        }
        const std::string key = key_of(requests_[attempt.item->requests.front()]);
        attempt.file = std::make_unique<PartialFile>(
            options_.partial_folder / (key + ".part"), attempt.promise, options_.max_bytes);
        CHM_CHECK(attempt.file->take_up(edges_.stop));
        if (attempt.file->is_full()) {
            auto verdict = attempt.file->check();
            return take_or_discard(attempt, verdict);
        }
        return {};
    };
    CHM_CHECK(for_each_parallel(attempts.size(), default_threads(), prepare_one));
    for (Attempt& attempt : attempts) {
        const std::size_t requests = attempt.item->requests.size();
        if (attempt.fetched) {
            progress_.add(requests);
        } else {
            attempt.sink = std::make_unique<WatchedSink>(*attempt.file, stop_, progress_, requests);
        }
    }
    return {};
}

/// Asks for every open file at its present source.
Result<> PackageFetch::run_round(std::vector<Attempt>& attempts) {
    std::vector<Attempt*> open;
    std::vector<TransferRequest> transfers;
    for (Attempt& attempt : attempts) {
        if (!attempt.is_open()) {
            continue;
        }
        TransferRequest& transfer = transfers.emplace_back();
        transfer.url = attempt.sources[attempt.source]->url;
        transfer.credentials = attempt.sources[attempt.source]->credentials;
        transfer.label = requests_[attempt.item->requests.front()].label;
        transfer.sink = attempt.sink.get();
        transfer.expected_bytes = attempt.promise.size;
        if (attempt.source + 1 < attempt.sources.size()) {
            transfer.max_retries = k_retries_before_next;
        }
        open.push_back(&attempt);
    }
    auto responses = edges_.transport.fetch(transfers, edges_.reporter, stop_.get_token());
    for (auto& response : responses) {  // the reason of a stop comes before those that it stopped
        if (!response && response.error().kind == ErrorKind::io) {
            return fail(std::move(response).error());
        }
    }
    for (std::size_t i = 0; i < open.size(); ++i) {
        CHM_CHECK(judge(*open[i], std::move(responses[i])));
    }
    return {};
}

Result<> PackageFetch::judge(Attempt& attempt, Result<TransferResponse> response) {
    const std::string& url = attempt.sources[attempt.source]->url;
    if (!response) {
        switch (response.error().kind) {
            case ErrorKind::integrity:
                return judge_refusal(attempt, response.error());
            case ErrorKind::network:
                if (!first_unreachable_) {
                    first_unreachable_ = response.error();
                }
                try_next(attempt, without_url(response.error(), url), attempt.file->was_answered());
                return {};
            default:
                return fail(std::move(response).error());
        }
    }
    const bool all_here = response->status == 416 && attempt.file->asked() > 0;
    if (response->status == 200 || response->status == 206 || all_here) {
        return judge_whole(attempt);
    }
    try_next(attempt, std::to_string(response->status), true);
    return {};
}

/// The source has another file, or does not do ranges as it should.
Result<> PackageFetch::judge_refusal(Attempt& attempt, const Error& error) {
    const PartialFile& file = *attempt.file;
    if (!file.is_other_size() && (file.asked() > 0 || file.is_pieced()) && !attempt.fetched_anew) {
        return start_over(attempt);
    }
    std::string got = without_url(error, attempt.sources[attempt.source]->url);
    if (!file.is_other_size()) {
        CHM_CHECK(attempt.file->discard());
    }
    try_next(attempt, std::move(got), true);
    return {};
}

Result<> PackageFetch::judge_whole(Attempt& attempt) {
    const bool pieced = attempt.file->is_pieced();
    auto verdict = attempt.file->check();
    CHM_CHECK(take_or_discard(attempt, verdict));
    if (attempt.fetched) {
        return {};
    }
    if (pieced && !attempt.fetched_anew) {
        edges_.reporter.detail(
            fmt::format("{}: the pieces that were here do not fit ({}); "
                        "fetching it anew",
                        attempt.sources[attempt.source]->url,
                        verdict.wrong));
        return start_over(attempt);
    }
    try_next(attempt, std::move(verdict.wrong), true);
    return {};
}

Result<> PackageFetch::take_or_discard(Attempt& attempt, PartialFile::Verdict& verdict) {
    if (!verdict.wrong.empty()) {
        return attempt.file->discard();
    }
    attempt.fetched = FetchedPackage{verdict.sha256, attempt.file->size(), false};
    return {};
}

/// From the same source, once.
Result<> PackageFetch::start_over(Attempt& attempt) {
    attempt.fetched_anew = true;
    return attempt.file->discard();
}

void PackageFetch::try_next(Attempt& attempt, std::string got, bool answered) const {
    if (answered || !attempt.answered) {
        attempt.missing.url = attempt.sources[attempt.source]->url;
        attempt.missing.got = std::move(got);
    }
    attempt.answered = attempt.answered || answered;
    ++attempt.source;
    attempt.fetched_anew = false;
    attempt.file->change_source();
    if (attempt.is_open()) {
        edges_.reporter.detail(fmt::format("{}: {}; trying {}",
                                           attempt.missing.url,
                                           attempt.missing.got,
                                           attempt.sources[attempt.source]->url));
    }
}

Result<> PackageFetch::adopt(std::vector<Attempt>& attempts) const {
    std::vector<ObjectStore::Incoming> incoming;
    for (const Attempt& attempt : attempts) {
        if (attempt.fetched && attempt.file) {
            incoming.push_back({attempt.file->path(), attempt.fetched->sha256});
        }
    }
    return store_.adopt(incoming);
}

void PackageFetch::settle(const Attempt& attempt) {
    if (attempt.sink) {
        attempt.sink->count();
    }
    reached_ = reached_ || attempt.answered || (attempt.fetched && !attempt.fetched->was_here);
    if (!attempt.fetched && !attempt.answered) {
        ++unreachable_;
    }
    for (const std::size_t i : attempt.item->requests) {
        const PackageRequest& request = requests_[i];
        const FilePromise promise{request.sha256, request.md5, request.size};
        const bool as_promised = attempt.fetched && request.size.value_or(attempt.fetched->size) ==
                                                        attempt.fetched->size;
        if (as_promised) {
            outcomes_[i] = *attempt.fetched;
            continue;
        }
        MissingPackage missing = attempt.missing;
        missing.expected = promise.text();
        missing.tries = attempt.file ? attempt.file->tries() : 0;
        if (attempt.fetched) {
            missing.url = request.sources.empty() ? std::string() : request.sources.front().url;
            missing.got = human_bytes(attempt.fetched->size);
        }
        outcomes_[i] = std::move(missing);
    }
}

}  // namespace

Result<std::vector<PackageOutcome>> fetch_packages(std::span<const PackageRequest> requests,
                                                   const ObjectStore& store,
                                                   const PackageFetchOptions& options,
                                                   const FetchEdges& edges) {
    return PackageFetch(requests, store, options, edges).run();
}

}  // namespace chm::channels
