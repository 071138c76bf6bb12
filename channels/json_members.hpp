// Walking an index with simdjson's On-Demand reader.
#pragma once

#include "channels/repodata.hpp"

#include <simdjson.h>

#include <string>
#include <string_view>

namespace chm::channels {

namespace ondemand = simdjson::ondemand;
static_assert(k_json_padding >= simdjson::SIMDJSON_PADDING);

/// Calls step(key, place, value) for every member, in order, until one returns an error. The key is
/// unescaped, a view that may end with the next member's; `place` points at its opening quote.
template <class Step>
simdjson::error_code for_each_placed_member(ondemand::object object, Step&& step) {
    for (auto member : object) {
        ondemand::raw_json_string raw;
        if (auto code = member.key().get(raw)) {
            return code;
        }
        std::string_view key;
        if (auto code = member.unescaped_key().get(key)) {
            return code;
        }
        ondemand::value value;
        if (auto code = member.value().get(value)) {
            return code;
        }
        if (auto code = step(key, raw.raw() - 1, value)) {
            return code;
        }
    }
    return simdjson::SUCCESS;
}

/// The same with step(key, value).
template <class Step>
simdjson::error_code for_each_member(ondemand::object object, Step&& step) {
    return for_each_placed_member(
        object,
        [&](std::string_view key, const char*, ondemand::value value) { return step(key, value); });
}

/// Where an index has its records. `member` is a member of the root: for "packages",
/// "packages.conda" and each extension of "v3" (CEP 48) step(suffix, records) is called; a record's
/// key and `suffix` together are its file name. Does nothing for other members.
template <class Step>
simdjson::error_code for_each_section(std::string_view key, ondemand::value member, Step&& step) {
    if (key == "packages" || key == "packages.conda") {
        return step(std::string_view(), member);
    }
    ondemand::object extensions;
    if (key != "v3") {
        return simdjson::SUCCESS;
    }
    if (auto code = member.get_object().get(extensions)) {
        return code;
    }
    std::string suffix;
    return for_each_member(extensions, [&](std::string_view extension, ondemand::value records) {
        suffix = extension.empty() ? "" : ".";
        suffix += extension;
        return step(std::string_view(suffix), records);
    });
}

constexpr std::string_view k_json_space = " \t\r\n";  // RFC 8259 §2

/// Without the white space that simdjson's raw texts may carry behind them.
inline std::string_view trim_end(std::string_view raw) {
    return raw.substr(0, raw.find_last_not_of(k_json_space) + 1);
}

/// All bytes of a value, also of an object or array.
inline simdjson::error_code find_extent(ondemand::value value, std::string_view& extent) {
    ondemand::json_type type{};
    if (auto code = value.type().get(type)) {
        return code;
    }
    simdjson::error_code code = simdjson::SUCCESS;
    if (type == ondemand::json_type::object) {
        ondemand::object object;
        code = value.get_object().get(object);
        code = code ? code : object.raw_json().get(extent);
    } else if (type == ondemand::json_type::array) {
        ondemand::array array;
        code = value.get_array().get(array);
        code = code ? code : array.raw_json().get(extent);
    } else {
        extent = value.raw_json_token();
    }
    extent = trim_end(extent);
    return code;
}

/// Parses `json` in place and hands its root object to reader.read().
template <class Reader>
simdjson::error_code read_root(std::string& json, Reader& reader) {
    json.reserve(json.size() + k_json_padding);
    ondemand::parser parser;
    ondemand::document document;
    if (auto code =
            parser.iterate(simdjson::padded_string_view(json, json.capacity())).get(document)) {
        return code;
    }
    ondemand::object root;
    if (auto code = document.get_object().get(root)) {
        return code;
    }
    if (auto code = reader.read(root)) {
        return code;
    }
    const char* rest = nullptr;  // there is a location only when something follows the object
    return document.current_location().get(rest) ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
}

}  // namespace chm::channels
