// Loading the candidates. What a name reaches is decided by names alone, so a universe is a little
// larger than need be.
#include "solver/universe.hpp"

#include "base/text.hpp"
#include "conda/record_matcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <unordered_set>
#include <utility>

namespace chm::solver {

/// Walks names breadth-first from the request.
/// One costs a millisecond and tens of kilobytes to compile, and a channel may hold any number of
/// them; none of the channels that we know has one.
constexpr std::size_t k_max_expressions = 256;

class UniverseLoader {
public:
    UniverseLoader(const SolveRequest& request, std::span<const channels::SubdirIndex> indexes)
        : request_(request), indexes_(indexes) {
        universe_.records_ = std::make_unique<channels::RecordSet>();
        rank_channels();
    }

    Result<Universe> run() {
        CHM_CHECK(add_virtual_packages());
        CHM_CHECK(add_requested());
        while (!names_.empty()) {
            const std::string_view name = names_.front();
            names_.pop_front();
            load_name(name);
        }
        order_by_preference();
        return std::move(universe_);
    }

private:
    void rank_channels() {
        for (const channels::SubdirIndex& index : indexes_) {
            const auto& name = index.channel().name;
            if (std::find(channel_order_.begin(), channel_order_.end(), name) ==
                channel_order_.end()) {
                channel_order_.push_back(name);
            }
        }
        pip_exists_ = std::any_of(
            indexes_.begin(), indexes_.end(), [](const auto& index) { return index.has("pip"); });
    }

    [[nodiscard]] std::size_t rank_of(const channels::SubdirIndex& index) const {
        const auto found =
            std::find(channel_order_.begin(), channel_order_.end(), index.channel().name);
        return static_cast<std::size_t>(found - channel_order_.begin());
    }

    Result<> add_virtual_packages() {
        channels::RecordSet& records = *universe_.records_;
        for (const conda::VirtualPackage& package : request_.virtual_packages) {
            conda::Record record;
            record.name = records.keep(package.name);
            record.build = records.keep(package.build);
            record.fn = record.name;
            auto version = conda::Version::parse(package.version);
            if (!version) {
                return fail(ErrorKind::usage,
                            fmt::format("virtual package {}: {}",
                                        conda::to_text(package),
                                        version.error().message));
            }
            record.version = std::move(*version);
            records.add(std::move(record));
            add_package({{&records.records().back(), 0}, {}, {}, true});
        }
        return {};
    }

    Result<> add_requested() {
        for (const conda::MatchSpec& spec : request_.specs) {
            const std::string text = spec.to_text();
            if (!spec.name.is_literal() || spec.name.is_any()) {
                return fail(ErrorKind::usage,
                            fmt::format("spec '{}': a requested spec must name one package", text));
            }
            if (const std::string_view what = unsupported(spec); !what.empty()) {
                return fail(ErrorKind::usage, fmt::format("spec '{}': {}", text, what));
            }
            if (!spec.channel.empty()) {
                conda::MatchSpec pin;
                pin.channel = spec.channel;
                pins_[spec.name.text()].push_back(std::move(pin));
            }
            universe_.requested_.push_back(intern(spec, text));
        }
        auto& requested = universe_.requested_;
        std::sort(requested.begin(), requested.end(), [&](SpecIndex a, SpecIndex b) {
            return universe_.specs_[a].text < universe_.specs_[b].text;
        });
        requested.erase(std::unique(requested.begin(), requested.end()), requested.end());
        for (const SpecIndex spec : requested) {
            reach(universe_.specs_[spec].match.name.text());
        }
        return {};
    }

    static std::string_view unsupported(const conda::MatchSpec& spec) {
        if (!spec.when.empty()) {
            return "conditional dependencies (when=) are not supported yet";
        }
        return spec.extras.empty() ? "" : "extras are not supported yet";
    }

    /// One entry per distinct text, so that every question about a spec is answered once.
    SpecIndex intern(const conda::MatchSpec& match, std::string_view text) {
        const SpecIndex next = universe_.specs_.size();
        const auto [entry, is_new] =
            spec_of_text_.try_emplace(universe_.records_->keep(text), next);
        if (is_new) {
            universe_.specs_.push_back({match, std::string(text)});
        }
        return entry->second;
    }

    Result<SpecIndex> intern(std::string_view text) {
        if (const auto known = spec_of_text_.find(text); known != spec_of_text_.end()) {
            return known->second;
        }
        expressions_ += static_cast<std::size_t>(std::ranges::count(text, '^'));
        if (text.find('^') != std::string_view::npos && expressions_ > k_max_expressions) {
            return fail(ErrorKind::parse,
                        fmt::format("more than {} regular expressions in this solve's dependencies",
                                    k_max_expressions));
        }
        CHM_TRY(const conda::MatchSpec match, conda::MatchSpec::parse(text));
        if (const std::string_view what = unsupported(match); !what.empty()) {
            return fail(ErrorKind::parse, std::string(what));
        }
        return intern(match, text);
    }

