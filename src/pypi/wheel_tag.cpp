#include "pypi/wheel_tag.hpp"

#include "base/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace chm::pypi {

namespace {

/// The members of one of the three sets.
Result<std::vector<std::string>> read_set(std::string_view set, const TextContext& context) {
    std::vector<std::string> members;
    for (const std::string_view member : split(set, '.')) {
        const auto* const odd =
            std::ranges::find_if_not(member, [](char c) { return is_alphanumeric(c) || c == '_'; });
        if (member.empty() || odd != member.end()) {
            return fail(malformed_at(context,
                                     std::string_view(odd, member.end()),
                                     "a tag has one or more ASCII letters, digits and '_'"));
        }
        members.push_back(lower(member));
    }
    return members;
}

}  // namespace

std::string WheelTag::to_text() const {
    return fmt::format("{}-{}-{}", python, abi, platform);
}

Result<WheelTagSet> WheelTagSet::parse(std::string_view text) {
    return parse(text, {"wheel tag", text});
}

Result<WheelTagSet> WheelTagSet::parse(std::string_view literal, const TextContext& context) {
    if (literal.size() > k_max_text) {
        return fail(malformed_at(context, literal, "longer than any wheel tag"));
    }
    const auto sets = split(literal, '-');
    if (sets.size() != 3) {
        return fail(
            malformed_at(context,
                         literal,
                         "three tags are expected: Python, abi and platform, as py3-none-any"));
    }
    WheelTagSet tags;
    CHM_TRY(tags.pythons_, read_set(sets[0], context));
    CHM_TRY(tags.abis_, read_set(sets[1], context));
    CHM_TRY(tags.platforms_, read_set(sets[2], context));
    for (const std::string& python : tags.pythons_) {
        if (is_digit(python.front())) {
            return fail(
                malformed_at(context, sets[0], "a Python tag begins with a letter, as in cp312"));
        }
    }
    // The factors are below 2^16, so the product does not overflow.
    const std::size_t combinations =
        tags.pythons_.size() * tags.abis_.size() * tags.platforms_.size();
    if (combinations > k_max_combinations) {
        return fail(malformed_at(
            context,
            literal,
            fmt::format(
                "{} combinations of tags; at most {} are read", combinations, k_max_combinations)));
    }
    return tags;
}

std::vector<WheelTag> WheelTagSet::expand() const {
    std::vector<WheelTag> tags;
    tags.reserve(pythons_.size() * abis_.size() * platforms_.size());
    for (const std::string& python : pythons_) {
        for (const std::string& abi : abis_) {
            for (const std::string& platform : platforms_) {
                tags.push_back({python, abi, platform});
            }
        }
    }
    std::ranges::sort(tags);
    const auto repeated = std::ranges::unique(tags);
    tags.erase(repeated.begin(), repeated.end());
    return tags;
}

std::string WheelTagSet::to_text() const {
    return fmt::format(
        "{}-{}-{}", fmt::join(pythons_, "."), fmt::join(abis_, "."), fmt::join(platforms_, "."));
}

}  // namespace chm::pypi
