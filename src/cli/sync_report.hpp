// What a sync says when it is done: lines for people, a document for programs.
#pragma once

#include "base/reporter.hpp"
#include "channels/sync.hpp"
#include "config/settings.hpp"

#include <string>

namespace chm::cli {

/// What became of each subdir, what is missing, and the snapshot.
void note_sync(const channels::SyncReport& report,
               const config::Settings& settings,
               Reporter& reporter);

/// The plan of --dry-run as lines: what would be fetched, what it needs, what it may not be fit for.
[[nodiscard]] std::string plan_text(const channels::SyncReport& report);

[[nodiscard]] std::string sync_json(const channels::SyncReport& report);

}  // namespace chm::cli