    void reach(std::string_view name) {
        const std::string_view kept = universe_.records_->keep(name);
        if (!kept.starts_with("__") && reached_.insert(kept).second) {
            names_.push_back(kept);
        }
    }

    void load_name(std::string_view name) {
        const bool strict = request_.channel_priority == config::ChannelPriority::strict;
        std::optional<std::size_t> only;  // the one channel that may provide the name
        for (const channels::SubdirIndex& index : indexes_) {
            if (!index.has(name) || !pins_allow(name, index) || (only && rank_of(index) != *only)) {
                continue;
            }
            only = strict ? std::optional(rank_of(index)) : std::nullopt;
            load_from(index, name);
        }
    }

    /// "channel::name" takes the name from that channel alone, whatever the priority: else strict
    /// priority could make it unsolvable.
    [[nodiscard]] bool pins_allow(std::string_view name, const channels::SubdirIndex& index) const {
        const auto pins = pins_.find(std::string(name));
        if (pins == pins_.end()) {
            return true;
        }
        const std::string url = fmt::format("{}/{}/", index.channel().url, index.subdir());
        conda::Record
            anything;  // a pin may be a name, a URL or a glob: MatchSpec knows how to compare
        anything.channel = index.channel().name;
        anything.url = url;
        return std::any_of(pins->second.begin(), pins->second.end(), [&](const auto& pin) {
            return pin.matches(anything);
        });
    }

    void load_from(const channels::SubdirIndex& index, std::string_view name) {
        channels::RecordSet& records = *universe_.records_;
        const std::size_t before = records.records().size();
        index.load(name, records);
        for (std::size_t i = before; i < records.records().size(); ++i) {
            add_record(records.records()[i], rank_of(index));
        }
    }

    void add_record(const conda::Record& record, std::size_t channel_rank) {
        Package package{{&record, channel_rank}, {}, {}, false};
        auto read = intern_all(record.depends, package.depends);
        if (read) {
            read = intern_all(record.constrains, package.constrains);
        }
        if (read && record.name == "python" && request_.add_pip_as_python_dependency &&
            pip_exists_) {
            read = intern_all(std::array{std::string_view("pip")}, package.depends);
        }
        if (!read) {
            universe_.skipped_.push_back({std::string(record.fn), read.error().message});
            return;
        }
        for (const SpecIndex spec : package.depends) {
            reach(universe_.specs_[spec].match.name.text());
        }
        add_package(std::move(package));
    }

    Result<> intern_all(std::span<const std::string_view> texts, std::vector<SpecIndex>& specs) {
        for (const std::string_view text : texts) {
            auto spec = intern(text);
            if (!spec) {
                return fail(with_context(std::move(spec).error(),
                                         fmt::format("dependency '{}'", printable(text))));
            }
            specs.push_back(*spec);
        }
        return {};
    }

    void add_package(Package package) {
        const std::string_view name = package.candidate.record->name;
        universe_.by_name_[name].push_back(universe_.packages_.size());
        universe_.packages_.push_back(std::move(package));
    }

    void order_by_preference() {
        for (auto& [name, indexes] : universe_.by_name_) {
            std::sort(indexes.begin(), indexes.end(), [&](PackageIndex a, PackageIndex b) {
                return preferred(universe_.packages_[a].candidate,
                                 universe_.packages_[b].candidate,
                                 request_.channel_priority);
            });
        }
    }

    const SolveRequest& request_;
    std::span<const channels::SubdirIndex> indexes_;
    Universe universe_;
    std::vector<std::string> channel_order_;
    bool pip_exists_ = false;
    std::size_t expressions_ = 0;  // regular expressions in dependencies, so far
    /// Package name → the channels that requested specs name for it, each as a spec that asks for
    /// nothing else.
    std::unordered_map<std::string, std::vector<conda::MatchSpec>> pins_;
    std::unordered_map<std::string_view, SpecIndex> spec_of_text_;
    std::unordered_set<std::string_view> reached_;
    std::deque<std::string_view> names_;
};

Result<Universe> Universe::load(const SolveRequest& request,
                                std::span<const channels::SubdirIndex> indexes) {
    return UniverseLoader(request, indexes).run();
}

std::span<const PackageIndex> Universe::of_name(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found != by_name_.end() ? std::span<const PackageIndex>(found->second)
                                   : std::span<const PackageIndex>{};
}

std::vector<PackageIndex> Universe::matching(SpecIndex spec) const {
    std::vector<PackageIndex> matches;
    const conda::MatchSpec& match_spec = specs_[spec].match;
    const conda::RecordMatcher match(match_spec);
    for (const PackageIndex package : of_name(match_spec.name.text())) {
        if (match.matches(*packages_[package].candidate.record)) {
            matches.push_back(package);
        }
    }
    return matches;
}

std::vector<channels::SkippedRecord> Universe::skipped() const {
    std::vector<channels::SkippedRecord> all = records_->skipped();
    all.insert(all.end(), skipped_.begin(), skipped_.end());
    return all;
}

}  // namespace chm::solver
