// Small JSON documents of our own: state sidecars, manifests, --json output. Big foreign JSON
// (repodata) is read in channels/, in place. Objects keep their insertion order, so writing is
// deterministic.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace chm {

class Json {
public:
    using Array = std::vector<Json>;
    using Object = std::vector<std::pair<std::string, Json>>;

    Json() = default;  // null
    Json(bool value) : value_(value) {}
    Json(std::int64_t value) : value_(value) {}
    Json(int value) : value_(std::int64_t{value}) {}
    Json(unsigned value) : value_(std::int64_t{value}) {}
    Json(std::uint64_t value);  // above 2^63-1: kept as a double, as most readers would
    Json(double value) : value_(value) {}
    Json(const char* text) : value_(std::string(text)) {}
    Json(std::string text) : value_(std::move(text)) {}
    Json(std::string_view text) : value_(std::string(text)) {}
    Json(Array items) : value_(std::move(items)) {}
    Json(Object members) : value_(std::move(members)) {}

    [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
    [[nodiscard]] const bool* as_bool() const { return std::get_if<bool>(&value_); }
    [[nodiscard]] const std::int64_t* as_integer() const {
        return std::get_if<std::int64_t>(&value_);
    }
    /// A number with a fraction or an exponent, or beyond 64 bits; an integer is not one.
    [[nodiscard]] const double* as_double() const { return std::get_if<double>(&value_); }
    [[nodiscard]] const std::string* as_string() const { return std::get_if<std::string>(&value_); }
    [[nodiscard]] const Array* as_array() const { return std::get_if<Array>(&value_); }
    [[nodiscard]] const Object* as_object() const { return std::get_if<Object>(&value_); }
    /// Member of an object; nullptr when this is no object or has no such key.
    [[nodiscard]] const Json* find(std::string_view key) const;
    /// Member that is a string; empty view when absent or of another type.
    [[nodiscard]] std::string_view text(std::string_view key) const;

    bool operator==(const Json&) const = default;

private:
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

/// Strict RFC 8259; at most 64 levels deep; numbers must fit 64 bits. Of a repeated key find()
/// gives the first. ErrorKind::parse.
Result<Json> parse_json(std::string_view text);

/// UTF-8 text (a byte that is no UTF-8 becomes U+FFFD, an infinity or NaN null); with indent > 0
/// one member a line, and no trailing newline either way. Recurses once a level, so a value that is
/// not from parse_json must be as shallow.
std::string to_json(const Json& value, int indent = 0);

}  // namespace chm
