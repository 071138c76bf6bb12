// Which face of Reporter a run gets, and the thread that keeps the terminal's alive.
#pragma once

#include "base/clock.hpp"
#include "base/reporter.hpp"
#include "cli/services.hpp"

#include <memory>

namespace chm::cli {

/// JSON lines with --json; bars when standard error is a terminal that can draw them; plain lines
/// else (pipes, logs, TERM=dumb, --no-progress). NO_COLOR is honoured. `clock` must outlive the
/// reporter.
std::unique_ptr<Reporter> make_reporter(const GlobalOptions& options,
                                        const config::Environment& environment,
                                        const Clock& clock);

}  // namespace chm::cli
