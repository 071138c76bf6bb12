// simdjson twice: On-Demand over the whole text for the place of each record, then a small DOM per
// record asked for.
#include "channels/subdir_index.hpp"

#include "base/text.hpp"
#include "channels/index_records.hpp"
#include "channels/repodata.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace chm::channels {
namespace {

namespace ondemand = simdjson::ondemand;
namespace dom = simdjson::dom;

/// Where one record lies in the JSON.
struct Place {
    std::string_view fn;    // unescaped
    std::string_view json;  // the record's object
};

std::string_view text_of(const dom::object& object, const char* key) {
    std::string_view text;
    return object[key].get(text) == simdjson::SUCCESS ? text : std::string_view{};
}

/// 0 when absent or no number; conda takes fractions too.
std::uint64_t number_of(const dom::object& object, const char* key) {
    std::uint64_t number = 0;
    double fraction = 0;
    if (object[key].get(number) == simdjson::SUCCESS) {
        return number;
    }
    const bool is_time =
        object[key].get(fraction) == simdjson::SUCCESS && fraction > 0 && fraction < 9e18;
    return is_time ? static_cast<std::uint64_t>(fraction) : 0;
}

/// Old records have seconds; what would be a date beyond the year 9999 is milliseconds (conda,
/// libmamba).
std::uint64_t milliseconds_of(const dom::object& object, const char* key) {
    constexpr std::uint64_t k_last_second = 253'402'300'799;
    const std::uint64_t number = number_of(object, key);
    return number <= k_last_second ? number * 1000 : number;
}

/// Reads one record; its errors say what was wrong.
class RecordReader {
public:
    RecordReader(const conda::Channel& channel, std::string_view subdir, RecordSet& records)
        : channel_(channel), subdir_(subdir), records_(records) {}

    Result<conda::Record> read(const Place& place, const dom::object& object) {
        conda::Record record;
        if (!conda::is_safe_path_segment(place.fn)) {
            return fail(ErrorKind::parse, "unsafe file name");
        }
        if (!place.fn.ends_with(".conda") && !place.fn.ends_with(".tar.bz2")) {
            return fail(ErrorKind::parse,
                        "it is neither a .conda nor a .tar.bz2");  // v3 has wheels
        }
        record.fn = records_.keep(place.fn);
        record.name = records_.keep(text_of(object, "name"));
        if (record.name.empty() || record.name != name_in_file_name(place.fn)) {
            return fail(ErrorKind::parse,
                        fmt::format("its name '{}' is not its file's", printable(record.name)));
        }
        CHM_TRY(record.version, conda::Version::parse(text_of(object, "version")));
        CHM_TRY(const auto build, read_text(object, "build"));
        record.build = records_.keep(build);
        CHM_TRY(const auto build_number, read_number(object, "build_number"));
        record.build_number = build_number.value_or(0);
        record.timestamp = milliseconds_of(object, "timestamp");
        record.indexed_timestamp = milliseconds_of(object, "indexed_timestamp");
        record.license = records_.keep(text_of(object, "license"));
        std::uint64_t size = 0;
        if (object["size"].get(size) == simdjson::SUCCESS) {  // real channels have -1
            record.size = size;
        }
        CHM_TRY(record.sha256, read_digest<Sha256>(object, "sha256"));
        CHM_TRY(record.md5, read_digest<Md5>(object, "md5"));
        CHM_TRY(record.depends, read_list(object, "depends"));
        CHM_TRY(record.constrains, read_list(object, "constrains"));
        CHM_TRY(record.track_features, read_features(object));
        CHM_TRY(record.flags, read_list(object, "flags"));
        CHM_TRY(record.extra_depends, read_extras(object));
        record.license_family = records_.keep(text_of(object, "license_family"));
        record.features = records_.keep(text_of(object, "features"));
        record.channel = records_.keep(channel_.name);
        record.subdir = records_.keep(subdir_);
        record.url = records_.keep(fmt::format("{}/{}/{}", channel_.url, subdir_, place.fn));
        return record;
    }

private:
    /// Empty when absent or null.
    static Result<std::string_view> read_text(const dom::object& object, const char* key) {
        dom::element value;
        std::string_view text;
        if (object[key].get(value) != simdjson::SUCCESS || value.is_null()) {
            return text;
        }
        if (value.get(text) != simdjson::SUCCESS) {
            return fail(ErrorKind::parse, fmt::format("its {} is no text", key));
        }
        return text;
    }

    /// None when absent or null.
    static Result<std::optional<std::uint64_t>> read_number(const dom::object& object,
                                                            const char* key) {
        dom::element value;
        std::uint64_t number = 0;
        if (object[key].get(value) != simdjson::SUCCESS || value.is_null()) {
            return std::optional<std::uint64_t>();
        }
        if (value.get(number) != simdjson::SUCCESS) {
            return fail(ErrorKind::parse, fmt::format("its {} is no whole number", key));
        }
        return std::optional(number);
    }

    /// Absent, null and empty all occur in real channels and mean that there is none.
    template <class D>
    static Result<std::optional<D>> read_digest(const dom::object& object, const char* key) {
        CHM_TRY(const std::string_view hex, read_text(object, key));
        if (hex.empty()) {
            return std::optional<D>();
        }
        auto digest = D::from_hex(hex);
        if (!digest) {
            return fail(ErrorKind::parse, fmt::format("its {} is malformed", key));
        }
        return std::optional<D>(*digest);
    }

