// Rounds: each source asks for one form a round, for the next one where that brought nothing. Bodies
// are decoded on all cores; shards are fetched between the rounds.
#include "channels/fetch.hpp"

#include "base/text.hpp"
#include "base/workers.hpp"
#include "channels/http_date.hpp"
#include "channels/index_forms.hpp"
#include "channels/limits.hpp"
#include "channels/shard_update.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace chm::channels {
namespace {

/// How long an upstream's lack of repodata.json.zst, or of shards that can be used, is taken for
/// granted.
constexpr std::chrono::days k_recheck{7};

std::string folder_of(const IndexSource& source) {
    return fmt::format("{}/{}/", source.channel_url, source.subdir);
}

/// What is asked for, and why.
enum class Question {
    index,         // for the index in this form
    newer_plain,   // whether repodata.json is newer than the .bz2 that was taken
    shards_exist,  // of an upstream whose whole index is here
};

struct Step {
    Form form = Form::zstd;
    Question question = Question::index;
};

/// One source on its way through the rounds.
struct Attempt {
    std::vector<Step> steps;  // the next one last
    bool asked_zstd = false;
    bool past_caches = false;            // the next request is for an answer that was too old
    WallTime shards_checked = {};        // for the next state
    std::optional<FetchOutcome> so_far;  // good, but perhaps not the last word
    std::string last_modified;           // of what is so far
    std::optional<TransferResponse> shard_index;               // to be worked on between two rounds
    Result<FetchOutcome> none = FetchOutcome(MissingIndex{});  // the outcome when no form will do
    bool settled = false;
    Result<FetchOutcome> outcome = FetchOutcome(MissingIndex{});
};

/// Where zst is not to be had, bz2 comes before the plain file, which is five times as large. Only
/// where there is no whole form at all the shards of every name are fetched first.
std::vector<Step> steps_for(const IndexSource& source, WallTime now) {
    std::vector<Step> steps = {{Form::shards}, {Form::plain}, {Form::bzip2}, {Form::zstd}};
    if (!source.last) {
        return steps;
    }
    const auto ask_first = [&](Form form) {
        std::ranges::stable_partition(steps, [&](const Step& step) { return step.form != form; });
    };
    const bool lately = now - source.last->zstd_checked < k_recheck;
    for (const Form form : {Form::bzip2, Form::plain}) {
        if (lately && source.last->url == url_of(folder_of(source), form)) {
            ask_first(form);
        }
    }
    // What a shard is called says what it is, at whichever upstream.
    if (is_form(source.last->url, Form::shards)) {
        ask_first(Form::shards);
    }
    return steps;
}

TransferRequest make_request(const IndexSource& source, const Attempt& attempt) {
    const Step step = attempt.steps.back();
    TransferRequest request;
    request.url = url_of(folder_of(source), step.form);
    request.credentials = source.credentials;
    request.label = fmt::format("{}/{}/{}", source.channel.name, source.subdir, file_of(step.form));
    request.max_bytes = step.form == Form::shards ? k_max_shard_bytes : k_max_index_bytes;
    request.no_cache = attempt.past_caches;
    if (step.question == Question::newer_plain) {
        request.validators.last_modified = attempt.last_modified;
    } else if (step.question == Question::index && source.last && source.last->url == request.url) {
        request.validators = source.last->validators;
    }
    return request;
}

/// As it may be shown and stored: a redirect's query may be a signed ticket (S3), as secret as a
/// password.
std::string without_secrets(std::string_view url, const std::string& fallback) {
    const auto split = conda::split_credentials(url.substr(0, url.find_first_of("?#")));
    return split ? split->url : fallback;
}

/// Checks one index. `response` is the answer that it came with, without its body.
Result<FetchedIndex> accept(const IndexSource& source,
                            Form form,
                            std::string json,
                            TransferResponse response) {
    FetchedIndex index;
    index.json = std::move(json);
    CHM_TRY(index.summary, check_repodata(index.json, source.subdir));
    index.state.url = url_of(folder_of(source), form);
    index.state.validators = std::move(response.validators);
    index.state.index_sha256 = sha256(index.json);
    index.fetched_from = without_secrets(response.url, index.state.url);
    return index;
}

/// When a form of the index is older than the same form of the held one, also at another upstream:
/// mirrors keep the date of what they copy.
bool is_older(const IndexSource& source, Form form, const TransferResponse& response) {
    if (!source.last || source.accept_older || !is_form(source.last->url, form)) {
        return false;
    }
    const auto held = parse_http_date(source.last->validators.last_modified);
    const auto now = parse_http_date(response.validators.last_modified);
    return held && now && *now < *held;
}

Error older_error(const IndexSource& source,
                  const std::string& url,
                  const TransferResponse& response) {
    return {ErrorKind::network,
            fmt::format("{}: this index is of {}, older than the one that the mirror holds, of {} "
                        "(a cache or mirror that lags behind); the mirror is unchanged, run again "
                        "later; if upstream means it, sync with --accept-shrink",
                        url,
                        printable(response.validators.last_modified),
                        source.last->validators.last_modified)};
}

/// What an answer without a usable body means; none: status 200.
std::optional<Result<FetchOutcome>> judge_status(const TransferRequest& request, int status) {
    switch (status) {
        case 200:
            return std::nullopt;
        case 304:
            if (!request.validators.empty()) {
                return FetchOutcome(UnchangedIndex{});
            }
            return fail(
                ErrorKind::network,
                fmt::format("{}: answered 304 to a request without conditions", request.url));
        case 404:
        case 410:
            return FetchOutcome(MissingIndex{});
        case 401:
        case 403:
        case 407:
            return fail(
                ErrorKind::network,
                fmt::format("{}: access denied ({}); give credentials in the configured URL "
                            "or in ~/.netrc",
                            request.url,
                            status));
        default:
            return fail(
                ErrorKind::network,
                fmt::format("{}: unexpected answer {}; check the address", request.url, status));
    }
}

class IndexFetch {
public:
    IndexFetch(std::span<const IndexSource> sources, const FetchEdges& edges)
        : sources_(sources), edges_(edges), now_(edges.clock.wall()), attempts_(sources.size()) {
        for (std::size_t i = 0; i < sources.size(); ++i) {
            attempts_[i].steps = steps_for(sources[i], now_);
            if (sources[i].last) {
                attempts_[i].shards_checked = sources[i].last->shards_checked;
            }
        }
    }

