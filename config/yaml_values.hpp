// What the keys' values are made of: reading texts, lists and flags from YAML nodes, and showing
// them in YAML's flow style again.
#pragma once

#include "base/result.hpp"
#include "config/yaml.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace chm::config {

/// A text that is not empty and holds no NUL. Errors of all readers are ErrorKind::config and have
/// no position; the caller knows the file and line.
Result<std::string> read_text(const YamlNode& node);
/// A list of texts; one text alone counts as a list of one.
Result<std::vector<std::string>> read_list(const YamlNode& node);
/// true, yes, on; false, no, off.
Result<bool> read_flag(const YamlNode& node);

/// Plain where YAML's flow style reads it as the same text, quoted else (a JSON string is a YAML
/// string).
[[nodiscard]] std::string flow_text(std::string_view text);
[[nodiscard]] std::string flow_list(const std::vector<std::string>& items);

}  // namespace chm::config
