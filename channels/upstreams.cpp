#include "channels/upstreams.hpp"

#include "base/atomic_file.hpp"
#include "base/file.hpp"
#include "base/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <utility>

namespace chm::channels {
namespace {

constexpr std::int64_t k_format = 1;
constexpr std::uint64_t k_max_state_bytes = 1 << 20;
/// Of an index's beginning: enough for a connection to show what it can do behind a slow line.
constexpr std::uint64_t k_probe_bytes = 1 << 20;
constexpr std::chrono::seconds k_probe_time{8};

/// Counts the beginning of a body and drops it.
class Probe final : public BodySink {
public:
    explicit Probe(const Clock& clock) : clock_(clock) {}

    ResumePoint start_try() override {
        began_ = clock_.steady();
        bytes_ = 0;
        return {};
    }
    Result<> begin(const BodyStart& /*start*/) override { return {}; }
    Result<> write(std::span<const std::byte> bytes) override {
        bytes_ += bytes.size();
        ended_ = clock_.steady();
        if (bytes_ >= k_probe_bytes) {
            return fail(ErrorKind::integrity, "enough was measured");
        }
        return {};
    }
    Result<> end_try() override { return {}; }

    [[nodiscard]] std::uint64_t bytes_per_second() const {
        if (bytes_ == 0) {
            return 0;
        }
        const auto took = std::chrono::duration<double>(ended_ - began_).count();
        return static_cast<std::uint64_t>(static_cast<double>(bytes_) / std::max(took, 1e-6)) + 1;
    }

private:
    const Clock& clock_;
    SteadyTime began_;
    SteadyTime ended_;
    std::uint64_t bytes_ = 0;
};

/// Returns those that answered, but do not have the file.
std::vector<Upstream> probe(const std::vector<Upstream>& upstreams,
                            std::string_view file,
                            UpstreamSpeeds& speeds,
                            const FetchEdges& edges) {
    std::vector<std::unique_ptr<Probe>> probes;
    std::vector<TransferRequest> requests;
    for (const Upstream& upstream : upstreams) {
        TransferRequest& request = requests.emplace_back();
        request.url = fmt::format("{}/noarch/{}", upstream.channel_url, file);
        request.credentials = upstream.credentials;
        request.label = "measuring " + upstream.channel_url;
        request.sink = probes.emplace_back(std::make_unique<Probe>(edges.clock)).get();
        request.max_retries = 0;
        request.time_limit = k_probe_time;
    }
    const auto answers = edges.transport.fetch(requests, edges.reporter, edges.stop);
    std::vector<Upstream> lacking;
    for (std::size_t i = 0; i < upstreams.size(); ++i) {
        speeds[upstreams[i].channel_url] = {probes[i]->bytes_per_second(), edges.clock.wall()};
        if (answers[i] && answers[i]->status != 200) {
            lacking.push_back(upstreams[i]);
        }
    }
    return lacking;
}

std::uint64_t speed_of(const Upstream& upstream, const UpstreamSpeeds& speeds) {
    const auto found = speeds.find(upstream.channel_url);
    return found == speeds.end() ? 0 : found->second.bytes_per_second;
}

/// One source on its way through its upstreams.
struct Search {
    std::optional<FetchOutcome> found;
    std::optional<Error> first_error;
    std::size_t next = 0;  // of its upstreams
};

class UpstreamSearch {
public:
    UpstreamSearch(std::vector<IndexSource>& sources, const FetchEdges& edges)
        : sources_(sources), edges_(edges), searches_(sources.size()) {}

    Result<std::vector<FetchOutcome>> run() {
        for (std::vector<std::size_t> open = open_sources(); !open.empty(); open = open_sources()) {
            std::vector<IndexSource> asked;
            for (const std::size_t i : open) {
                use(sources_[i], searches_[i].next++);
                asked.push_back(sources_[i]);
            }
            auto outcomes = fetch_each_index(asked, edges_);
            for (std::size_t i = 0; i < open.size(); ++i) {
                CHM_CHECK(judge(open[i], std::move(outcomes[i])));
            }
        }
        return all_or_first_error(collect(), edges_.reporter);
    }

private:
    [[nodiscard]] std::vector<std::size_t> open_sources() const {
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            if (!searches_[i].found && searches_[i].next < sources_[i].upstreams.size()) {
                open.push_back(i);
            }
        }
        return open;
    }

    static void use(IndexSource& source, std::size_t upstream) {
        source.channel_url = source.upstreams[upstream].channel_url;
        source.credentials = source.upstreams[upstream].credentials;
    }

    Result<> judge(std::size_t i, Result<FetchOutcome> outcome) {
        Search& search = searches_[i];
        const std::vector<Upstream>& upstreams = sources_[i].upstreams;
        if (outcome && !std::holds_alternative<MissingIndex>(*outcome)) {
            search.found = std::move(*outcome);
            return {};
        }
        if (outcome) {
            return {};
        }
        if (outcome.error().kind == ErrorKind::interrupted) {
            return fail(std::move(outcome).error());
        }
        if (search.next < upstreams.size()) {
            edges_.reporter.warn(fmt::format("{}; asking {} instead",
                                             outcome.error().message,
                                             upstreams[search.next].channel_url));
        }
        if (!search.first_error) {
            search.first_error = std::move(outcome).error();
        }
        return {};
    }

