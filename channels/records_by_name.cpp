#include "channels/records_by_name.hpp"

#include "channels/index_records.hpp"
#include "channels/repodata.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <utility>

namespace chm::channels {
namespace {

namespace ondemand = simdjson::ondemand;

class Grouping {
public:
    simdjson::error_code read(ondemand::object root) {
        return for_each_record(
            root,
            [&](const RecordPlace& place) { add(place); },
            [&](std::string_view key, ondemand::value value) { return add_other(key, value); });
    }

    RecordsByName found;

private:
    NameRecords& records_of(std::string_view fn) {
        return found.names[std::string(shard_name_of(fn))];
    }

    void add(const RecordPlace& place) {
        NameRecords& records = records_of(place.key);
        RecordEntry entry{std::string(place.key), trim_end(place.json)};
        if (place.section == "packages") {
            records.packages.push_back(std::move(entry));
        } else if (place.section == "packages.conda") {
            records.packages_conda.push_back(std::move(entry));
        } else {
            if (records.v3.empty() || records.v3.back().first != place.extension) {
                records.v3.emplace_back(std::string(place.extension), std::vector<RecordEntry>());
            }
            records.v3.back().second.push_back(std::move(entry));
        }
    }

    simdjson::error_code add_other(std::string_view key, ondemand::value value) {
        ondemand::array removed;
        ondemand::object object;
        if (key == "removed" && value.get_array().get(removed) == simdjson::SUCCESS) {
            return add_removed(removed);
        }
        if (key == "repodata_version") {
            return find_extent(value, found.repodata_version);
        }
        if (key == "info" && value.get_object().get(object) == simdjson::SUCCESS) {
            const auto code = object.raw_json().get(found.info);
            found.info = trim_end(found.info);
            return code;
        }
        found.others.emplace_back(key);
        return simdjson::SUCCESS;
    }

    simdjson::error_code add_removed(ondemand::array removed) {
        bool texts_only = true;
        for (auto item : removed) {
            std::string_view fn;
            if (item.get_string().get(fn) == simdjson::SUCCESS) {
                records_of(fn).removed.push_back(Json(fn));
            } else {
                texts_only = false;
            }
        }
        if (!texts_only) {
            found.others.emplace_back("removed");
        }
        return simdjson::SUCCESS;
    }
};

}  // namespace

std::string_view shard_name_of(std::string_view fn) {
    const std::string_view name = name_in_file_name(fn);
    return name.empty() ? fn : name;
}

Result<RecordsByName> group_by_name(std::string& json) {
    json.reserve(json.size() + k_json_padding);
    Grouping grouping;
    ondemand::parser parser;
    ondemand::document document;
    ondemand::object root;
    auto code = parser.iterate(simdjson::padded_string_view(json, json.capacity())).get(document);
    if (!code) {
        code = document.get_object().get(root);
    }
    if (!code) {
        code = grouping.read(root);
    }
    if (code) {
        return fail(ErrorKind::integrity,
                    fmt::format("not an index: {}", simdjson::error_message(code)));
    }
    return std::move(grouping.found);
}

}  // namespace chm::channels
