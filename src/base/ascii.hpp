// ASCII character classes: the languages read here (versions, specs, URLs) are defined on ASCII,
// and <cctype> depends on the locale.
#pragma once

#include <string>
#include <string_view>

namespace chm {

[[nodiscard]] constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
[[nodiscard]] constexpr bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
[[nodiscard]] constexpr bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
[[nodiscard]] constexpr bool is_letter(char c) {
    return is_lower(c) || is_upper(c);
}
[[nodiscard]] constexpr bool is_lower_or_digit(char c) {
    return is_lower(c) || is_digit(c);
}
[[nodiscard]] constexpr bool is_alphanumeric(char c) {
    return is_letter(c) || is_digit(c);
}
/// NUL to 0x1F, and DEL.
[[nodiscard]] constexpr bool is_control(char c) {
    return (c >= '\0' && c < ' ') || c == '\x7f';
}
[[nodiscard]] constexpr char to_lower(char c) {
    return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

[[nodiscard]] inline std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        c = to_lower(c);
    }
    return result;
}

}  // namespace chm
