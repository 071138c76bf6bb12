// One curl_multi loop. Each request is a Job that lives through its tries; a failed one waits in
// `delayed_` until its time comes. Everything runs in the caller's thread: the only thing another
// thread does is curl_multi_wakeup on stop.
#include "channels/curl_transport.hpp"

#include "base/text.hpp"
#include "channels/body_delivery.hpp"
#include "conda/channel.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <map>
#include <random>
#include <utility>

namespace chm::channels {
namespace {

using std::chrono::milliseconds;

constexpr unsigned k_given_up_limit = 4;
/// Bytes a second that one transfer gets at least where the rate is limited.
constexpr std::uint64_t k_least_share = 10'000;
/// Per transfer to a sink: libcurl's own 16 kB make a system call of each; curl(1) takes 100 kB too.
constexpr long k_large_buffer = 128L << 10;

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

struct Job;

/// A request on the wire. Apart from Job, since a batch has thousands of those and few of these.
struct Try {
    explicit Try(Job& owner) : job(&owner) {}

    Job* job;
    EasyHandle easy;
    HeaderList headers;
    TransferResponse response;
    std::optional<std::string> retry_after;
    std::string content_range;
    std::optional<BodyDelivery> delivery;  // where the request has a sink
    std::optional<Error> refused;          // by the sink, or because the body is too long
    std::array<char, CURL_ERROR_SIZE> error_text{};
};

struct Job {
    const TransferRequest* request = nullptr;  // none: it has ended
    std::size_t index = 0;
    TransferId id = 0;
    Reporter* reporter = nullptr;
    unsigned tries = 0;
    FailureCount failures;
    std::unique_ptr<Try> now;  // the try in flight
};

bool is_file(const TransferRequest& request) {
    return request.url.starts_with("file:");
}

std::optional<std::uint64_t> expected_bytes(CURL* easy) {
    curl_off_t length = -1;
    curl_easy_getinfo(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    return length >= 0 ? std::optional(static_cast<std::uint64_t>(length)) : std::nullopt;
}

/// What the answer to `current` says so far.
BodyHead head_of(const Try& current) {
    BodyHead head;
    long status = 0;
    curl_easy_getinfo(current.easy.get(), CURLINFO_RESPONSE_CODE, &status);
    head.status = static_cast<int>(status);
    head.content_range = current.content_range;
    head.content_length = expected_bytes(current.easy.get());
    head.etag = current.response.validators.etag;
    return head;
}

/// A file has no head; libcurl starts where it was told to and gives the length of the rest.
BodyHead head_of_file(const Try& current, std::string& content_range) {
    BodyHead head = head_of(current);
    const std::uint64_t from = current.delivery->asked().offset;
    head.status = from > 0 ? 206 : 200;
    if (const std::uint64_t rest = head.content_length.value_or(0); from > 0 && rest > 0) {
        content_range = fmt::format("bytes {}-{}/{}", from, from + rest - 1, from + rest);
        head.content_range = content_range;
    }
    return head;
}

std::size_t deliver(Try& current, std::string_view bytes) {
    std::string made_up;
    const BodyHead head =
        is_file(*current.job->request) ? head_of_file(current, made_up) : head_of(current);
    BodyDelivery& delivery = *current.delivery;
    if (auto taken = delivery.take(head, std::as_bytes(std::span(bytes))); !taken) {
        current.refused = std::move(taken).error();
        return CURL_WRITEFUNC_ERROR;
    }
    if (delivery.is_dropping_too_much()) {
        return CURL_WRITEFUNC_ERROR;
    }
    current.job->reporter->report(
        TransferMoved{current.job->id, delivery.position(), delivery.total()});
    return bytes.size();
}

std::size_t on_body(char* data, std::size_t /*always 1*/, std::size_t size, void* user) {
    Try& current = *static_cast<Try*>(user);
    const Job& job = *current.job;
    if (current.delivery) {
        return deliver(current, {data, size});
    }
    std::string& body = current.response.body;
    if (body.size() + size > job.request->max_bytes) {
        current.refused = Error{ErrorKind::integrity,
                                fmt::format("longer than {}, which is more than such a file may be",
                                            human_bytes(job.request->max_bytes))};
        return CURL_WRITEFUNC_ERROR;
    }
    body.append(data, size);
    job.reporter->report(TransferMoved{job.id, body.size(), expected_bytes(current.easy.get())});
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
    Try& current = *static_cast<Try*>(user);
    const std::string_view line(data, size);
    if (line.starts_with("HTTP/")) {  // a new answer: what a redirect said no longer counts
        current.response.validators = {};
        current.retry_after.reset();
        current.content_range.clear();
        return size;
    }
    std::string value;
    if (take_header(line, "etag", value)) {
        current.response.validators.etag = value;
    } else if (take_header(line, "last-modified", value)) {
        current.response.validators.last_modified = value;
    } else if (take_header(line, "retry-after", value)) {
        current.retry_after = value;
    } else if (take_header(line, "content-range", value)) {
        current.content_range = value;
    }
    return size;
}

std::string host_of(const TransferRequest& request) {
    const auto parts = conda::split_url(request.url);
    return parts ? conda::normal_authority(*parts) : std::string();
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
    void set_options(const Job& job);
    void set_connection_options(const Job& job);
    void share_rate();
    [[nodiscard]] long buffer_size(const Job& job) const;
    [[nodiscard]] std::uint64_t max_transfers() const;
    void set_body_options(const Job& job);
    void set_headers(const Job& job);
    void finish(Job& job, CURLcode code);
    [[nodiscard]] static bool finish_body(Try& current, CURLcode& code);
    void try_again_or_fail(Job& job, CURLcode code);
    void give_up(Job& job, CURLcode code, const std::string& why);
    void watch_host(const Job& job, bool reached);
    [[nodiscard]] bool is_host_away(const Job& job) const;
    [[nodiscard]] bool wait_for_host(Job& job);
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
    std::map<std::string, unsigned> given_up_;  // per host: jobs in a row that did not reach it
    std::map<std::string, SteadyTime> quiet_until_;  // per host: it has asked to be left alone
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
    curl_multi_setopt(multi_.get(),
                      CURLMOPT_MAX_HOST_CONNECTIONS,
                      static_cast<long>(transport_.options_.connections_per_host));
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
        if (job.now) {
            curl_multi_remove_handle(multi_.get(), job.now->easy.get());
            if (job.now->delivery) {
                static_cast<void>(job.now->delivery->abandon());
            }
        }
        if (job.request != nullptr) {
            end(job, fail(ErrorKind::interrupted, job.request->url + ": interrupted"));
        }
    }
    return std::move(results_);
}

void Batch::start_more() {
    while (running_ < max_transfers() && !waiting_.empty()) {
        Job* job = waiting_.front();
        waiting_.pop_front();
        start(*job);
    }
}

void Batch::start(Job& job) {
    const TransferRequest& request = *job.request;
    if (transport_.options_.offline && !is_file(request)) {
        end(job,
            fail(ErrorKind::network,
                 fmt::format("{}: not fetched, because of --offline", request.url)));
        return;
    }
    if (is_host_away(job)) {
        end(job,
            fail(ErrorKind::network,
                 fmt::format("{}: not tried (any more), since its host could not be reached for "
                             "other files; check the network, then run again",
                             request.url)));
        return;
    }
    if (wait_for_host(job)) {
        return;
    }
    if (job.tries == 0) {
        reporter_.report(TransferBegan{job.id, request.label, request.expected_bytes});
    }
    ++job.tries;
    job.now = std::make_unique<Try>(job);
    job.now->easy.reset(curl_easy_init());
    if (!job.now->easy) {
        end(job, fail(ErrorKind::internal, "libcurl is out of memory"));
        return;
    }
    if (request.sink != nullptr) {
        job.now->delivery.emplace(*request.sink);
        if (job.tries == 1) {
            job.failures.start_from(job.now->delivery->position());
        }
    }
    set_options(job);
    set_connection_options(job);
    set_body_options(job);
    set_headers(job);
    curl_multi_add_handle(multi_.get(), job.now->easy.get());
    ++running_;
    share_rate();
}

/// Of what libcurl reads at once; 0: its own choice.
long Batch::buffer_size(const Job& job) const {
    const CurlOptions& options = transport_.options_;
    if (options.limit_rate > 0) {  // it looks at the rate only after up to 100 of them
        const std::uint64_t share = options.limit_rate / max_transfers();
        return static_cast<long>(std::clamp<std::uint64_t>(share / 100, 1024, k_large_buffer));
    }
    return job.now->delivery ? k_large_buffer : 0;
}

/// Under a low limit fewer at once, so that each is fast enough not to be taken for stalled.
std::uint64_t Batch::max_transfers() const {
    const CurlOptions& options = transport_.options_;
    return options.limit_rate == 0 ? options.transfers
                                   : std::clamp<std::uint64_t>(
                                         options.limit_rate / k_least_share, 1, options.transfers);
}

/// Each running transfer may take an equal part of the limit.
void Batch::share_rate() {
    const std::uint64_t limit = transport_.options_.limit_rate;
    if (limit == 0 || running_ == 0) {
        return;
    }
    const auto share = static_cast<curl_off_t>(std::max<std::uint64_t>(limit / running_, 1));
    for (const Job& job : jobs_) {
        if (job.now) {
            curl_easy_setopt(job.now->easy.get(), CURLOPT_MAX_RECV_SPEED_LARGE, share);
        }
    }
}

/// True when the job is put off, since its host has asked for quiet.
bool Batch::wait_for_host(Job& job) {
    if (quiet_until_.empty() || is_file(*job.request)) {
        return false;
    }
    const auto quiet = quiet_until_.find(host_of(*job.request));
    if (quiet == quiet_until_.end() || quiet->second <= transport_.clock_.steady()) {
        return false;
    }
    delayed_.push_back({quiet->second, &job});
    return true;
}

void Batch::set_options(const Job& job) {
    CURL* easy = job.now->easy.get();
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
    curl_easy_setopt(easy, CURLOPT_TIMEOUT, static_cast<long>(job.request->time_limit.count()));
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, job.now->error_text.data());
    if (job.request->credentials.user_password) {
        const std::string& secret = job.request->credentials.user_password->reveal();
        curl_easy_setopt(easy, CURLOPT_USERPWD, secret.c_str());
    }
}

/// Proxy and certificates.
void Batch::set_connection_options(const Job& job) {
    CURL* easy = job.now->easy.get();
    const CurlOptions& options = transport_.options_;
    for (const config::ProxyServer& proxy : options.proxy_servers) {
        if (job.request->url.starts_with(proxy.scheme + ":")) {
            curl_easy_setopt(easy, CURLOPT_PROXY, proxy.url.c_str());
            if (proxy.user_password) {
                curl_easy_setopt(easy, CURLOPT_PROXYUSERPWD, proxy.user_password->reveal().c_str());
            }
        }
    }
    if (!options.ca_bundle.empty()) {
        curl_easy_setopt(easy, CURLOPT_CAINFO, options.ca_bundle.c_str());
        curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);  // these authorities and no others
    }
    if (!options.client_cert.empty()) {
        const auto& key = options.client_key.empty() ? options.client_cert : options.client_key;
        curl_easy_setopt(easy, CURLOPT_SSLCERT, options.client_cert.c_str());
        curl_easy_setopt(easy, CURLOPT_SSLKEY, key.c_str());
    }
}

