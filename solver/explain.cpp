// Words for conflicts. Written for someone who knows conda, not this program: package names,
// versions, channels.
#include "solver/explain.hpp"

#include "base/text.hpp"
#include "conda/record_matcher.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace chm::solver {
namespace {

constexpr std::size_t k_max_lines = 25;
constexpr std::size_t k_max_versions = 4;

std::string name_of(const Universe& universe, PackageIndex package) {
    return std::string(universe.packages()[package].candidate.record->name);
}

/// Reasons that say the same of several builds, gathered: "pytorch 2.1.0 needs …" once for its
/// twelve builds.
struct Line {
    ReasonKind kind = ReasonKind::needs;
    std::string source;
    std::string spec;
    std::set<PackageIndex> sources;
    std::set<PackageIndex> targets;
};

/// "numpy 1.26.4", "numpy 1.24.0 to 1.26.4 (18 builds)"; the best come first in a universe, the
/// oldest last.
std::string describe(const Universe& universe, const std::set<PackageIndex>& packages) {
    std::vector<PackageIndex> ordered(packages.begin(), packages.end());
    std::sort(ordered.begin(), ordered.end(), [&](PackageIndex a, PackageIndex b) {
        return universe.packages()[a].candidate.record->version <
               universe.packages()[b].candidate.record->version;
    });
    if (ordered.empty()) {
        return "";
    }
    const conda::Record& oldest = *universe.packages()[ordered.front()].candidate.record;
    const conda::Record& newest = *universe.packages()[ordered.back()].candidate.record;
    if (ordered.size() == 1) {
        return fmt::format("{} {} {}", oldest.name, oldest.version.text(), oldest.build);
    }
    const std::string range =
        oldest.version == newest.version
            ? oldest.version.text()
            : fmt::format("{} to {}", oldest.version.text(), newest.version.text());
    return fmt::format("{} {} ({} builds)", oldest.name, range, ordered.size());
}

std::string nothing_provides(const std::string& source, const std::string& spec) {
    if (source.empty()) {
        return fmt::format("nothing provides {}", spec);
    }
    const bool is_virtual = spec.starts_with("__");
    return fmt::format("{} needs {}, which {}",
                       source,
                       spec,
                       is_virtual ? "the target machine does not offer" : "nothing here provides");
}

std::string to_line(const Universe& universe, const Line& line) {
    const std::string source = describe(universe, line.sources);
    switch (line.kind) {
        case ReasonKind::requested:
            return fmt::format("you asked for {}", line.spec);
        case ReasonKind::needs:
            return fmt::format("{} needs {}", source, line.spec);
        case ReasonKind::nothing_provides:
            return nothing_provides(source, line.spec);
        case ReasonKind::excludes:
            return fmt::format("{} excludes {} (constrains {})",
                               source,
                               describe(universe, line.targets),
                               line.spec);
        case ReasonKind::same_name:
            return fmt::format("only one {} can be installed", line.source);
        case ReasonKind::fixed:
            return fmt::format("the target machine has {}", describe(universe, line.targets));
    }
    return "";
}

class Explainer {
public:
    explicit Explainer(const Universe& universe) : universe_(universe) {}

    void add(const Conflict& conflict) {
        for (const Reason& reason : conflict) {
            add(reason);
        }
    }

    /// What the user asked for first, then the chain down to what cannot be.
    [[nodiscard]] std::vector<std::string> lines() const {
        std::vector<std::string> lines;
        for (const auto& [key, line] : lines_) {
            if (lines.size() == k_max_lines - 1 && lines_.size() > k_max_lines) {
                lines.push_back(fmt::format("… and {} more reasons", lines_.size() - lines.size()));
                break;
            }
            const std::string_view indent = line.kind == ReasonKind::requested ? "" : "  ";
            lines.push_back(std::string(indent) + to_line(universe_, line));
        }
        return lines;
    }

private:
    void add(const Reason& reason) {
        const std::string source = reason.source ? name_of(universe_, *reason.source) : "";
        const std::string target = reason.target ? name_of(universe_, *reason.target) : "";
        const std::string spec = reason.spec ? universe_.specs()[*reason.spec].text : target;
        const auto kind = effective_kind(reason);
        Line& line = lines_[{kind, source, spec}];
        line.kind = kind;
        line.source = source;
        line.spec = spec;
        if (reason.source) {
            line.sources.insert(*reason.source);
        }
        if (reason.target) {
            line.targets.insert(*reason.target);
        }
    }

    /// libsolv says "needs" also where the needed set is empty.
    [[nodiscard]] ReasonKind effective_kind(const Reason& reason) const {
        const bool nothing = reason.kind == ReasonKind::needs && reason.spec &&
                             universe_.matching(*reason.spec).empty();
        return nothing ? ReasonKind::nothing_provides : reason.kind;
    }

