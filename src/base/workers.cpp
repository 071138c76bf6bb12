// Threads that take the next index until none is left. See the header.
#include "base/workers.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace chm {

namespace {

// Indexes are handed out in order, and every index handed out is worked on. So when one fails, all
// lower ones have been handed out too, and the lowest failure is always found.
class Run {
public:
    Run(std::size_t count, const std::function<Result<>(std::size_t)>& work)
        : count_(count), work_(work) {}

    void take_until_done() {
        while (!failed_.load()) {
            const std::size_t index = next_.fetch_add(1);
            if (index >= count_) {
                return;
            }
            if (auto result = work_(index); !result) {
                note_failure(index, std::move(result).error());
            }
        }
    }

    Result<> outcome() && {
        if (error_) {
            return fail(*std::move(error_));
        }
        return {};
    }

private:
    void note_failure(std::size_t index, Error error) {
        const std::scoped_lock guard(mutex_);
        if (!error_ || index < failed_index_) {
            failed_index_ = index;
            error_ = std::move(error);
        }
        failed_.store(true);
    }

    std::size_t count_;
    const std::function<Result<>(std::size_t)>& work_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> failed_{false};
    std::mutex mutex_;
    std::size_t failed_index_ = 0;
    std::optional<Error> error_;
};

/// Up to `wanted` threads at `run`; they are joined when the vector goes.
std::vector<std::jthread> start_threads(std::size_t wanted, Run& run) {
    std::vector<std::jthread> threads;
    threads.reserve(wanted);
    try {
        while (threads.size() < wanted) {
            threads.emplace_back(&Run::take_until_done, &run);
        }
    } catch (const std::system_error&) {
        // The system allows no more threads: those there are, at least the caller's, do it all.
    }
    return threads;
}

}  // namespace

Result<> for_each_parallel(std::size_t count,
                           unsigned threads,
                           const std::function<Result<>(std::size_t)>& work) {
    Run run(count, work);
    const std::size_t wanted = std::min<std::size_t>(threads, count);
    std::vector<std::jthread> others = start_threads(wanted > 0 ? wanted - 1 : 0, run);
    run.take_until_done();
    others.clear();  // waits for them
    return std::move(run).outcome();
}

unsigned default_threads() {
    return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace chm
