// Where a channel's bytes come from: the addresses that the configuration gives it, and in which order
// to ask them.
#pragma once

#include "base/clock.hpp"
#include "base/result.hpp"
#include "channels/fetch.hpp"
#include "conda/channel.hpp"
#include "config/settings.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace chm::channels {

/// The upstreams of `channel` in the configured order: its own entries in `upstreams`, else those of
/// "default" (for channels below the channel alias), else its canonical URL alone.
[[nodiscard]] std::vector<Upstream> upstreams_of(const config::Settings& settings,
                                                 const conda::Channel& channel);

struct UpstreamSpeed {
    std::uint64_t bytes_per_second = 0;  // 0: it could not be reached, or does not have the channel
    WallTime measured;
};
/// By channel_url.
using UpstreamSpeeds = std::map<std::string, UpstreamSpeed>;

/// How long a measurement counts.
inline constexpr std::chrono::days k_speed_counts{7};

/// Measures all of them at once by the beginning of their noarch index; takes at most some seconds.
void measure_speeds(const std::vector<Upstream>& upstreams,
                    UpstreamSpeeds& speeds,
                    const FetchEdges& edges);

/// Whether one of them was not measured lately. Two that differ in nothing but their place need no
/// measuring: none for fewer than two.
[[nodiscard]] bool needs_measuring(const std::vector<Upstream>& upstreams,
                                   const UpstreamSpeeds& speeds,
                                   WallTime now);

/// The faster ones first; within a factor of two the configured order stays.
void rank(std::vector<Upstream>& upstreams, const UpstreamSpeeds& speeds);

/// A cache: empty when the file is missing or damaged.
[[nodiscard]] UpstreamSpeeds read_upstream_speeds(const std::filesystem::path& path);
Result<> write_upstream_speeds(const std::filesystem::path& path, const UpstreamSpeeds& speeds);

/// fetch_each_index(), and for a source that fails or lacks the index, its next upstream, to the last.
/// Sources come back with the upstream that answered. A subdir is missing when no upstream has it and
/// all answered. When sources fail at all their upstreams: the first one's error, as of
/// fetch_indexes().
Result<std::vector<FetchOutcome>> fetch_from_upstreams(std::vector<IndexSource>& sources,
                                                       const FetchEdges& edges);

}  // namespace chm::channels