void Batch::set_body_options(const Job& job) {
    CURL* easy = job.now->easy.get();
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, job.now.get());
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, job.now.get());
    curl_easy_setopt(easy, CURLOPT_PRIVATE, job.now.get());
    if (const long size = buffer_size(job); size > 0) {
        curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, size);
    }
    const std::uint64_t offset = job.now->delivery ? job.now->delivery->asked().offset : 0;
    if (offset > 0 && is_file(*job.request)) {
        curl_easy_setopt(easy, CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(offset));
    } else if (offset > 0) {
        // Not RESUME_FROM: with that a server that sends the whole file instead is an error.
        curl_easy_setopt(easy, CURLOPT_RANGE, fmt::format("{}-", offset).c_str());
    }
}

void Batch::set_headers(const Job& job) {
    const Validators& validators = job.request->validators;
    curl_slist* list = nullptr;
    if (!validators.etag.empty()) {
        list = curl_slist_append(list, ("If-None-Match: " + validators.etag).c_str());
    } else if (!validators.last_modified
                    .empty()) {  // RFC 9110 §13.1.3: ignored beside If-None-Match
        list = curl_slist_append(list, ("If-Modified-Since: " + validators.last_modified).c_str());
    }
    if (job.now->delivery && !job.now->delivery->if_range().empty()) {
        list = curl_slist_append(
            list, fmt::format("If-Range: {}", job.now->delivery->if_range()).c_str());
    }
    if (job.request->no_cache) {
        list = curl_slist_append(list, "Cache-Control: no-cache");
    }
    job.now->headers.reset(list);
    curl_easy_setopt(job.now->easy.get(), CURLOPT_HTTPHEADER, list);
}

