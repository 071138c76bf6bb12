// Specs in plain words: how each field of a MatchSpec was read, for people who wonder why it
// matches what it matches.
#pragma once

#include "conda/match_spec.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace chm::conda {

/// ">=1.8,<2" is "1.8 or newer, and older than 2".
[[nodiscard]] std::string in_words(const VersionSpec& spec);

struct SpecField {
    std::string_view key;  // "version"; the keyword of the bracket form
    std::string value;     // as canonical text has it
    std::string meaning;   // in words
};

/// The fields that restrict something, in the order of canonical text; the name always.
[[nodiscard]] std::vector<SpecField> explain(const MatchSpec& spec);

}  // namespace chm::conda
