#include "config/package_policy.hpp"

#include "base/text.hpp"
#include "conda/channel.hpp"
#include "config/settings.hpp"
#include "config/yaml_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace chm::config {
namespace {

constexpr std::string_view k_default = "default";
constexpr std::array k_policies = {
    std::pair{PackagePolicy::none, std::string_view{"none"}},
    std::pair{PackagePolicy::matching, std::string_view{"matching"}},
    std::pair{PackagePolicy::all, std::string_view{"all"}},
};

/// "pkgs/main" itself, and the same folder on whatever server; beside them the names under which
/// anaconda.org has the same packages.
bool is_of_anaconda(std::string_view channel) {
    constexpr std::array<std::string_view, 6> k_names = {
        "anaconda", "free", "main", "msys2", "pro", "r"};
    return channel.starts_with("pkgs/") || channel.find("/pkgs/") != std::string_view::npos ||
           channel.starts_with("repo.anaconda.") ||
           std::ranges::find(k_names, channel.substr(0, channel.find("/label/"))) != k_names.end();
}

tl::unexpected<Error> wrong(std::string_view key, std::string_view what) {
    return fail(ErrorKind::config, fmt::format("{}: {}", key, what));
}

Result<conda::MatchSpec> read_spec(const YamlNode& node, std::string_view key) {
    const std::string where =
        node.line > 0 ? fmt::format("{}: line {}", key, node.line) : std::string(key);
    const auto text = read_text(node);
    if (!text) {
        return wrong(where, "expected a MatchSpec, such as 'numpy >=1.26'");
    }
    auto spec = conda::MatchSpec::parse(*text);
    if (!spec) {
        return wrong(where, spec.error().message);
    }
    if (!spec->when.empty() || !spec->extras.empty()) {
        return wrong(where,
                     fmt::format("'{}': 'when' and 'extras' say nothing of a package's file",
                                 printable(*text)));
    }
    spec->warnings.clear();
    return spec;
}

/// One MatchSpec or a list of them.
Result<std::vector<conda::MatchSpec>> read_specs(const YamlMember& member) {
    std::vector<conda::MatchSpec> specs;
    const YamlList* list = member.node.list();
    if (list == nullptr) {
        CHM_TRY(conda::MatchSpec spec, read_spec(member.node, member.key));
        specs.push_back(std::move(spec));
        return specs;
    }
    for (const YamlNode& item : *list) {
        CHM_TRY(conda::MatchSpec spec, read_spec(item, member.key));
        specs.push_back(std::move(spec));
    }
    return specs;
}

/// Reads what is said of one channel: a policy's name, or a mapping, member by member.
class EntryReader {
public:
    Result<PackageSettings> read(const YamlNode& node) {
        if (node.scalar() != nullptr) {
            CHM_CHECK(read_policy(node));
            return finish();
        }
        if (node.map() == nullptr) {
            return fail(ErrorKind::config,
                        "expected none, matching or all, or a mapping such as {match: [numpy]}");
        }
        for (const YamlMember& member : *node.map()) {
            CHM_CHECK(read_member(member));
        }
        if (!policy_ && entry_.match.empty()) {
            return fail(ErrorKind::config,
                        "expected 'policy' (none, matching or all), or 'match' with MatchSpecs");
        }
        return finish();
    }

private:
    Result<PackageSettings> finish() {
        entry_.policy = policy_.value_or(PackagePolicy::matching);
        const bool is_matching = entry_.policy == PackagePolicy::matching;
        if (is_matching && entry_.match.empty()) {
            return wrong("policy", "matching what? Give 'match' with MatchSpecs, or policy all");
        }
        if (!is_matching && !entry_.match.empty()) {
            return wrong("match",
                         fmt::format("it goes with policy matching, not with {}; to leave packages "
                                     "out, give 'exclude'",
                                     to_text(entry_.policy)));
        }
        return std::move(entry_);
    }

    Result<> read_policy(const YamlNode& node) {
        CHM_TRY(const std::string text, read_text(node));
        CHM_TRY(policy_, parse_package_policy(text));
        return {};
    }

    Result<> read_member(const YamlMember& member) {
        if (member.key == "match") {
            CHM_TRY(entry_.match, read_specs(member));
        } else if (member.key == "exclude") {
            CHM_TRY(entry_.exclude, read_specs(member));
        } else {
            auto read = read_scalar(member);
            if (!read) {
                return wrong(printable(member.key), read.error().message);
            }
        }
        return {};
    }

    Result<> read_scalar(const YamlMember& member) {
        if (member.key == "policy") {
            CHM_CHECK(read_policy(member.node));
        } else if (member.key == "prefer_conda") {
            CHM_TRY(entry_.prefer_conda, read_flag(member.node));
        } else if (member.key == "licence") {
            CHM_TRY(entry_.licence, read_text(member.node));
        } else {
            const std::vector<std::string> names = {
                "policy", "match", "exclude", "prefer_conda", "licence"};
            return fail(ErrorKind::config,
                        fmt::format("expected policy, match, exclude, prefer_conda or licence{}",
                                    did_you_mean(member.key, names)));
        }
        return {};
    }

