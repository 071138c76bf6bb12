// Requirements (PEP 508), as Requires-Dist has them: `name[extra] >=1,<2; sys_platform == "linux"`
// or `name @ https://…`.
#pragma once

#include "base/result.hpp"
#include "pypi/marker.hpp"
#include "pypi/version_specifier.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chm::pypi {

struct Requirement {
    /// ErrorKind::parse with the offset of what is wrong; a URL is never part of the message.
    static Result<Requirement> parse(std::string_view text);

    std::string name;                 // normalized
    std::vector<std::string> extras;  // normalized, sorted, each once
    VersionSpecifierSet versions;     // all, when there is a url
    std::string url;                  // as written: it may hold credentials. Empty: none
    std::optional<Marker> marker;

    /// Canonical text. parse(to_text()) gives an equal requirement.
    [[nodiscard]] std::string to_text() const;

    bool operator==(const Requirement& other) const = default;
};

}  // namespace chm::pypi
