#include "pypi/text_context.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace chm::pypi {

namespace {

constexpr std::size_t k_excerpt = 120;

std::string excerpt(std::string_view text) {
    if (text.find('@') == std::string_view::npos && text.find("://") == std::string_view::npos) {
        return printable(text.substr(0, k_max_text), k_excerpt);
    }
    const auto* const end = std::ranges::find_if_not(
        text, [](char c) { return is_alphanumeric(c) || is_separator(c) || c == ' '; });
    return printable(std::string_view(text.begin(), end), k_excerpt) + "…";
}

}  // namespace

Error malformed(const TextContext& context, std::size_t offset, std::string_view reason) {
    return {
        ErrorKind::parse,
        fmt::format("{} '{}', offset {}: {}", context.kind, excerpt(context.text), offset, reason)};
}

Error malformed_at(const TextContext& context, std::string_view at, std::string_view reason) {
    return malformed(context, static_cast<std::size_t>(at.data() - context.text.data()), reason);
}

Result<> check_text(const TextContext& context) {
    const std::string_view text = context.text;
    if (text.size() > k_max_text) {
        return fail(malformed(
            context,
            k_max_text,
            fmt::format("longer than {} bytes, which no {} is", k_max_text, context.kind)));
    }
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_character(text.substr(at));
        const char c = text[at];
        const bool is_odd = is_control(c) && (c < '\t' || c > '\r');
        if (length == 0 || is_odd) {
            return fail(malformed(
                context, at, length == 0 ? "a byte that is not UTF-8" : "a control character"));
        }
        at += length;
    }
    return {};
}

}  // namespace chm::pypi
