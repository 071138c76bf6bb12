// A Transport that answers from a script, by URL, and keeps what it was asked.
#pragma once

#include "channels/body_delivery.hpp"
#include "channels/transport.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace chm::test {

/// Answers of one URL are given in order; the last one stays. A request that carries the validators
/// of the answer is told 304. A URL without a script is 404. A request with a sink gets the body
/// there, from the offset that it asks for on.
class FakeTransport final : public channels::Transport {
public:
    void answer(const std::string& url, Result<channels::TransferResponse> outcome) {
        if (outcome && outcome->url.empty()) {
            outcome->url = url;
        }
        script_[url].push_back(std::move(outcome));
    }
    void answer(const std::string& url, std::string body, std::string etag = {}) {
        answer(url, channels::TransferResponse{200, std::move(body), {std::move(etag), {}}, url});
    }
    void answer(const std::string& url, int status) {
        answer(url, channels::TransferResponse{status, {}, {}, url});
    }
    /// The next answer of `url` breaks off after so many bytes of its body, and is not tried again.
    void break_next(const std::string& url, std::uint64_t bytes) { breaks_[url] = bytes; }
    /// Of the next answer of `url`, which has one.
    [[nodiscard]] std::string body_of(const std::string& url) const {
        return script_.at(url).front()->body;
    }
    void forget(const std::string& url) { script_.erase(url); }

    std::vector<Result<channels::TransferResponse>> fetch(
        std::span<const channels::TransferRequest> requests,
        Reporter& /*reporter*/,
        std::stop_token /*stop*/) override {
        std::vector<Result<channels::TransferResponse>> outcomes;
        for (const channels::TransferRequest& request : requests) {
            requests_.push_back(request);
            auto outcome = next(request);
            outcomes.push_back(request.sink != nullptr && outcome
                                   ? deliver(request, std::move(*outcome))
                                   : std::move(outcome));
        }
        return outcomes;
    }

    [[nodiscard]] const std::vector<channels::TransferRequest>& requests() const {
        return requests_;
    }
    /// What each request with a sink asked for, "URL from OFFSET".
    [[nodiscard]] const std::vector<std::string>& resumed() const { return resumed_; }
    [[nodiscard]] std::vector<std::string> urls() const {
        std::vector<std::string> urls;
        urls.reserve(requests_.size());
        for (const channels::TransferRequest& request : requests_) {
            urls.push_back(request.url);
        }
        return urls;
    }
    void clear_requests() {
        requests_.clear();
        resumed_.clear();
    }

private:
    Result<channels::TransferResponse> next(const channels::TransferRequest& request) {
        const auto found = script_.find(request.url);
        if (found == script_.end()) {
            return channels::TransferResponse{404, {}, {}, request.url};
        }
        Result<channels::TransferResponse> outcome = found->second.front();
        if (found->second.size() > 1) {
            found->second.pop_front();
        }
        if (outcome && !request.validators.empty() && request.validators == outcome->validators) {
            return channels::TransferResponse{304, {}, request.validators, request.url};
        }
        return outcome;
    }

    Result<channels::TransferResponse> deliver(const channels::TransferRequest& request,
                                               channels::TransferResponse response) {
        channels::BodyDelivery delivery(*request.sink);
        const std::uint64_t from = delivery.asked().offset;
        resumed_.push_back(request.url + " from " + std::to_string(from));
        const std::string body = std::move(response.body);
        response.body.clear();
        std::string range;
        if (response.status == 200 && from > 0) {
            response.status = from < body.size() ? 206 : 416;
            range = "bytes " + std::to_string(from) + "-" + std::to_string(body.size() - 1) + "/" +
                    std::to_string(body.size());
        }
        const channels::BodyHead head{
            response.status, range, body.size(), response.validators.etag};
        const auto broken = breaks_.extract(request.url);
        const std::string_view rest = std::string_view(body).substr(std::min(from, body.size()));
        const std::string_view sent = broken ? rest.substr(0, broken.mapped()) : rest;
        if (auto taken = delivery.take(head, std::as_bytes(std::span(sent))); !taken) {
            static_cast<void>(delivery.abandon());
            return fail(std::move(taken).error());
        }
        if (broken) {
            CHM_CHECK(delivery.abandon());
            return fail(ErrorKind::network, request.url + ": broken off");
        }
        CHM_CHECK(delivery.finish(head));
        return response;
    }

    std::map<std::string, std::deque<Result<channels::TransferResponse>>> script_;
    std::map<std::string, std::uint64_t> breaks_;
    std::vector<std::string> resumed_;
    std::vector<channels::TransferRequest> requests_;
};

}  // namespace chm::test
