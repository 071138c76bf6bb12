#include "pypi/wheel_filename.hpp"

#include "base/text.hpp"
#include "pypi/package_name.hpp"

#include <algorithm>
#include <utility>

namespace chm::pypi {

namespace {

constexpr std::string_view k_suffix = ".whl";

/// PEP 427 has '-' written as '_' in names; older wheels keep '.' and upper case.
Result<std::string> read_name(std::string_view name, const TextContext& context) {
    if (name.find("__") != std::string_view::npos) {
        return fail(malformed_at(context, name, "the name in a wheel's file name has no '__'"));
    }
    // normalize_name takes '-' too, but there is none: it separates the parts.
    return parse_name(name, context);
}

Result<BuildTag> read_build(std::string_view build, const TextContext& context) {
    const auto* const end = std::ranges::find_if_not(build, is_digit);
    std::string_view digits(build.begin(), end);
    const std::string_view suffix = build.substr(digits.size());
    if (digits.empty()) {
        return fail(malformed_at(context, build, "a build tag begins with a digit"));
    }
    const auto* const odd = std::ranges::find_if_not(
        suffix, [](char c) { return is_alphanumeric(c) || c == '_' || c == '.' || c == '+'; });
    if (odd != suffix.end()) {
        return fail(malformed_at(context,
                                 std::string_view(odd, suffix.end()),
                                 "a build tag has ASCII letters, digits, '_', '.' and '+'"));
    }
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
    return BuildTag{std::string(digits), std::string(suffix)};
}

}  // namespace

std::strong_ordering BuildTag::operator<=>(const BuildTag& other) const {
    if (const auto order = number.size() <=> other.number.size(); order != 0) {
        return order;
    }
    if (const auto order = number <=> other.number; order != 0) {
        return order;
    }
    return suffix <=> other.suffix;
}

Result<WheelFilename> WheelFilename::parse(std::string_view text) {
    const TextContext context{"wheel file name", text};
    if (text.size() > k_max_length) {
        return fail(malformed(context, k_max_length, "longer than any file name"));
    }
    if (!text.ends_with(k_suffix)) {
        return fail(malformed(context, text.size(), "a wheel's file name ends in '.whl'"));
    }
    const std::string_view stem = text.substr(0, text.size() - k_suffix.size());
    const auto parts = split(stem, '-');
    if (parts.size() != 5 && parts.size() != 6) {
        return fail(malformed(context,
                              stem.size(),
                              "name-version-python-abi-platform.whl is expected, with a build tag "
                              "after the version at most"));
    }
    CHM_TRY(std::string name, read_name(parts[0], context));
    if (trim(parts[1]).size() != parts[1].size()) {
        return fail(malformed_at(context, parts[1], "white space around the version"));
    }
    CHM_TRY(Version version, Version::parse(parts[1], context));
    BuildTag build;
    if (parts.size() == 6) {
        CHM_TRY(build, read_build(parts[2], context));
    }
    const std::string_view tag_text =
        stem.substr(static_cast<std::size_t>(parts[parts.size() - 3].data() - stem.data()));
    CHM_TRY(WheelTagSet tags, WheelTagSet::parse(tag_text, context));
    return WheelFilename{
        std::string(text), std::move(name), std::move(version), std::move(build), std::move(tags)};
}

}  // namespace chm::pypi
