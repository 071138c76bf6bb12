// Versions and version specs as CEP 33 and CEP 29 read, word by word and without haste: what the
// packed keys and compiled specs of src/conda are held against.
#pragma once

#include "base/ascii.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <compare>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chm::test {

/// CEP 33 as it reads: lists of segments of components, missing ones being 0.
struct SlowVersion {
    struct Component {
        int rank = 1;       // dev, letters, number, post: -1, 0, 1, 2
        std::string value;  // a number without leading zeros, or letters
    };
    using Segments = std::vector<std::vector<Component>>;
    Segments release;  // the epoch first
    Segments local;
};

inline SlowVersion::Component component(std::string run) {
    if (run == "dev" || run == "post") {
        return {run == "dev" ? -1 : 2, ""};
    }
    if (run.front() < '0' || run.front() > '9') {
        return {0, std::move(run)};
    }
    run.erase(0, std::min(run.find_first_not_of('0'), run.size()));
    return {1, std::move(run)};
}

/// Segments of lower-case letters, digits and a last '_', separated by '.'.
inline SlowVersion::Segments slow_segments(std::string_view text) {
    SlowVersion::Segments segments;
    for (const std::string_view part : chm::split(text, '.')) {
        auto& segment = segments.emplace_back();
        std::string run;
        if (!is_digit(part.front())) {
            segment.push_back(component("0"));
        }
        for (const char c : part) {
            if (!run.empty() && is_digit(run.back()) != is_digit(c)) {
                segment.push_back(component(std::exchange(run, "")));
            }
            run += c;
        }
        segment.push_back(component(run));
    }
    return segments;
}

inline std::strong_ordering slow_compare(const SlowVersion::Component& a,
                                         const SlowVersion::Component& b) {
    if (a.rank != b.rank) {
        return a.rank <=> b.rank;
    }
    if (a.rank == 1 && a.value.size() != b.value.size()) {
        return a.value.size() <=> b.value.size();
    }
    return a.value.compare(b.value) <=> 0;
}

inline std::strong_ordering slow_compare(const SlowVersion::Segments& a,
                                         const SlowVersion::Segments& b) {
    const SlowVersion::Component zero;
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
        const auto left = i < a.size() ? a[i] : std::vector<SlowVersion::Component>();
        const auto right = i < b.size() ? b[i] : std::vector<SlowVersion::Component>();
        for (std::size_t k = 0; k < std::max(left.size(), right.size()); ++k) {
            const auto order =
                slow_compare(k < left.size() ? left[k] : zero, k < right.size() ? right[k] : zero);
            if (order != 0) {
                return order;
            }
        }
    }
    return std::strong_ordering::equal;
}

inline SlowVersion slow_version(std::string_view written) {
    std::string text = lower(written);
    std::ranges::replace(text, '-', '_');
    std::string epoch = "0";
    if (const auto mark = text.find('!'); mark != std::string::npos) {
        epoch = text.substr(0, mark);
        text.erase(0, mark + 1);
    }
    std::string local;
    if (const auto mark = text.find('+'); mark != std::string::npos) {
        local = text.substr(mark + 1);
        text.resize(mark);
    }
    const auto dotted = [](std::string part) {
        std::replace(part.begin(), part.end() - 1, '_', '.');
        return part;
    };
    SlowVersion version;
    version.release = slow_segments(epoch + "." + dotted(text));
    if (!local.empty()) {
        version.local = slow_segments(dotted(local));
    }
    return version;
}

inline std::strong_ordering slow_compare(const SlowVersion& a, const SlowVersion& b) {
    const auto order = slow_compare(a.release, b.release);
    return order != 0 ? order : slow_compare(a.local, b.local);
}

/// "=LITERAL": all segments but the last equal, and of the last the components that the literal
/// has; its last component, when letters, only needs to begin the other's.
inline bool slow_prefix(const SlowVersion& prefix, const SlowVersion& version) {
    const bool has_local = !prefix.local.empty();
    if (has_local && slow_compare(prefix.release, version.release) != 0) {
        return false;
    }
    const auto& wanted = has_local ? prefix.local : prefix.release;
    const auto& present = has_local ? version.local : version.release;
    const std::size_t last = wanted.size() - 1;
    const auto first = [](const SlowVersion::Segments& segments, std::size_t count) {
        return SlowVersion::Segments(
            segments.begin(),
            segments.begin() + static_cast<std::ptrdiff_t>(std::min(count, segments.size())));
    };
    if (slow_compare(first(wanted, last), first(present, last)) != 0) {
        return false;
    }
    const auto& wanted_segment = wanted[last];
    const auto segment =
        last < present.size() ? present[last] : std::vector<SlowVersion::Component>();
    const auto at = [&](std::size_t i) {
        return i < segment.size() ? segment[i] : SlowVersion::Component();
    };
    for (std::size_t i = 0; i + 1 < wanted_segment.size(); ++i) {
        if (slow_compare(wanted_segment[i], at(i)) != 0) {
            return false;
        }
    }
    const auto& end = wanted_segment.back();
    const auto other = at(wanted_segment.size() - 1);
    return end.rank == 0 ? other.rank == 0 && other.value.starts_with(end.value)
                         : slow_compare(end, other) == 0;
}

/// '*' is any text; everything else is itself, letter case aside.
inline bool slow_glob(std::string_view pattern, std::string_view text) {
    if (pattern.empty()) {
        return text.empty();
    }
    if (pattern.front() == '*') {
        return slow_glob(pattern.substr(1), text) ||
               (!text.empty() && slow_glob(pattern, text.substr(1)));
    }
    return !text.empty() && to_lower(pattern.front()) == to_lower(text.front()) &&
           slow_glob(pattern.substr(1), text.substr(1));
}

/// One clause of a canonical version spec.
inline bool slow_clause(std::string_view clause, std::string_view version) {
    const auto operand = [&](std::size_t length) { return clause.substr(length); };
    const auto order = [&](std::size_t length) {
        return slow_compare(slow_version(version), slow_version(operand(length)));
    };
    const auto prefix = [&](std::string_view literal) {
        return slow_prefix(slow_version(literal), slow_version(version));
    };
    if (clause == "*") {
        return true;
    }
    if (clause.starts_with("==")) {
        return order(2) == 0;
    }
    if (clause.starts_with(">=")) {
        return order(2) >= 0;
    }
    if (clause.starts_with("<=")) {
        return order(2) <= 0;
    }
    if (clause.starts_with("~=")) {
        const std::string_view literal = operand(2);
        const std::size_t dot = literal.rfind('.');
        return order(2) >= 0 && (dot == std::string_view::npos || prefix(literal.substr(0, dot)));
    }
    if (clause.starts_with("!=") && clause.ends_with(".*")) {
        return !prefix(clause.substr(2, clause.size() - 4));
    }
    if (clause.starts_with("!=")) {
        return clause.find('*') == std::string_view::npos ? order(2) != 0
                                                          : !slow_glob(operand(2), version);
    }
    if (clause.starts_with('=')) {
        return prefix(operand(1));
    }
    if (clause.starts_with('>')) {
        return order(1) > 0;
    }
    return clause.starts_with('<') ? order(1) < 0 : slow_glob(clause, version);
}

/// A canonical version spec without parentheses and regular expressions.
inline bool slow_spec(std::string_view spec, std::string_view version) {
    return std::ranges::any_of(split(spec, '|'), [&](std::string_view alternative) {
        return std::ranges::all_of(split(alternative, ','), [&](std::string_view clause) {
            return slow_clause(clause, version);
        });
    });
}

}  // namespace chm::test
