// A Transport that answers from a script, by URL, and keeps what it was asked.
#pragma once

#include "channels/transport.hpp"

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace chm::test {

/// Answers of one URL are given in order; the last one stays. A request that carries the validators
/// of the answer is told 304. A URL without a script is 404.
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
    void forget(const std::string& url) { script_.erase(url); }

    std::vector<Result<channels::TransferResponse>> fetch(
        std::span<const channels::TransferRequest> requests,
        Reporter& /*reporter*/,
        std::stop_token /*stop*/) override {
        std::vector<Result<channels::TransferResponse>> outcomes;
        for (const channels::TransferRequest& request : requests) {
            requests_.push_back(request);
            outcomes.push_back(next(request));
        }
        return outcomes;
    }

    [[nodiscard]] const std::vector<channels::TransferRequest>& requests() const {
        return requests_;
    }
    [[nodiscard]] std::vector<std::string> urls() const {
        std::vector<std::string> urls;
        urls.reserve(requests_.size());
        for (const channels::TransferRequest& request : requests_) {
            urls.push_back(request.url);
        }
        return urls;
    }
    void clear_requests() { requests_.clear(); }

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

    std::map<std::string, std::deque<Result<channels::TransferResponse>>> script_;
    std::vector<channels::TransferRequest> requests_;
};

}  // namespace chm::test
