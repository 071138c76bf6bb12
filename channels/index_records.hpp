// Where the records of an index lie in its JSON, in one On-Demand pass.
#pragma once

#include "channels/json_members.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <string>
#include <string_view>

namespace chm::channels {

struct RecordPlace {
    std::string_view section;    // "packages", "packages.conda", or "v3" (CEP 48)
    std::string_view extension;  // of v3, whose keys lack it: "conda"
    std::string_view key;        // unescaped
    std::string_view json;       // the record's object, in the index's text

    [[nodiscard]] std::string file_name() const {
        return extension.empty() ? std::string(key) : fmt::format("{}.{}", key, extension);
    }
};

/// visit(place) for each record of one section. The views of a place other than `json` end with the
/// call.
template <class Visit>
simdjson::error_code for_each_record_of(simdjson::ondemand::value section,
                                        RecordPlace place,
                                        Visit&& visit) {
    simdjson::ondemand::object records;
    if (auto code = section.get_object().get(records)) {
        return code;
    }
    return for_each_member(records, [&](std::string_view key, simdjson::ondemand::value value) {
        simdjson::ondemand::object record;
        if (auto code = value.get_object().get(record)) {
            return code;
        }
        if (auto code = record.raw_json().get(place.json)) {
            return code;
        }
        place.key = key;
        visit(place);
        return simdjson::SUCCESS;
    });
}

/// The same for the whole index; other(key, value) for its other members, which may be ignored.
template <class Visit, class Other>
simdjson::error_code for_each_record(simdjson::ondemand::object root,
                                     Visit&& visit,
                                     Other&& other) {
    return for_each_member(root, [&](std::string_view key, simdjson::ondemand::value section) {
        if (key == "packages" || key == "packages.conda") {
            const std::string name(key);  // the view ends with the next key
            return for_each_record_of(section, {name, {}, {}, {}}, visit);
        }
        if (key != "v3") {
            return other(key, section);
        }
        simdjson::ondemand::object extensions;
        if (auto code = section.get_object().get(extensions)) {
            return code;
        }
        return for_each_member(extensions,
                               [&](std::string_view extension, simdjson::ondemand::value records) {
                                   const std::string name(extension);
                                   return for_each_record_of(records, {"v3", name, {}, {}}, visit);
                               });
    });
}

template <class Visit>
simdjson::error_code for_each_record(simdjson::ondemand::object root, Visit&& visit) {
    return for_each_record(
        root, visit, [](std::string_view, simdjson::ondemand::value) { return simdjson::SUCCESS; });
}

/// CEP 26: "name-version-build.ext", where neither version nor build has a dash. Empty when it is
/// no such thing.
inline std::string_view name_in_file_name(std::string_view fn) {
    const auto build = fn.rfind('-');
    const auto version = build == std::string_view::npos || build == 0 ? std::string_view::npos
                                                                       : fn.rfind('-', build - 1);
    return version == std::string_view::npos ? std::string_view{} : fn.substr(0, version);
}

}  // namespace chm::channels
