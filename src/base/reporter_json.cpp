// Events as JSON lines.
#include "base/reporter_json.hpp"

#include <chrono>
#include <iterator>
#include <string>
#include <utility>
#include <variant>

namespace chm {

namespace {

constexpr auto k_move_interval = std::chrono::milliseconds(250);

bool is_due(std::optional<SteadyTime> last, SteadyTime now) {
    return !last || now - *last >= k_move_interval;
}

void append_expected(Json::Object& members, std::optional<std::uint64_t> expected_bytes) {
    if (expected_bytes) {
        members.emplace_back("expected_bytes", *expected_bytes);
    }
}

}  // namespace

JsonReporter::JsonReporter(ByteSink sink, const Clock& clock, Verbosity verbosity)
    : sink_(std::move(sink)), clock_(clock), verbosity_(verbosity) {}

void JsonReporter::report(const Event& event) {
    shielded([&] {
        if (verbosity_ == Verbosity::quiet && !std::holds_alternative<Warned>(event)) {
            return;
        }
        const std::lock_guard lock(mutex_);
        std::visit([this](const auto& known) { on(known); }, event);
    });
}

void JsonReporter::on(const PhaseBegan& event) {
    write_held_back();
    last_advanced_.reset();
    Json::Object members{{"name", safe_message(event.name)},
                         {"unit", event.unit == Unit::bytes ? "bytes" : "items"}};
    if (event.expected_items > 0) {
        members.emplace_back("expected", event.expected_items);
    }
    write("phase_began", std::move(members));
}

void JsonReporter::on(const PhaseAdvanced& event) {
    held_back_ = event;
    if (is_due(last_advanced_, clock_.steady())) {
        write_held_back();
    }
}

void JsonReporter::on(const PhaseEnded& event) {
    write_held_back();
    write("phase_ended", {{"summary", safe_message(event.summary)}});
}

void JsonReporter::on(const TransferBegan& event) {
    last_moved_.insert_or_assign(event.id, std::nullopt);
    Json::Object members{{"id", event.id}, {"label", safe_message(event.label)}};
    append_expected(members, event.expected_bytes);
    write("transfer_began", std::move(members));
}

void JsonReporter::on(const TransferMoved& event) {
    const SteadyTime now = clock_.steady();
    const auto running = last_moved_.find(event.id);
    if (running == last_moved_.end() || !is_due(running->second, now)) {
        return;
    }
    running->second = now;
    Json::Object members{{"id", event.id}, {"bytes", event.bytes}};
    append_expected(members, event.expected_bytes);
    write("transfer_moved", std::move(members));
}

void JsonReporter::on(const TransferEnded& event) {
    last_moved_.erase(event.id);
    write("transfer_ended",
          {{"id", event.id}, {"outcome", outcome_text(event.outcome)}, {"bytes", event.bytes}});
}

void JsonReporter::on(const Warned& event) {
    write("warned", {{"message", safe_message(event.message)}});
}

void JsonReporter::on(const Noted& event) {
    write("noted", {{"message", safe_message(event.message)}});
}

void JsonReporter::on(const Detailed& event) {
    if (verbosity_ == Verbosity::verbose) {
        write("detailed", {{"message", safe_message(event.message)}});
    }
}

void JsonReporter::write_held_back() {
    if (!held_back_) {
        return;
    }
    last_advanced_ = clock_.steady();
    write("phase_advanced", {{"done", held_back_->done}});
    held_back_.reset();
}

void JsonReporter::write(std::string_view name, Json::Object members) {
    Json::Object object{{"v", 1}, {"event", name}, {"time", utc_text(clock_.wall())}};
    std::move(members.begin(), members.end(), std::back_inserter(object));
    std::string line = to_json(Json(std::move(object)));
    line += '\n';
    sink_(line);
}

}  // namespace chm