    const Universe& universe_;
    std::map<std::tuple<ReasonKind, std::string, std::string>, Line> lines_;
};

std::vector<std::string> versions_there(const Universe& universe, std::string_view name) {
    std::vector<std::string> versions;
    for (const PackageIndex package : universe.of_name(name)) {
        const std::string& version = universe.packages()[package].candidate.record->version.text();
        if (std::find(versions.begin(), versions.end(), version) == versions.end()) {
            versions.push_back(version);
        }
    }
    return versions;
}

/// Names of the channels that have packages of `name`, in order of priority.
std::vector<std::string> channels_with(std::string_view name,
                                       std::span<const channels::SubdirIndex> indexes) {
    std::vector<std::string> found;
    for (const channels::SubdirIndex& index : indexes) {
        const std::string& channel = index.channel().name;
        if (index.has(name) && std::find(found.begin(), found.end(), channel) == found.end()) {
            found.push_back(channel);
        }
    }
    return found;
}

/// The request has no candidate of the name at all: the nearest of several reasons.
std::string no_candidate(const conda::MatchSpec& asked,
                         std::span<const channels::SubdirIndex> indexes) {
    const std::string& name = asked.name.text();
    if (name.starts_with("__")) {
        return fmt::format(
            "the target machine has no {0}; say what it has with --virtual {0}=VERSION", name);
    }
    if (const auto channels = channels_with(name, indexes); !channels.empty()) {
        const std::string list = fmt::format("{}", fmt::join(channels, ", "));
        return asked.channel.empty()
                   ? fmt::format("{} has {}, but none of its records can be read", list, name)
                   : fmt::format("only {} has {}, not {}", list, name, printable(asked.channel));
    }
    std::set<std::string> names;
    for (const channels::SubdirIndex& index : indexes) {
        for (const std::string_view known : index.names()) {
            names.emplace(known);
        }
    }
    const std::vector<std::string> sorted(names.begin(), names.end());
    return fmt::format("no channel of this request has a package named '{}'{}",
                       printable(name),
                       did_you_mean(name, sorted));
}

/// The channels of the name's candidates, and their best few versions.
std::string what_there_is(const Universe& universe, const conda::MatchSpec& asked) {
    const std::string& name = asked.name.text();
    std::vector<std::string> versions = versions_there(universe, name);
    const std::size_t shown = std::min(versions.size(), k_max_versions);
    const std::string more =
        shown < versions.size() ? fmt::format(", … down to {}", versions.back()) : std::string();
    versions.resize(shown);
    std::vector<std::string_view> channels;
    for (const PackageIndex package : universe.of_name(name)) {
        const std::string_view channel = universe.packages()[package].candidate.record->channel;
        if (std::find(channels.begin(), channels.end(), channel) == channels.end()) {
            channels.push_back(channel);
        }
    }
    const std::string where = name.starts_with("__") ? "the target machine"
                                                     : fmt::format("{}", fmt::join(channels, ", "));
    return fmt::format("{} has {} only as {}{}{}",
                       where,
                       name,
                       fmt::join(versions, ", "),
                       more,
                       asked.build.is_any() ? "" : " (builds may differ)");
}

/// Channels that have what was asked for but that strict priority leaves out of the universe.
std::vector<std::string> excluded_channels(const Universe& universe,
                                           const conda::MatchSpec& asked,
                                           std::span<const channels::SubdirIndex> indexes) {
    std::set<std::string_view> used;
    for (const PackageIndex package : universe.of_name(asked.name.text())) {
        used.insert(universe.packages()[package].candidate.record->channel);
    }
    std::vector<std::string> found;
    for (const channels::SubdirIndex& index : indexes) {
        const std::string& channel = index.channel().name;
        if (used.contains(channel) ||
            std::find(found.begin(), found.end(), channel) != found.end()) {
            continue;
        }
        channels::RecordSet records;
        index.load(asked.name.text(), records);
        const conda::RecordMatcher match(asked);
        if (std::ranges::any_of(records.records(),
                                [&](const auto& record) { return match.matches(record); })) {
            found.push_back(channel);
        }
    }
    return found;
}

}  // namespace

std::vector<std::string> explain(const Universe& universe, const std::vector<Conflict>& conflicts) {
    Explainer explainer(universe);
    for (const Conflict& conflict : conflicts) {
        explainer.add(conflict);
    }
    return explainer.lines();
}

std::vector<std::string> explain_unmatched(const Universe& universe,
                                           SpecIndex spec,
                                           std::span<const channels::SubdirIndex> indexes) {
    const Spec& asked = universe.specs()[spec];
    const std::string& name = asked.match.name.text();
    std::vector<std::string> lines = {fmt::format("you asked for {}", asked.text)};
    if (universe.of_name(name).empty()) {
        lines.push_back("  " + no_candidate(asked.match, indexes));
        return lines;
    }
    lines.push_back("  " + what_there_is(universe, asked.match));
    if (const auto excluded = excluded_channels(universe, asked.match, indexes);
        !excluded.empty()) {
        lines.push_back(fmt::format(
            "  {0} has it, but strict channel priority leaves it out: ask for {0}::{1}, or use "
            "--channel-priority flexible",
            excluded.front(),
            name));
    }
    return lines;
}

}  // namespace chm::solver
