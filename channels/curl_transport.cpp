// One curl_multi loop. Each request is a Job that lives through its tries; a failed one waits in
// `delayed_` until its time comes. Everything runs in the caller's thread: the only thing another
// thread does is curl_multi_wakeup on stop.
#include "channels/curl_transport.hpp"

#include "base/text.hpp"
#include "conda/channel.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <random>
#include <utility>

namespace chm::channels {
namespace {

using std::chrono::milliseconds;

struct EasyDeleter {
    void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct MultiDeleter {
    void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
struct ListDeleter {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using EasyHandle = std::unique_ptr<CURL, EasyDeleter>;
using MultiHandle = std::unique_ptr<CURLM, MultiDeleter>;
using HeaderList = std::unique_ptr<curl_slist, ListDeleter>;

/// curl_global_init is not safe to run twice at once; a function-local static is.
bool initialise_curl() {
    static const bool ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    return ready;
}

struct Job {
    const TransferRequest* request = nullptr;
    std::size_t index = 0;
    TransferId id = 0;
    Reporter* reporter = nullptr;
    unsigned tries = 0;

    // Of the try in flight:
    EasyHandle easy;
    HeaderList headers;
    TransferResponse response;
    std::optional<std::string> retry_after;
    bool too_long = false;
    std::array<char, CURL_ERROR_SIZE> error_text{};
};

std::optional<std::uint64_t> expected_bytes(CURL* easy) {
    curl_off_t length = -1;
    curl_easy_getinfo(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    return length >= 0 ? std::optional(static_cast<std::uint64_t>(length)) : std::nullopt;
}

std::size_t on_body(char* data, std::size_t /*always 1*/, std::size_t size, void* user) {
    Job& job = *static_cast<Job*>(user);
    if (job.response.body.size() + size > job.request->max_bytes) {
        job.too_long = true;
        return CURL_WRITEFUNC_ERROR;
    }
    job.response.body.append(data, size);
    job.reporter->report(
        TransferMoved{job.id, job.response.body.size(), expected_bytes(job.easy.get())});
    return size;
}

/// libcurl has one code for a file that is missing and one that may not be read; only the first is an
/// answer. What cannot be looked at is taken to exist, so that it is an error.
bool file_exists(std::string_view url) {
    const auto path = conda::percent_decode(url.substr(std::string_view("file://").size()));
    std::error_code error;
    const auto type =
        path ? std::filesystem::status(*path, error).type() : std::filesystem::file_type::none;
    return type != std::filesystem::file_type::not_found;
}

/// With conda's token, if any, behind the host: https://HOST/t/TOKEN/PATH.
std::string url_to_send(const TransferRequest& request) {
    std::string url = request.url;
    if (request.credentials.token) {
        const std::size_t path = url.find('/', url.find("://") + 3);
        url.insert(std::min(path, url.size()), "/t/" + request.credentials.token->reveal());
    }
    return url;
}

bool take_header(std::string_view line, std::string_view name, std::string& value) {
    if (line.size() <= name.size() || line[name.size()] != ':' ||
        !std::equal(name.begin(), name.end(), line.begin(), [](char wanted, char seen) {
            return wanted == (seen >= 'A' && seen <= 'Z' ? static_cast<char>(seen + 32) : seen);
        })) {
        return false;
    }
    value = trim(line.substr(name.size() + 1));
    return true;
}

std::size_t on_header(char* data, std::size_t /*always 1*/, std::size_t size, void* user) {
    Job& job = *static_cast<Job*>(user);
    const std::string_view line(data, size);
    if (line.starts_with("HTTP/")) {  // a new answer: what a redirect said no longer counts
        job.response.validators = {};
        job.retry_after.reset();
        return size;
    }
    std::string value;
    if (take_header(line, "etag", value)) {
        job.response.validators.etag = value;
    } else if (take_header(line, "last-modified", value)) {
        job.response.validators.last_modified = value;
    } else if (take_header(line, "retry-after", value)) {
        job.retry_after = value;
    }
    return size;
}

class CurlTransport final : public Transport {
public:
    CurlTransport(const CurlOptions& options, const Clock& clock)
        : options_(options), clock_(clock) {}

    std::vector<Result<TransferResponse>> fetch(std::span<const TransferRequest> requests,
                                                Reporter& reporter,
                                                std::stop_token stop) override;

private:
    friend class Batch;
    CurlOptions options_;
    const Clock& clock_;
    TransferId next_id_ = 1;
    std::minstd_rand random_{std::random_device{}()};
};

/// One call of fetch().
class Batch {
public:
    Batch(CurlTransport& transport, std::span<const TransferRequest> requests, Reporter& reporter);

    std::vector<Result<TransferResponse>> run(const std::stop_token& stop);

private:
    struct Delayed {
        SteadyTime due;
        Job* job;
    };

    void start_more();
    void start(Job& job);
    void set_options(Job& job);
    void set_headers(Job& job);
    void finish(Job& job, CURLcode code);
    void try_again_or_fail(Job& job, CURLcode code, int status);
    void end(Job& job, Result<TransferResponse> result);
    void start_due();
    void collect_finished();
    [[nodiscard]] int poll_timeout_ms() const;
    [[nodiscard]] bool done() const { return ended_ == jobs_.size(); }

    CurlTransport& transport_;
    Reporter& reporter_;
    std::deque<Job> jobs_;  // stable addresses
    std::deque<Job*> waiting_;
    std::vector<Delayed> delayed_;
    std::size_t running_ = 0;
    std::size_t ended_ = 0;
    std::vector<Result<TransferResponse>> results_;
    MultiHandle multi_;  // last: goes before the easy handles it holds are freed
};

Batch::Batch(CurlTransport& transport,
             std::span<const TransferRequest> requests,
             Reporter& reporter)
    : transport_(transport), reporter_(reporter) {
    for (std::size_t i = 0; i < requests.size(); ++i) {
        Job& job = jobs_.emplace_back();
        job.request = &requests[i];
        job.index = i;
        job.id = transport_.next_id_++;
        job.reporter = &reporter;
        waiting_.push_back(&job);
        results_.emplace_back(TransferResponse{});
    }
}

std::vector<Result<TransferResponse>> Batch::run(const std::stop_token& stop) {
    multi_.reset(initialise_curl() ? curl_multi_init() : nullptr);
    if (!multi_) {
        for (auto& result : results_) {
            result = fail(ErrorKind::internal, "libcurl cannot be initialised");
        }
        return std::move(results_);
    }
    const std::stop_callback wake(stop, [this] { curl_multi_wakeup(multi_.get()); });
    while (!done() && !stop.stop_requested()) {
        start_due();
        start_more();
        int in_flight = 0;
        curl_multi_perform(multi_.get(), &in_flight);
        collect_finished();
        if (!done()) {
            curl_multi_poll(multi_.get(), nullptr, 0, poll_timeout_ms(), nullptr);
        }
    }
    for (Job& job : jobs_) {  // only after a stop: whatever has not ended
        if (job.easy) {
            curl_multi_remove_handle(multi_.get(), job.easy.get());
        }
        if (job.request != nullptr) {
            end(job, fail(ErrorKind::interrupted, job.request->url + ": interrupted"));
        }
    }
    return std::move(results_);
}

void Batch::start_more() {
    while (running_ < transport_.options_.connections && !waiting_.empty()) {
        Job* job = waiting_.front();
        waiting_.pop_front();
        start(*job);
    }
}

void Batch::start(Job& job) {
    const TransferRequest& request = *job.request;
    if (transport_.options_.offline && !request.url.starts_with("file:")) {
        end(job,
            fail(ErrorKind::network,
                 fmt::format("{}: not fetched, because of --offline", request.url)));
        return;
    }
    if (job.tries == 0) {
        reporter_.report(TransferBegan{job.id, request.label, std::nullopt});
    }
    ++job.tries;
    job.response = {};
    job.retry_after.reset();
    job.too_long = false;
    job.error_text.fill('\0');
    job.easy.reset(curl_easy_init());
    if (!job.easy) {
        end(job, fail(ErrorKind::internal, "libcurl is out of memory"));
        return;
    }
    set_options(job);
    set_headers(job);
    curl_multi_add_handle(multi_.get(), job.easy.get());
    ++running_;
}

void Batch::set_options(Job& job) {
    CURL* easy = job.easy.get();
    const CurlOptions& options = transport_.options_;
    const bool https = job.request->url.starts_with("https:");
    curl_easy_setopt(easy, CURLOPT_URL, url_to_send(*job.request).c_str());
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https,file");
    curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, https ? "https" : "http,https");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(easy, CURLOPT_MAXREDIRS, 8L);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "chanmirror/" CHM_VERSION);
    curl_easy_setopt(easy, CURLOPT_NETRC, CURL_NETRC_OPTIONAL);
    curl_easy_setopt(
        easy, CURLOPT_CONNECTTIMEOUT, static_cast<long>(options.connect_timeout.count()));
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(
        easy, CURLOPT_LOW_SPEED_TIME, static_cast<long>(options.stall_timeout.count()));
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, job.error_text.data());
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &job);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, &job);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, &job);
    if (job.request->credentials.user_password) {
        const std::string& secret = job.request->credentials.user_password->reveal();
        curl_easy_setopt(easy, CURLOPT_USERPWD, secret.c_str());
    }
}

