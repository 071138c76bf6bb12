// A password or token. It has no formatter, no operator<< and no conversion to text: code that must
// send it asks for it by name, and a reviewer can search for that name.
#pragma once

#include <string>
#include <utility>

namespace chm {

class Secret {
public:
    explicit Secret(std::string value) : value_(std::move(value)) {}
    /// For the transport only: never for a message, a file or a log.
    [[nodiscard]] const std::string& reveal() const { return value_; }
    bool operator==(const Secret&) const = default;

private:
    std::string value_;
};

}  // namespace chm
