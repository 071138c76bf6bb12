// Two rounds: the preferred form of every index, then the plain form of those whose .zst was absent
// or damaged.
#include "channels/fetch.hpp"

#include "base/text.hpp"
#include "base/workers.hpp"
#include "base/zstd.hpp"
#include "channels/limits.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace chm::channels {
namespace {

/// How long an upstream's lack of repodata.json.zst is taken for granted.
constexpr std::chrono::days k_recheck_zstd{7};

enum class Form { zstd, plain };

std::string url_of(const IndexSource& source, Form form) {
    return fmt::format("{}/{}/repodata.json{}",
                       source.channel_url,
                       source.subdir,
                       form == Form::zstd ? ".zst" : "");
}

/// One source on its way through the rounds.
struct Attempt {
    Form form = Form::zstd;
    bool asked_zstd = false;
    bool settled = false;
    Result<FetchOutcome> outcome = FetchOutcome(MissingIndex{});
};

Form first_form(const IndexSource& source, WallTime now) {
    const bool plain_last_time = source.last && source.last->url == url_of(source, Form::plain);
    return plain_last_time && now - source.last->zstd_checked < k_recheck_zstd ? Form::plain
                                                                               : Form::zstd;
}

TransferRequest make_request(const IndexSource& source, Form form) {
    TransferRequest request;
    request.url = url_of(source, form);
    request.credentials = source.credentials;
    request.label = fmt::format("{}/{}/repodata.json{}",
                                source.channel.name,
                                source.subdir,
                                form == Form::zstd ? ".zst" : "");
    request.max_bytes = k_max_index_bytes;
    if (source.last && source.last->url == request.url) {
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

/// Decodes and checks one body.
Result<FetchedIndex> accept(const IndexSource& source, Form form, TransferResponse response) {
    FetchedIndex index;
    if (form == Form::zstd) {
        CHM_TRY(index.json, zstd_decompress(response.body, {k_max_index_bytes}));
    } else {
        index.json = std::move(response.body);
    }
    CHM_TRY(index.summary, check_repodata(index.json, source.subdir));
    index.state.url = url_of(source, form);
    index.state.validators = std::move(response.validators);
    index.state.index_sha256 = sha256(index.json);
    index.fetched_from = without_secrets(response.url, index.state.url);
    return index;
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
            attempts_[i].form = first_form(sources[i], now_);
        }
    }

    std::vector<Result<FetchOutcome>> run() {
        run_round();
        for (Attempt& attempt : attempts_) {
            if (!attempt.settled) {
                attempt.form = Form::plain;
            }
        }
        run_round();
        std::vector<Result<FetchOutcome>> outcomes;
        for (Attempt& attempt : attempts_) {
            outcomes.push_back(std::move(attempt.outcome));
        }
        return outcomes;
    }

private:
    void run_round() {
        std::vector<std::size_t> open;
        std::vector<TransferRequest> requests;
        for (std::size_t i = 0; i < attempts_.size(); ++i) {
            if (!attempts_[i].settled) {
                attempts_[i].asked_zstd |= attempts_[i].form == Form::zstd;
                open.push_back(i);
                requests.push_back(make_request(sources_[i], attempts_[i].form));
            }
        }
        if (open.empty()) {
            return;
        }
        auto responses = edges_.transport.fetch(requests, edges_.reporter, edges_.stop);
        // Judging decodes and parses hundreds of megabytes: on all cores. It cannot fail as a
        // whole.
        const auto judge_one = [&](std::size_t i) -> Result<> {
            judge(open[i], requests[i], std::move(responses[i]));
            return {};
        };
        static_cast<void>(for_each_parallel(open.size(), default_threads(), judge_one));
    }

    void judge(std::size_t i, const TransferRequest& request, Result<TransferResponse> response) {
        const IndexSource& source = sources_[i];
        Attempt& attempt = attempts_[i];
        if (!response) {
            settle(attempt, fail(std::move(response).error()));
            return;
        }
        // Stores and proxies answer 401, 403, 404 or 501 for a form they do not have; the plain one
        // then decides.
        const bool zstd = attempt.form == Form::zstd;
        if (zstd && response->status != 200 && response->status != 304) {
            return;
        }
        if (auto judged = judge_status(request, response->status)) {
            if (*judged && std::holds_alternative<UnchangedIndex>(**judged) && attempt.asked_zstd &&
                !zstd) {
                judged = FetchOutcome(UnchangedIndex{source.last});
                std::get<UnchangedIndex>(**judged).state->zstd_checked = now_;
            }
            settle(attempt, std::move(*judged));
            return;
        }
        auto index = accept(source, attempt.form, std::move(*response));
        if (index) {
            index->state.zstd_checked =
                attempt.asked_zstd || !source.last ? now_ : source.last->zstd_checked;
            settle(attempt, FetchOutcome(std::move(*index)));
            return;
        }
        Error error = with_context(std::move(index).error(), request.url);
        if (zstd) {
            edges_.reporter.warn(error.message + "; taking repodata.json instead");
            return;
        }
        error.message += "; tell the upstream's maintainers, or choose another upstream";
        settle(attempt, fail(std::move(error)));
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