void Batch::set_headers(Job& job) {
    const Validators& validators = job.request->validators;
    curl_slist* list = nullptr;
    if (!validators.etag.empty()) {
        list = curl_slist_append(list, ("If-None-Match: " + validators.etag).c_str());
    } else if (!validators.last_modified
                    .empty()) {  // RFC 9110 §13.1.3: ignored beside If-None-Match
        list = curl_slist_append(list, ("If-Modified-Since: " + validators.last_modified).c_str());
    }
    job.headers.reset(list);
    curl_easy_setopt(job.easy.get(), CURLOPT_HTTPHEADER, list);
}

void Batch::collect_finished() {
    int left = 0;
    while (CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
        if (message->msg != CURLMSG_DONE) {
            continue;
        }
        const CURLcode code =
            message->data.result;  // read before the handle, and so the message, goes
        Job* job = nullptr;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &job);
        curl_multi_remove_handle(multi_.get(), job->easy.get());
        --running_;
        finish(*job, code);
    }
}

void Batch::finish(Job& job, CURLcode code) {
    const TransferRequest& request = *job.request;
    if (job.too_long) {
        end(job,
            fail(ErrorKind::integrity,
                 fmt::format("{}: longer than {}, which is more than such a file may be",
                             request.url,
                             human_bytes(request.max_bytes))));
        return;
    }
    long status = 0;
    char* url = nullptr;
    curl_easy_getinfo(job.easy.get(), CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(job.easy.get(), CURLINFO_EFFECTIVE_URL, &url);
    const auto shown = conda::split_credentials(url != nullptr ? url : request.url);
    job.response.url = shown ? shown->url : request.url;
    if (request.url.starts_with("file:")) {
        const bool missing = code == CURLE_FILE_COULDNT_READ_FILE && !file_exists(request.url);
        status = code == CURLE_OK ? 200 : (missing ? 404 : 0);
        code = missing ? CURLE_OK : code;
    }
    job.response.status = static_cast<int>(status);
    if (code == CURLE_OK && !is_passing_status(job.response.status)) {
        end(job, std::move(job.response));
        return;
    }
    try_again_or_fail(job, code, job.response.status);
}

/// Faults that the next try will meet again: the request or the server is wrong, not the moment.
bool is_lasting(CURLcode code) {
    static constexpr std::array k_lasting = {CURLE_UNSUPPORTED_PROTOCOL,
                                             CURLE_FILE_COULDNT_READ_FILE,
                                             CURLE_URL_MALFORMAT,
                                             CURLE_TOO_MANY_REDIRECTS,
                                             CURLE_PEER_FAILED_VERIFICATION,
                                             CURLE_SSL_CACERT_BADFILE,
                                             CURLE_SSL_CERTPROBLEM,
                                             CURLE_LOGIN_DENIED,
                                             CURLE_OUT_OF_MEMORY};
    return std::find(k_lasting.begin(), k_lasting.end(), code) != k_lasting.end();
}

void Batch::try_again_or_fail(Job& job, CURLcode code, int status) {
    FailedTry failed;
    failed.number = job.tries;
    failed.jitter = std::uniform_real_distribution<>(0.0, 1.0)(transport_.random_);
    if (job.retry_after) {
        failed.retry_after = parse_retry_after(*job.retry_after, transport_.clock_.wall());
    }
    const std::string what = code != CURLE_OK
                                 ? (job.error_text[0] != '\0' ? std::string(job.error_text.data())
                                                              : curl_easy_strerror(code))
                                 : fmt::format("the server answered {}", status);
    const auto delay =
        is_lasting(code) ? std::nullopt : retry_delay(transport_.options_.retry, failed);
    if (delay) {
        reporter_.detail(fmt::format("{}: {}; trying again in {}",
                                     job.request->url,
                                     printable(what),
                                     human_duration(*delay)));
        delayed_.push_back({transport_.clock_.steady() + *delay, &job});
        return;
    }
    const std::string tries = job.tries > 1 ? fmt::format(" ({} tries)", job.tries) : "";
    const std::string asked =
        failed.retry_after && job.tries <= transport_.options_.retry.retries
            ? fmt::format(" and asked to wait {}", human_duration(*failed.retry_after))
            : "";
    end(job,
        fail(ErrorKind::network,
             fmt::format("{}: {}{}{}; check the address and the network, then run again",
                         job.request->url,
                         printable(what),
                         asked,
                         tries)));
}

void Batch::end(Job& job, Result<TransferResponse> result) {
    auto outcome = TransferOutcome::failed;
    std::uint64_t bytes = 0;
    if (result) {
        bytes = result->body.size();
        outcome = result->status == 304   ? TransferOutcome::unchanged
                  : result->status == 200 ? TransferOutcome::done
                                          : TransferOutcome::missing;
    }
    if (job.tries > 0) {
        reporter_.report(TransferEnded{job.id, outcome, bytes});
    }
    results_[job.index] = std::move(result);
    job.easy.reset();
    job.headers.reset();
    job.request = nullptr;
    ++ended_;
}

void Batch::start_due() {
    const SteadyTime now = transport_.clock_.steady();
    std::erase_if(delayed_, [&](const Delayed& delayed) {
        if (delayed.due > now) {
            return false;
        }
        waiting_.push_back(delayed.job);
        return true;
    });
}

/// At most 200 ms, so that a terminal's rate and ETA stay alive while nothing arrives.
int Batch::poll_timeout_ms() const {
    milliseconds wait{200};
    for (const Delayed& delayed : delayed_) {
        wait = std::min(wait,
                        std::chrono::ceil<milliseconds>(delayed.due - transport_.clock_.steady()));
    }
    return static_cast<int>(std::max(wait, milliseconds{0}).count());
}

std::vector<Result<TransferResponse>> CurlTransport::fetch(
    std::span<const TransferRequest> requests, Reporter& reporter, std::stop_token stop) {
    return Batch(*this, requests, reporter).run(stop);
}

}  // namespace

std::unique_ptr<Transport> make_curl_transport(const CurlOptions& options, const Clock& clock) {
    return std::make_unique<CurlTransport>(options, clock);
}

}  // namespace chm::channels
