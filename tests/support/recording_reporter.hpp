// A Reporter that keeps what it is told, for tests that ask what a stage has said.
#pragma once

#include "base/reporter.hpp"

#include <mutex>
#include <string>
#include <variant>
#include <vector>

namespace chm::test {

class RecordingReporter final : public Reporter {
public:
    void report(const Event& event) override {
        const std::lock_guard lock(mutex_);
        events_.push_back(event);
    }

    [[nodiscard]] std::vector<Event> events() const {
        const std::lock_guard lock(mutex_);
        return events_;
    }

    /// Every event of one kind: `reporter.all<TransferEnded>()`.
    template <class Kind>
    [[nodiscard]] std::vector<Kind> all() const {
        const std::lock_guard lock(mutex_);
        std::vector<Kind> found;
        for (const Event& event : events_) {
            if (const Kind* known = std::get_if<Kind>(&event)) {
                found.push_back(*known);
            }
        }
        return found;
    }

    [[nodiscard]] std::vector<std::string> warnings() const { return messages<Warned>(); }
    [[nodiscard]] std::vector<std::string> notes() const { return messages<Noted>(); }
    [[nodiscard]] std::vector<std::string> details() const { return messages<Detailed>(); }

    void clear() {
        const std::lock_guard lock(mutex_);
        events_.clear();
    }

private:
    template <class Kind>
    [[nodiscard]] std::vector<std::string> messages() const {
        std::vector<std::string> texts;
        for (const Kind& event : all<Kind>()) {
            texts.push_back(event.message);
        }
        return texts;
    }

    mutable std::mutex mutex_;
    std::vector<Event> events_;
};

}  // namespace chm::test
