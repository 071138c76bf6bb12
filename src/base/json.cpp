// JSON in by simdjson's DOM, out by a small writer. See the header.
#include "base/json.hpp"

#include "base/text.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace chm {

namespace {

constexpr std::size_t k_max_depth = 64;
// simdjson makes no documents smaller than this, and would then choose its own depth limit.
constexpr std::size_t k_min_capacity = 32;

Json converted(const simdjson::dom::element& element);

Json converted(const simdjson::dom::array& items) {
    Json::Array array;
    array.reserve(items.size());
    for (const simdjson::dom::element item : items) {
        array.push_back(converted(item));
    }
    return array;
}

Json converted(const simdjson::dom::object& members) {
    Json::Object object;
    object.reserve(members.size());
    for (const auto& [key, value] : members) {
        object.emplace_back(key, converted(value));
    }
    return object;
}

// As deep as the parser has let through. value_unsafe: the type has just been looked at.
Json converted(const simdjson::dom::element& element) {
    using simdjson::dom::element_type;
    switch (element.type()) {
        case element_type::ARRAY:
            return converted(element.get_array().value_unsafe());
        case element_type::OBJECT:
            return converted(element.get_object().value_unsafe());
        case element_type::INT64:
            return element.get_int64().value_unsafe();
        case element_type::UINT64:
            return element.get_uint64().value_unsafe();
        case element_type::DOUBLE:
            return element.get_double().value_unsafe();
        case element_type::STRING:
            return element.get_string().value_unsafe();
        case element_type::BOOL:
            return element.get_bool().value_unsafe();
        case element_type::NULL_VALUE:
            break;
    }
    return {};
}

std::string reason(simdjson::error_code code) {
    switch (code) {
        case simdjson::DEPTH_ERROR:
            return fmt::format("it is nested more than {} levels deep", k_max_depth);
        case simdjson::EMPTY:
            return "it is empty";
        case simdjson::UTF8_ERROR:
            return "it is not UTF-8";
        case simdjson::NUMBER_ERROR:
            return "a number is malformed or out of range";
        default:
            return simdjson::error_message(code);
    }
}

class Writer {
public:
    explicit Writer(int indent) : indent_(static_cast<std::size_t>(std::max(indent, 0))) {}

    void write(const Json& value) {
        if (const auto* flag = value.as_bool()) {
            text_ += *flag ? "true" : "false";
        } else if (const auto* integer = value.as_integer()) {
            text_ += fmt::to_string(*integer);
        } else if (const auto* number = value.as_double()) {
            write_number(*number);
        } else if (const auto* string = value.as_string()) {
            write_string(*string);
        } else if (const auto* array = value.as_array()) {
            write_array(*array);
        } else if (const auto* object = value.as_object()) {
            write_object(*object);
        } else {
            text_ += "null";
        }
    }

    std::string take() && { return std::move(text_); }

private:
    // The shortest digits that read back as the same double, with a point so that it stays one.
    void write_number(double number) {
        if (!std::isfinite(number)) {
            text_ += "null";
            return;
        }
        const std::string digits = fmt::format("{}", number);
        text_ += digits;
        if (digits.find_first_of(".e") == std::string::npos) {
            text_ += ".0";
        }
    }

    void write_string(std::string_view string) {
        text_ += '"';
        while (!string.empty()) {
            const std::size_t length = utf8_character(string);
            if (length == 0) {
                text_ += "\xEF\xBF\xBD";  // U+FFFD
            } else if (length == 1) {
                write_ascii(string.front());
            } else {
                text_ += string.substr(0, length);
            }
            string.remove_prefix(std::max<std::size_t>(length, 1));
        }
        text_ += '"';
    }

    void write_ascii(char character) {
        switch (character) {
            case '"':
            case '\\':
                text_ += '\\';
                text_ += character;
                return;
            case '\n':
                text_ += "\\n";
                return;
            case '\r':
                text_ += "\\r";
                return;
            case '\t':
                text_ += "\\t";
                return;
            default:
                break;
        }
        if (static_cast<unsigned char>(character) < 0x20) {
            text_ += fmt::format("\\u{:04x}", static_cast<unsigned>(character));
        } else {
            text_ += character;
        }
    }

    void write_array(const Json::Array& items) {
        text_ += '[';
        ++level_;
        for (const Json& item : items) {
            begin_entry(&item == items.data());
            write(item);
        }
        end_entries(items.empty());
        text_ += ']';
    }

    void write_object(const Json::Object& members) {
        text_ += '{';
        ++level_;
        for (const auto& member : members) {
            begin_entry(&member == members.data());
            write_string(member.first);
            text_ += indent_ > 0 ? ": " : ":";
            write(member.second);
        }
        end_entries(members.empty());
        text_ += '}';
    }

    void begin_entry(bool is_first) {
        if (!is_first) {
            text_ += ',';
        }
        break_line();
    }

    void end_entries(bool none) {
        --level_;
        if (!none) {
            break_line();
        }
    }

    void break_line() {
        if (indent_ > 0) {
            text_ += '\n';
            text_.append(level_ * indent_, ' ');
        }
    }

    std::string text_;
    std::size_t indent_;
    std::size_t level_ = 0;
};

}  // namespace

Json::Json(std::uint64_t value) {
    if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        value_ = static_cast<std::int64_t>(value);
    } else {
        value_ = static_cast<double>(value);
    }
}

const Json* Json::find(std::string_view key) const {
    const Object* object = as_object();
    if (object == nullptr) {
        return nullptr;
    }
    const auto found = std::find_if(
        object->begin(), object->end(), [key](const auto& member) { return member.first == key; });
    return found == object->end() ? nullptr : &found->second;
}

std::string_view Json::text(std::string_view key) const {
    const Json* member = find(key);
    const std::string* string = member != nullptr ? member->as_string() : nullptr;
    return string != nullptr ? std::string_view(*string) : std::string_view();
}

Result<Json> parse_json(std::string_view text) {
    simdjson::dom::parser parser;
    // simdjson counts the value inside the deepest container as a level, and an empty container as
    // a plain value.
    simdjson::error_code code =
        parser.allocate(std::max(text.size(), k_min_capacity), k_max_depth + 1);
    simdjson::dom::element root;
    if (code == simdjson::SUCCESS) {
        code = parser.parse(simdjson::padded_string(text)).get(root);
    }
    if (code != simdjson::SUCCESS) {
        return fail(ErrorKind::parse, fmt::format("not valid JSON: {}", reason(code)));
    }
    return converted(root);
}

std::string to_json(const Json& value, int indent) {
    Writer writer(indent);
    writer.write(value);
    return std::move(writer).take();
}

}  // namespace chm