    Result<std::span<const std::string_view>> read_list(const dom::object& object,
                                                        const char* key) {
        dom::element value;
        if (object[key].get(value) != simdjson::SUCCESS || value.is_null()) {
            return std::span<const std::string_view>();
        }
        dom::array array;
        if (value.get(array) != simdjson::SUCCESS) {
            return fail(ErrorKind::parse, fmt::format("its {} is not a list", key));
        }
        return read_texts(array, key);
    }

    Result<std::span<const std::string_view>> read_texts(const dom::array& array,
                                                         std::string_view key) {
        std::vector<std::string_view> items;
        for (const dom::element item : array) {
            std::string_view text;
            if (item.get(text) != simdjson::SUCCESS) {
                return fail(ErrorKind::parse,
                            fmt::format("its {} holds something other than text", key));
            }
            items.push_back(records_.keep(text));
        }
        return records_.keep(std::move(items));
    }

    /// CEP 44: extra → dependencies.
    Result<std::span<const conda::ExtraDepends>> read_extras(const dom::object& object) {
        std::vector<conda::ExtraDepends> extras;
        dom::element value;
        if (object["extra_depends"].get(value) != simdjson::SUCCESS || value.is_null()) {
            return records_.keep(std::move(extras));
        }
        dom::object groups;
        if (value.get(groups) != simdjson::SUCCESS) {
            return fail(ErrorKind::parse, "its extra_depends is not an object");
        }
        for (const auto& [extra, depends] : groups) {
            dom::array list;
            if (depends.get(list) != simdjson::SUCCESS) {
                return fail(ErrorKind::parse, "its extra_depends holds something other than lists");
            }
            CHM_TRY(const auto kept, read_texts(list, "extra_depends"));
            extras.push_back({records_.keep(extra), kept});
        }
        return records_.keep(std::move(extras));
    }

    /// CEP 34: one text, separated by spaces or commas; old records have a list.
    Result<std::span<const std::string_view>> read_features(const dom::object& object) {
        dom::array array;
        if (object["track_features"].get(array) == simdjson::SUCCESS) {
            return read_list(object, "track_features");
        }
        std::vector<std::string_view> items;
        std::string_view rest = text_of(object, "track_features");
        while (!rest.empty()) {
            const auto end = std::min(rest.find_first_of(" ,"), rest.size());
            if (end > 0) {
                items.push_back(records_.keep(rest.substr(0, end)));
            }
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        return records_.keep(std::move(items));
    }

    const conda::Channel& channel_;
    std::string_view subdir_;
    RecordSet& records_;
};

}  // namespace

struct SubdirIndex::Data {
    std::string json;
    conda::Channel channel;
    std::string subdir;
    std::deque<std::string> file_names;  // unescaped keys
    std::unordered_map<std::string_view, std::vector<Place>> by_name;
};

SubdirIndex::SubdirIndex(std::unique_ptr<Data> data) : data_(std::move(data)) {}
SubdirIndex::SubdirIndex(SubdirIndex&&) noexcept = default;
SubdirIndex& SubdirIndex::operator=(SubdirIndex&&) noexcept = default;
SubdirIndex::~SubdirIndex() = default;

Result<SubdirIndex> SubdirIndex::open(std::string json,
                                      conda::Channel channel,
                                      std::string subdir) {
    auto data = std::make_unique<Data>();
    data->json = std::move(json);
    data->channel = std::move(channel);
    data->subdir = std::move(subdir);
    data->json.reserve(data->json.size() + k_json_padding);
    ondemand::parser parser;
    ondemand::document document;
    ondemand::object root;
    auto code = parser.iterate(simdjson::padded_string_view(data->json, data->json.capacity()))
                    .get(document);
    if (!code) {
        code = document.get_object().get(root);
    }
    if (!code) {
        code = for_each_record(root, [&](const RecordPlace& place) {
            const std::string& kept = data->file_names.emplace_back(place.file_name());
            data->by_name[name_in_file_name(kept)].push_back({kept, place.json});
        });
    }
    if (code) {
        return fail(ErrorKind::integrity,
                    fmt::format("{}/{}: the index is damaged ({})",
                                data->channel.name,
                                data->subdir,
                                simdjson::error_message(code)));
    }
    return SubdirIndex(std::move(data));
}

const conda::Channel& SubdirIndex::channel() const {
    return data_->channel;
}

const std::string& SubdirIndex::subdir() const {
    return data_->subdir;
}

bool SubdirIndex::has(std::string_view name) const {
    return !name.empty() && data_->by_name.contains(name);
}

std::vector<std::string_view> SubdirIndex::names() const {
    std::vector<std::string_view> names;
    names.reserve(data_->by_name.size());
    for (const auto& [name, places] : data_->by_name) {
        if (!name.empty()) {  // where the files lie whose names are none of a package
            names.push_back(name);
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

void SubdirIndex::load(std::string_view name, RecordSet& records) const {
    const auto found = data_->by_name.find(name);
    if (found == data_->by_name.end()) {
        return;
    }
    std::unordered_map<std::string_view, const Place*> last;
    for (const Place& place : found->second) {
        last[place.fn] = &place;
    }
    RecordReader reader(data_->channel, data_->subdir, records);
    dom::parser parser;
    for (const Place& place : found->second) {
        if (last[place.fn] != &place) {  // as every JSON reader that makes a map of it
            records.skip({std::string(place.fn), "it is listed twice; the later one counts"});
            continue;
        }
        dom::object object;
        auto record = parser.parse(place.json.data(), place.json.size()).get(object)
                          ? Result<conda::Record>(fail(ErrorKind::parse, "its JSON is malformed"))
                          : reader.read(place, object);
        if (record) {
            records.add(std::move(*record));
        } else {
            records.skip({std::string(place.fn), std::move(record).error().message});
        }
    }
}

}  // namespace chm::channels
