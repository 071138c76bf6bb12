// Reporter for programs: one JSON object a line, {"v":1,"event":"…","time":"…",…}. Readers skip
// events and members they do not know; "v" changes only when a member changes its meaning.
//
//   phase_began     name, unit ("bytes" or "items"), expected (absent: not known; counted in unit)
//   phase_advanced  done; at most 4 a second, the last one before an end is never lost
//   phase_ended     summary
//   transfer_began  id, label, expected_bytes (absent: not known)
//   transfer_moved  id, bytes, expected_bytes; at most 4 a second and transfer
//   transfer_ended  id, outcome ("done", "unchanged", "missing", "failed"), bytes
//   warned, noted, detailed
//                   message; detailed only when verbose, nothing but warned when quiet
#pragma once

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/reporter.hpp"
#include "base/reporter_output.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <string_view>

namespace chm {

class JsonReporter final : public Reporter {
public:
    /// `clock` must outlive the reporter.
    JsonReporter(ByteSink sink, const Clock& clock, Verbosity verbosity = Verbosity::normal);

    void report(const Event& event) override;

private:
    void on(const PhaseBegan& event);
    void on(const PhaseAdvanced& event);
    void on(const PhaseEnded& event);
    void on(const TransferBegan& event);
    void on(const TransferMoved& event);
    void on(const TransferEnded& event);
    void on(const Warned& event);
    void on(const Noted& event);
    void on(const Detailed& event);

    void write(std::string_view name, Json::Object members);
    void write_held_back();

    std::mutex mutex_;
    ByteSink sink_;
    const Clock& clock_;
    Verbosity verbosity_;
    std::map<TransferId, std::optional<SteadyTime>> last_moved_;  // of running transfers
    std::optional<SteadyTime> last_advanced_;
    std::optional<PhaseAdvanced> held_back_;
};

}  // namespace chm
