#include "config/yaml_values.hpp"

#include "base/json.hpp"
#include "base/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace chm::config {

Result<std::string> read_text(const YamlNode& node) {
    const std::string* text = node.scalar();
    if (text == nullptr || text->empty() || text->find('\0') != std::string::npos) {
        return fail(ErrorKind::config, "expected a text");
    }
    return *text;
}

Result<std::vector<std::string>> read_list(const YamlNode& node) {
    if (node.scalar() != nullptr) {
        CHM_TRY(std::string text, read_text(node));
        return std::vector{std::move(text)};
    }
    const YamlList* list = node.list();
    if (list == nullptr) {
        return fail(ErrorKind::config, "expected a list: [one, two]");
    }
    std::vector<std::string> items;
    for (const YamlNode& item : *list) {
        CHM_TRY(std::string text, read_text(item));
        items.push_back(std::move(text));
    }
    return items;
}

Result<bool> read_flag(const YamlNode& node) {
    CHM_TRY(const std::string text, read_text(node));
    if (text == "true" || text == "yes" || text == "on") {
        return true;
    }
    if (text == "false" || text == "no" || text == "off") {
        return false;
    }
    return fail(ErrorKind::config,
                fmt::format("expected true or false, got '{}'", printable(text)));
}

std::string flow_text(std::string_view text) {
    constexpr std::string_view k_plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:+=~%-";
    const bool plain = !text.empty() && text.find_first_not_of(k_plain) == std::string_view::npos &&
                       std::string_view("-:%=~").find(text.front()) == std::string_view::npos &&
                       text.back() != ':' && text != "null" && text != "Null" && text != "NULL";
    return plain ? std::string(text) : to_json(Json(text));
}

std::string flow_list(const std::vector<std::string>& items) {
    std::vector<std::string> shown;
    shown.reserve(items.size());
    for (const std::string& item : items) {
        shown.push_back(flow_text(item));
    }
    return fmt::format("[{}]", fmt::join(shown, ", "));
}

}  // namespace chm::config