    std::vector<Result<FetchOutcome>> run() {
        while (run_round()) {
            for (std::size_t i = 0; i < attempts_.size(); ++i) {
                if (attempts_[i].shard_index) {
                    take_shards(i);
                }
            }
        }
        std::vector<Result<FetchOutcome>> outcomes;
        for (Attempt& attempt : attempts_) {
            outcomes.push_back(std::move(attempt.outcome));
        }
        return outcomes;
    }

private:
    /// False when nothing is left to be asked.
    bool run_round() {
        std::vector<std::size_t> open;
        std::vector<TransferRequest> requests;
        for (std::size_t i = 0; i < attempts_.size(); ++i) {
            Attempt& attempt = attempts_[i];
            if (!attempt.settled) {
                attempt.asked_zstd |= attempt.steps.back().form == Form::zstd;
                open.push_back(i);
                requests.push_back(make_request(sources_[i], attempt));
            }
        }
        if (open.empty()) {
            return false;
        }
        auto responses = edges_.transport.fetch(requests, edges_.reporter, edges_.stop);
        // Judging decodes and parses hundreds of megabytes: on all cores. It cannot fail as a
        // whole.
        const auto judge_one = [&](std::size_t i) -> Result<> {
            judge(open[i], requests[i], std::move(responses[i]));
            return {};
        };
        static_cast<void>(for_each_parallel(open.size(), default_threads(), judge_one));
        return true;
    }

    void judge(std::size_t i, const TransferRequest& request, Result<TransferResponse> response) {
        Attempt& attempt = attempts_[i];
        const Step step = attempt.steps.back();
        const bool usable = response && (response->status == 200 || response->status == 304);
        if (step.question != Question::index && (!usable || response->status == 304)) {
            finish_question(attempt, step);
            return;
        }
        if (!response && step.form == Form::shards &&
            response.error().kind == ErrorKind::integrity) {
            take_whole_instead(attempt, response.error());
            return;
        }
        if (!response) {
            settle(attempt, fail(std::move(response).error()));
            return;
        }
        if (!usable) {
            take_next_form(attempt, request, step.form, response->status);
            return;
        }
        if (response->status == 304) {
            take_unchanged(i, request, step);
            return;
        }
        if (step.question == Question::index && is_older(sources_[i], step.form, *response) &&
            !attempt.past_caches) {
            edges_.reporter.detail(
                fmt::format("{}: older than what is held; asking past the caches", request.url));
            attempt.past_caches = true;
            return;
        }
        if (step.form == Form::shards) {
            attempt.shard_index = std::move(*response);
            return;
        }
        take_body(i, request, step, std::move(*response));
    }

