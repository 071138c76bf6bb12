// YAML text as a plain tree with line numbers. The only file that sees yaml-cpp is yaml.cpp.
#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace chm::config {

struct YamlNode;
using YamlList = std::vector<YamlNode>;

/// A mapping's member; keys keep their own line so that messages can point at them.
struct YamlMember;
using YamlMap = std::vector<YamlMember>;

/// Scalars are texts, as written; null ("key:" with nothing behind it) is an empty list.
struct YamlNode {
    int line = 0;  // 1-based
    std::variant<YamlList, std::string, YamlMap> value;

    [[nodiscard]] const std::string* scalar() const { return std::get_if<std::string>(&value); }
    [[nodiscard]] const YamlList* list() const { return std::get_if<YamlList>(&value); }
    [[nodiscard]] const YamlMap* map() const { return std::get_if<YamlMap>(&value); }
};

struct YamlMember {
    std::string key;
    int line = 0;
    YamlNode node;
};

/// One document. Bounded: at most 64 levels and 100,000 nodes once aliases are expanded (an alias
/// bomb is an error); duplicate keys are an error. ErrorKind::config: "NAME:LINE: what is wrong".
Result<YamlNode> parse_yaml(std::string_view text, std::string_view name);

}  // namespace chm::config