    std::vector<Result<FetchOutcome>> collect() {
        std::vector<Result<FetchOutcome>> outcomes;
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            Search& search = searches_[i];
            if (search.found) {
                outcomes.emplace_back(std::move(*search.found));
                continue;
            }
            use(sources_[i], 0);
            if (search.first_error) {
                outcomes.emplace_back(fail(std::move(*search.first_error)));
            } else {
                outcomes.emplace_back(FetchOutcome(MissingIndex{}));
            }
        }
        return outcomes;
    }

    std::vector<IndexSource>& sources_;
    const FetchEdges& edges_;
    std::vector<Search> searches_;
};

}  // namespace

std::vector<Upstream> upstreams_of(const config::Settings& settings,
                                   const conda::Channel& channel) {
    const auto entries_of = [&](std::string_view name) {
        std::vector<Upstream> upstreams;
        for (const config::UpstreamSetting& upstream : settings.upstreams) {
            if (upstream.channel != name) {
                continue;
            }
            std::string base = upstream.base_url;
            while (base.ends_with('/')) {
                base.pop_back();
            }
            upstreams.push_back({base + "/" + channel.name, upstream.credentials});
        }
        return upstreams;
    };
    std::vector<Upstream> upstreams = entries_of(channel.name);
    const bool below_alias =
        channel.url == fmt::format("{}/{}", conda::k_default_channel_alias, channel.name);
    if (upstreams.empty() && below_alias) {
        upstreams = entries_of("default");
    }
    if (upstreams.empty()) {
        upstreams.push_back({channel.url, {}});
    }
    return upstreams;
}

void measure_speeds(const std::vector<Upstream>& upstreams,
                    UpstreamSpeeds& speeds,
                    const FetchEdges& edges) {
    std::vector<Upstream> lacking = probe(upstreams, "repodata.json.zst", speeds, edges);
    if (!lacking.empty()) {
        probe(lacking, "repodata.json", speeds, edges);
    }
}

bool needs_measuring(const std::vector<Upstream>& upstreams,
                     const UpstreamSpeeds& speeds,
                     WallTime now) {
    return upstreams.size() > 1 && std::ranges::any_of(upstreams, [&](const Upstream& upstream) {
               const auto found = speeds.find(upstream.channel_url);
               return found == speeds.end() || found->second.measured > now ||
                      now - found->second.measured >= k_speed_counts;
           });
}

void rank(std::vector<Upstream>& upstreams, const UpstreamSpeeds& speeds) {
    std::ranges::stable_sort(upstreams, std::ranges::greater(), [&](const Upstream& upstream) {
        return std::bit_width(speed_of(upstream, speeds));
    });
}

UpstreamSpeeds read_upstream_speeds(const std::filesystem::path& path) {
    UpstreamSpeeds speeds;
    const auto text = read_file(path, k_max_state_bytes);
    const auto json = text ? parse_json(*text) : Result<Json>(fail(text.error()));
    const Json* format = json ? json->find("format") : nullptr;
    const Json* list = json ? json->find("upstreams") : nullptr;
    if (format == nullptr || *format != Json(k_format) || list == nullptr ||
        list->as_object() == nullptr) {
        return speeds;
    }
    for (const auto& [url, entry] : *list->as_object()) {
        const Json* rate = entry.find("bytes_per_second");
        const Json* measured = entry.find("measured");
        if (rate != nullptr && rate->as_integer() != nullptr && *rate->as_integer() >= 0 &&
            measured != nullptr && measured->as_integer() != nullptr) {
            speeds[url] = {static_cast<std::uint64_t>(*rate->as_integer()),
                           WallTime(std::chrono::seconds(*measured->as_integer()))};
        }
    }
    return speeds;
}

Result<> write_upstream_speeds(const std::filesystem::path& path, const UpstreamSpeeds& speeds) {
    Json::Object list;
    for (const auto& [url, speed] : speeds) {
        list.emplace_back(url,
                          Json::Object{
                              {"bytes_per_second", speed.bytes_per_second},
                              {"measured", std::int64_t{speed.measured.time_since_epoch().count()}},
                          });
    }
    CHM_CHECK(make_directories(path.parent_path()));
    const Json json = Json::Object{{"format", k_format}, {"upstreams", std::move(list)}};
    return write_file_atomically(path, to_json(json, 2) + "\n");
}

Result<std::vector<FetchOutcome>> fetch_from_upstreams(std::vector<IndexSource>& sources,
                                                       const FetchEdges& edges) {
    return UpstreamSearch(sources, edges).run();
}

}  // namespace chm::channels