    /// Stores and proxies answer 401, 403, 404 or 501 for a form they do not have; what they say of
    /// the plain one decides.
    static void take_next_form(Attempt& attempt,
                               const TransferRequest& request,
                               Form form,
                               int status) {
        if (form == Form::plain) {
            attempt.none = *judge_status(request, status);
        }
        drop_step(attempt);
    }

    void take_unchanged(std::size_t i, const TransferRequest& request, Step step) {
        const IndexSource& source = sources_[i];
        Attempt& attempt = attempts_[i];
        auto judged = *judge_status(request, 304);
        const bool news = attempt.asked_zstd && step.form != Form::zstd;
        if (judged && news) {
            UnchangedIndex unchanged{source.last};
            unchanged.state->zstd_checked = now_;
            judged = FetchOutcome(std::move(unchanged));
        }
        // Once a week: a .bz2 that nobody writes any more stays as it is for ever.
        if (judged && news && step.form == Form::bzip2) {
            attempt.so_far = std::move(*judged);
            attempt.last_modified = source.last->validators.last_modified;
            ask_about_plain(attempt);
            return;
        }
        settle(attempt, std::move(judged));
    }

    void take_body(std::size_t i,
                   const TransferRequest& request,
                   Step step,
                   TransferResponse response) {
        const IndexSource& source = sources_[i];
        Attempt& attempt = attempts_[i];
        const bool older =
            step.question == Question::index && is_older(source, step.form, response);
        const Error too_old = older ? older_error(source, request.url, response) : Error();
        attempt.last_modified = response.validators.last_modified;
        attempt.past_caches = false;
        const std::uint64_t bytes = response.body.size();
        auto json = decode(step.form, std::move(response.body));
        auto index = json ? accept(source, step.form, std::move(*json), std::move(response))
                          : Result<FetchedIndex>(fail(std::move(json).error()));
        if (!index) {
            take_other_form(attempt, step, with_context(std::move(index).error(), request.url));
            return;
        }
        const bool changed = source.last && source.last->index_sha256 != index->state.index_sha256;
        if (older && changed) {
            settle(attempt, fail(too_old));
            return;
        }
        index->state.zstd_checked =
            attempt.asked_zstd || !source.last ? now_ : source.last->zstd_checked;
        index->state.whole_bytes = bytes;
        attempt.so_far = FetchOutcome(std::move(*index));
        // Shards are worth a question of an index that changes.
        if (changed && !is_form(source.last->url, Form::shards) &&
            now_ - attempt.shards_checked >= k_recheck) {
            attempt.steps = {{Form::shards, Question::shards_exist}};
        } else {
            attempt.steps.clear();
        }
        if (step.form == Form::bzip2) {
            ask_about_plain(attempt);
        }
        settle_if_done(attempt);
    }

    /// A .bz2 is often the leftover of an older indexer, and the plain file goes on without it.
    static void ask_about_plain(Attempt& attempt) {
        std::erase_if(attempt.steps,
                      [](const Step& step) { return step.question == Question::index; });
        if (!attempt.last_modified.empty()) {
            attempt.steps.push_back({Form::plain, Question::newer_plain});
        }
        settle_if_done(attempt);
    }

    /// What a damaged body leads to.
    void take_other_form(Attempt& attempt, Step step, Error error) {
        if (step.question == Question::newer_plain) {
            edges_.reporter.warn(error.message + "; taking repodata.json.bz2 instead");
            finish_question(attempt, step);
            return;
        }
        if (step.form == Form::plain) {
            error.message += "; tell the upstream's maintainers, or choose another upstream";
            settle(attempt, fail(std::move(error)));
            return;
        }
        edges_.reporter.warn(error.message + "; taking repodata.json instead");
        std::ranges::stable_partition(attempt.steps,
                                      [](const Step& s) { return s.form != Form::plain; });
        std::erase_if(attempt.steps, [&](const Step& s) { return s.form == step.form; });
        settle_if_done(attempt);
    }

    /// The answer to a question that is no news: what is so far stays.
    void finish_question(Attempt& attempt, Step step) {
        if (step.question == Question::shards_exist) {
            attempt.shards_checked = now_;
        }
        drop_step(attempt);
    }

    /// Something about shards is wrong.
    void take_whole_instead(Attempt& attempt, const Error& error) {
        edges_.reporter.warn(error.message + "; taking the whole index instead");
        attempt.shards_checked = now_;
        attempt.none = fail(error);
        drop_step(attempt);
    }