void Batch::collect_finished() {
    int left = 0;
    while (CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
        if (message->msg != CURLMSG_DONE) {
            continue;
        }
        const CURLcode code =
            message->data.result;  // read before the handle, and so the message, goes
        Try* current = nullptr;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &current);
        curl_multi_remove_handle(multi_.get(), current->easy.get());
        --running_;
        finish(*current->job, code);
        share_rate();
    }
}

/// The status of a try at a file:// URL, in HTTP's terms; `code` becomes OK when that says it all.
int status_of_file(const Try& current, CURLcode& code) {
    const std::uint64_t from = current.delivery ? current.delivery->asked().offset : 0;
    if (code == CURLE_OK) {
        const bool nothing_left = from > 0 && current.delivery->position() == from;
        return nothing_left ? 416 : (from > 0 ? 206 : 200);
    }
    if (code == CURLE_BAD_DOWNLOAD_RESUME) {  // it has fewer bytes than that
        code = CURLE_OK;
        return 416;
    }
    if (code == CURLE_FILE_COULDNT_READ_FILE && !file_exists(current.job->request->url)) {
        code = CURLE_OK;
        return 404;
    }
    return 0;
}

/// Ends the try for the sink. False when the sink refuses.
bool Batch::finish_body(Try& current, CURLcode& code) {
    BodyDelivery& delivery = *current.delivery;
    if (code == CURLE_WRITE_ERROR && !current.refused && delivery.is_dropping_too_much()) {
        code = CURLE_OK;  // we hung up; the status is answer enough
    }
    if (code != CURLE_OK || current.refused) {
        auto ended = delivery.abandon();
        if (!ended && !current.refused) {
            current.refused = std::move(ended).error();
        }
        return !current.refused;
    }
    BodyHead head = head_of(current);
    head.status = current.response.status;
    auto whole = delivery.finish(head);
    if (!whole) {
        current.refused = std::move(whole).error();
        return false;
    }
    code = *whole ? CURLE_OK : CURLE_PARTIAL_FILE;
    return true;
}

