#include "pypi/package_name.hpp"

#include <algorithm>

namespace chm::pypi {

bool is_valid_name(std::string_view text) {
    return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
           std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || is_separator(c); });
}

std::string normalize_name(std::string_view text) {
    std::string name;
    name.reserve(text.size());
    bool after_separator = false;
    for (const char c : text) {
        const bool separates = is_separator(c);
        if (!separates) {
            name += to_lower(c);
        } else if (!after_separator) {
            name += '-';
        }
        after_separator = separates;
    }
    return name;
}

Result<std::string> parse_name(std::string_view text) {
    return parse_name(text, {"package name", text});
}

Result<std::string> parse_name(std::string_view name, const TextContext& context) {
    if (name.size() > k_max_text) {
        return fail(malformed_at(context, name, "longer than any name"));
    }
    if (name.empty() || !is_alphanumeric(name.front())) {
        return fail(malformed_at(context, name, "a name begins with a letter or digit"));
    }
    const auto* const odd = std::ranges::find_if_not(
        name, [](char c) { return is_alphanumeric(c) || is_separator(c); });
    if (odd != name.end()) {
        return fail(malformed_at(context,
                                 name.substr(static_cast<std::size_t>(odd - name.begin())),
                                 "a name has only ASCII letters, digits, '.', '-' and '_'"));
    }
    if (!is_alphanumeric(name.back())) {
        return fail(malformed_at(
            context, name.substr(name.size() - 1), "a name ends in a letter or digit"));
    }
    return normalize_name(name);
}

}  // namespace chm::pypi