    /// The index out of shards, or on with what there is without them.
    void take_shards(std::size_t i) {
        Attempt& attempt = attempts_[i];
        TransferResponse response = std::move(*attempt.shard_index);
        attempt.shard_index.reset();
        attempt.past_caches = false;
        const Step step = attempt.steps.back();
        if (step.question == Question::index && is_older(sources_[i], step.form, response)) {
            settle(attempt,
                   fail(older_error(
                       sources_[i], url_of(folder_of(sources_[i]), step.form), response)));
            return;
        }
        auto index = update(sources_[i], attempt, std::move(response));
        if (!index && index.error().kind == ErrorKind::interrupted) {
            settle(attempt, fail(std::move(index).error()));
        } else if (!index) {
            take_whole_instead(attempt, index.error());
        } else if (*index) {
            settle(attempt, FetchOutcome(std::move(**index)));
        } else {
            finish_question(attempt, step);
        }
    }

    /// None when the whole index is to be taken.
    Result<std::optional<FetchedIndex>> update(const IndexSource& source,
                                               Attempt& attempt,
                                               TransferResponse response) {
        ShardUpdate update;
        update.folder = folder_of(source);
        update.credentials = source.credentials;
        update.label = fmt::format("{}/{}", source.channel.name, source.subdir);
        update.shard_index = response.body;
        HeldIndex held;
        if (attempt.so_far) {  // the whole index has just come
            auto& whole = std::get<FetchedIndex>(*attempt.so_far);
            update.held = &whole.json;
            update.whole_bytes = whole.state.whole_bytes;
        } else if (source.last && source.held) {
            CHM_TRY(held, source.held());
            update.held = &held.json;
            update.known = std::move(held.shards);
            update.whole_bytes = source.last->whole_bytes;
        }
        CHM_TRY(auto assembled,
                update_from_shards(update, edges_.transport, edges_.reporter, edges_.stop));
        if (!assembled) {
            return std::optional<FetchedIndex>();
        }
        response.body.clear();
        auto index = accept(source, Form::shards, std::move(assembled->json), std::move(response));
        if (!index) {
            return fail(
                with_context(std::move(index).error(), url_of(update.folder, Form::shards)));
        }
        index->state.zstd_checked = now_;
        index->state.whole_bytes = update.whole_bytes;
        index->shards = std::move(assembled->shards);
        return std::optional(std::move(*index));
    }

    static void drop_step(Attempt& attempt) {
        attempt.past_caches = false;
        attempt.steps.pop_back();
        settle_if_done(attempt);
    }

    static void settle_if_done(Attempt& attempt) {
        if (!attempt.steps.empty() || attempt.settled) {
            return;
        }
        if (!attempt.so_far) {
            settle(attempt, std::move(attempt.none));
            return;
        }
        if (auto* fetched = std::get_if<FetchedIndex>(&*attempt.so_far)) {
            fetched->state.shards_checked = attempt.shards_checked;
        }
        settle(attempt, std::move(*attempt.so_far));
    }

    static void settle(Attempt& attempt, Result<FetchOutcome> outcome) {
        attempt.outcome = std::move(outcome);
        attempt.settled = true;
    }

    std::span<const IndexSource> sources_;
    const FetchEdges& edges_;
    WallTime now_;
    std::vector<Attempt> attempts_;
};

}  // namespace

std::vector<Result<FetchOutcome>> fetch_each_index(std::span<const IndexSource> sources,
                                                   const FetchEdges& edges) {
    return IndexFetch(sources, edges).run();
}

Result<std::vector<FetchOutcome>> all_or_first_error(std::vector<Result<FetchOutcome>> outcomes,
                                                     Reporter& reporter) {
    std::vector<FetchOutcome> good;
    std::vector<Error> errors;
    for (auto& outcome : outcomes) {
        if (outcome) {
            good.push_back(std::move(*outcome));
        } else {
            errors.push_back(std::move(outcome).error());
        }
    }
    if (errors.empty()) {
        return good;
    }
    for (std::size_t i = 1; i < errors.size(); ++i) {
        reporter.detail(errors[i].message);
    }
    if (errors.size() > 1 && errors.front().kind != ErrorKind::interrupted) {
        errors.front().message +=
            fmt::format(" ({} more failed too; -v names them)", errors.size() - 1);
    }
    return fail(std::move(errors.front()));
}

Result<std::vector<FetchOutcome>> fetch_indexes(std::span<const IndexSource> sources,
                                                const FetchEdges& edges) {
    return all_or_first_error(fetch_each_index(sources, edges), edges.reporter);
}

}  // namespace chm::channels