    PackageSettings entry_;
    std::optional<PackagePolicy> policy_;
};

/// A channel's canonical name. One of a server elsewhere ("host:8080/path") is taken as it is
/// shown, though it is neither a URL nor a name below the default alias.
Result<std::string> read_channel_name(const std::string& text) {
    auto channel = conda::parse_channel(text);
    if (channel) {
        return std::move(channel->name);
    }
    const bool has_server = text.find('/') != std::string::npos;
    const auto elsewhere = conda::parse_channel("https://" + text);
    if (has_server && elsewhere && elsewhere->name == text) {
        return text;
    }
    return fail(ErrorKind::config, std::move(channel).error().message);
}

Result<PackageSettings> read_channel(const YamlMember& member) {
    std::string name = member.key;
    if (name != k_default) {
        CHM_TRY(name, read_channel_name(member.key));
    }
    auto entry = EntryReader().read(member.node);
    if (!entry) {
        return wrong(name, entry.error().message);
    }
    entry->channel = std::move(name);
    CHM_CHECK(require_licence(*entry));
    return entry;
}

std::string flow_specs(const std::vector<conda::MatchSpec>& specs) {
    std::vector<std::string> texts;
    texts.reserve(specs.size());
    for (const conda::MatchSpec& spec : specs) {
        texts.push_back(spec.to_text());
    }
    return flow_list(texts);
}

std::string show_entry(const PackageSettings& entry) {
    std::vector<std::string> members = {fmt::format("policy: {}", to_text(entry.policy))};
    if (!entry.match.empty()) {
        members.push_back(fmt::format("match: {}", flow_specs(entry.match)));
    }
    if (!entry.exclude.empty()) {
        members.push_back(fmt::format("exclude: {}", flow_specs(entry.exclude)));
    }
    if (entry.prefer_conda) {
        members.emplace_back("prefer_conda: true");
    }
    if (!entry.licence.empty()) {
        members.push_back(fmt::format("licence: {}", flow_text(entry.licence)));
    }
    return members.size() == 1 ? std::string(to_text(entry.policy))
                               : fmt::format("{{{}}}", fmt::join(members, ", "));
}

}  // namespace

std::string_view to_text(PackagePolicy policy) {
    for (const auto& [value, name] : k_policies) {
        if (value == policy) {
            return name;
        }
    }
    return "none";
}

Result<PackagePolicy> parse_package_policy(std::string_view text) {
    std::vector<std::string> names;
    for (const auto& [value, name] : k_policies) {
        if (name == text) {
            return value;
        }
        names.emplace_back(name);
    }
    return fail(ErrorKind::config,
                fmt::format("expected none, matching or all, got '{}'{}",
                            printable(text),
                            did_you_mean(text, names)));
}

PackageSettings settings_for(const Settings& settings, std::string_view channel) {
    const auto& packages = settings.packages;
    auto found = std::ranges::find(packages, channel, &PackageSettings::channel);
    if (found == packages.end()) {
        found = std::ranges::find(packages, k_default, &PackageSettings::channel);
    }
    PackageSettings entry = found == packages.end() ? PackageSettings{} : *found;
    entry.channel = channel;
    return entry;
}

Result<> require_licence(const PackageSettings& settings) {
    if (settings.policy == PackagePolicy::none || !settings.licence.empty() ||
        !is_of_anaconda(settings.channel)) {
        return {};
    }
    return fail(ErrorKind::config,
                fmt::format("{}: storing its packages needs a licence: this is a channel of "
                            "Anaconda (as all of 'defaults'), whose terms do not let everybody "
                            "copy it; state what lets you under 'packages', such as "
                            "{{{}: {{policy: {}, licence: \"our contract 123\"}}}}",
                            settings.channel,
                            settings.channel,
                            to_text(settings.policy)));
}

Result<std::vector<PackageSettings>> read_packages(const YamlNode& node) {
    std::vector<PackageSettings> packages;
    const YamlMap* map = node.map();
    if (map == nullptr) {
        CHM_TRY(PackageSettings entry, EntryReader().read(node));
        packages.push_back(std::move(entry));
        return packages;
    }
    for (const YamlMember& member : *map) {
        CHM_TRY(PackageSettings entry, read_channel(member));
        if (std::ranges::find(packages, entry.channel, &PackageSettings::channel) !=
            packages.end()) {
            return fail(ErrorKind::config,
                        fmt::format("channel '{}' is given twice", entry.channel));
        }
        packages.push_back(std::move(entry));
    }
    return packages;
}

std::string show_packages(const std::vector<PackageSettings>& packages) {
    std::vector<std::string> items;
    items.reserve(packages.size());
    for (const PackageSettings& entry : packages) {
        items.push_back(fmt::format("{}: {}", flow_text(entry.channel), show_entry(entry)));
    }
    return fmt::format("{{{}}}", fmt::join(items, ", "));
}

}  // namespace chm::config