void Batch::finish(Job& job, CURLcode code) {
    const TransferRequest& request = *job.request;
    Try& current = *job.now;
    TransferResponse& response = current.response;
    char* url = nullptr;
    curl_easy_getinfo(current.easy.get(), CURLINFO_EFFECTIVE_URL, &url);
    const auto shown = conda::split_credentials(url != nullptr ? url : request.url);
    response.url = shown ? shown->url : request.url;
    response.status = is_file(request) ? status_of_file(current, code) : head_of(current).status;
    watch_host(job, response.status != 0);
    if (current.delivery) {
        static_cast<void>(finish_body(current, code));
    }
    if (current.refused) {
        Error error = std::move(*current.refused);
        const bool names_its_file = error.kind == ErrorKind::io;
        end(job,
            fail(names_its_file ? std::move(error) : with_context(std::move(error), request.url)));
        return;
    }
    if (code == CURLE_OK && !is_passing_status(response.status)) {
        end(job, std::move(response));
        return;
    }
    try_again_or_fail(job, code);
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

void Batch::try_again_or_fail(Job& job, CURLcode code) {
    const Try& current = *job.now;
    FailedTry failed;
    failed.number = job.failures.add(current.delivery ? current.delivery->position() : 0);
    failed.jitter = std::uniform_real_distribution<>(0.0, 1.0)(transport_.random_);
    if (current.retry_after) {
        failed.retry_after = parse_retry_after(*current.retry_after, transport_.clock_.wall());
    }
    std::string what = fmt::format("the server answered {}", current.response.status);
    if (code != CURLE_OK) {
        what = current.error_text[0] != '\0' ? current.error_text.data() : curl_easy_strerror(code);
    }
    RetryPolicy policy = transport_.options_.retry;
    policy.retries = std::min(policy.retries, job.request->max_retries.value_or(policy.retries));
    const auto delay = is_lasting(code) ? std::nullopt : retry_delay(policy, failed);
    if (delay) {
        if (failed.retry_after) {
            SteadyTime& quiet = quiet_until_[host_of(*job.request)];
            quiet = std::max(quiet, transport_.clock_.steady() + *delay);
        }
        reporter_.detail(fmt::format("{}: {}; trying again in {}",
                                     job.request->url,
                                     printable(what),
                                     human_duration(*delay)));
        job.now.reset();
        delayed_.push_back({transport_.clock_.steady() + *delay, &job});
        return;
    }
    if (failed.retry_after && failed.number <= policy.retries) {
        what += fmt::format(" and asked to wait {}", human_duration(*failed.retry_after));
    }
    give_up(job, code, what);
}

void Batch::give_up(Job& job, CURLcode code, const std::string& why) {
    if (job.now->delivery && code == CURLE_OK) {
        end(job, std::move(job.now->response));
        return;
    }
    if (job.now->response.status == 0) {
        ++given_up_[host_of(*job.request)];
    }
    const std::string tries = job.tries > 1 ? fmt::format(" ({} tries)", job.tries) : "";
    end(job,
        fail(ErrorKind::network,
             fmt::format("{}: {}{}; check the address and the network, then run again",
                         job.request->url,
                         printable(why),
                         tries)));
}

void Batch::watch_host(const Job& job, bool reached) {
    if (reached && !given_up_.empty()) {
        given_up_.erase(host_of(*job.request));
    }
}

/// So many files that waited out all their tries for nothing show that the rest need not.
bool Batch::is_host_away(const Job& job) const {
    if (given_up_.empty() || is_file(*job.request)) {
        return false;
    }
    const auto host = given_up_.find(host_of(*job.request));
    return host != given_up_.end() && host->second >= k_given_up_limit;
}

void Batch::end(Job& job, Result<TransferResponse> result) {
    auto outcome = TransferOutcome::failed;
    std::uint64_t bytes = 0;
    if (result) {
        const bool done = result->status == 200 || result->status == 206;
        bytes = job.now->delivery ? job.now->delivery->position() : result->body.size();
        outcome = result->status == 304 ? TransferOutcome::unchanged
                  : done                ? TransferOutcome::done
                                        : TransferOutcome::missing;
    }
    if (job.tries > 0) {
        reporter_.report(TransferEnded{job.id, outcome, bytes});
    }
    results_[job.index] = std::move(result);
    job.now.reset();
    job.request = nullptr;
    ++ended_;
}

void Batch::start_due() {
    const SteadyTime now = transport_.clock_.steady();
    std::erase_if(delayed_, [&](const Delayed& delayed) {
        if (delayed.due > now) {
            return false;
        }
        waiting_.push_front(delayed.job);  // to the end with it, before others begin
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

CurlOptions curl_options(const config::Settings& settings) {
    CurlOptions options;
    options.transfers = settings.jobs;
    options.connections_per_host = settings.jobs_per_host;
    options.limit_rate = settings.limit_rate;
    options.retry.retries = settings.retries;
    options.stall_timeout = settings.stall_timeout;
    options.proxy_servers = settings.proxy_servers;
    options.ca_bundle = settings.ca_bundle;
    options.client_cert = settings.client_ssl_cert;
    options.client_key = settings.client_ssl_cert_key;
    return options;
}

std::unique_ptr<Transport> make_curl_transport(const CurlOptions& options, const Clock& clock) {
    return std::make_unique<CurlTransport>(options, clock);
}

}  // namespace chm::channels
