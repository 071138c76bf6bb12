#include "channels/shard_assembly.hpp"

#include "base/text.hpp"
#include "channels/limits.hpp"
#include "channels/msgpack.hpp"
#include "channels/repodata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace chm::channels {
namespace {

tl::unexpected<Error> not_a_shard(std::string_view what) {
    return fail(ErrorKind::integrity, fmt::format("not a shard (CEP 16): {}", what));
}

Result<> require_name(std::string_view fn, std::string_view name) {
    if (shard_name_of(fn) == name) {
        return {};
    }
    return fail(
        ErrorKind::integrity,
        fmt::format(
            "the shard of {} holds {}, a file of another name", printable(name), printable(fn)));
}

Result<std::vector<ShardRecord>> read_section(const Json* section, std::string_view name) {
    std::vector<ShardRecord> records;
    if (section == nullptr) {
        return records;
    }
    if (section->as_object() == nullptr) {
        return not_a_shard("a section is no map");
    }
    for (const auto& [key, record] : *section->as_object()) {
        CHM_CHECK(require_name(key, name));
        if (record.as_object() == nullptr) {
            return not_a_shard("a record is no map");
        }
        records.push_back({key, to_json(record), {}});
    }
    return records;
}

Result<> read_extensions(const Json* v3, std::string_view name, ShardContent& content) {
    if (v3 == nullptr) {
        return {};
    }
    if (v3->as_object() == nullptr) {
        return not_a_shard("its v3 is no map");
    }
    for (const auto& [extension, section] : *v3->as_object()) {
        CHM_TRY(auto records, read_section(&section, name));
        content.v3.emplace_back(extension, std::move(records));
    }
    return {};
}

Result<> read_removed(const Json* removed, std::string_view name, ShardContent& content) {
    if (removed == nullptr) {
        return {};
    }
    if (removed->as_array() == nullptr) {
        return not_a_shard("its \"removed\" is no list");
    }
    for (const Json& item : *removed->as_array()) {
        if (item.as_string() == nullptr) {
            return not_a_shard("its \"removed\" has something else than texts");
        }
        CHM_CHECK(require_name(*item.as_string(), name));
        content.removed.push_back(*item.as_string());
    }
    return {};
}

/// The members sorted by key, so that two objects can be compared in one pass.
std::vector<const std::pair<std::string, Json>*> by_key(const Json::Object& object) {
    std::vector<const std::pair<std::string, Json>*> members;
    members.reserve(object.size());
    for (const auto& member : object) {
        members.push_back(&member);
    }
    std::ranges::stable_sort(members, {}, [](const auto* member) { return member->first; });
    return members;
}

/// Equal but for the order of keys. Recurses as deep as the values are, which is at most 64.
bool is_same_value(const Json& a, const Json& b) {
    if (a.as_array() != nullptr && b.as_array() != nullptr) {
        return std::ranges::equal(*a.as_array(), *b.as_array(), is_same_value);
    }
    if (a.as_object() == nullptr || b.as_object() == nullptr) {
        return a == b;
    }
    return std::ranges::equal(
        by_key(*a.as_object()), by_key(*b.as_object()), [](const auto* left, const auto* right) {
            return left->first == right->first && is_same_value(left->second, right->second);
        });
}

bool is_same_text(std::string_view a, std::string_view b) {
    if (a == b) {
        return true;
    }
    const auto left = parse_json(a);
    const auto right = parse_json(b);
    return left && right && is_same_value(*left, *right);
}

void keep_held_bytes(std::vector<ShardRecord>& records, const std::vector<RecordEntry>& held) {
    std::map<std::string_view, std::string_view> texts;
    for (const RecordEntry& entry : held) {
        texts[entry.key] = entry.json;
    }
    for (ShardRecord& record : records) {
        const auto found = texts.find(record.key);
        if (found != texts.end() && is_same_text(found->second, record.json)) {
            record.held = found->second;
            record.json = std::string();
        }
    }
}

const std::vector<RecordEntry>& extension_of(const NameRecords& held, std::string_view extension) {
    static const std::vector<RecordEntry> none;
    const auto found = std::ranges::find(
        held.v3, extension, [](const auto& entry) { return std::string_view(entry.first); });
    return found == held.v3.end() ? none : found->second;
}

/// The two members that say where things are, and one that says when the index of shards was made.
bool is_of_shards_alone(std::string_view key) {
    return key == "base_url" || key == "shards_base_url" || key == "created_at";
}

/// A section of the new index.
class Section {
public:
    void add(const std::vector<RecordEntry>& entries) {
        for (const RecordEntry& entry : entries) {
            members_.push_back({entry.key, entry.json});
        }
    }
    void add(const std::vector<ShardRecord>& records) {
        for (const ShardRecord& record : records) {
            members_.push_back({record.key, record.text()});
        }
    }
    void write(std::string& out) {
        std::ranges::stable_sort(members_, {}, &Member::key);
        out += '{';
        for (const Member& member : members_) {
            out += out.back() == '{' ? "" : ",";
            out += to_json(Json(member.key));
            out += ':';
            out += member.json;
        }
        out += '}';
    }
    [[nodiscard]] std::size_t size() const {
        std::size_t bytes = 2;
        for (const Member& member : members_) {
            bytes += member.key.size() + member.json.size() + 4;
        }
        return bytes;
    }

private:
    struct Member {
        std::string_view key;
        std::string_view json;
    };
    std::vector<Member> members_;
};

class Assembler {
public:
    explicit Assembler(const Assembly& assembly) : assembly_(assembly) {}

    Result<std::string> run() {
        for (const auto& [name, digest] : assembly_.names) {
            const auto changed = assembly_.changed.find(name);
            const auto held = assembly_.held.names.find(name);
            if (changed != assembly_.changed.end()) {
                add(changed->second);
            } else if (held != assembly_.held.names.end()) {
                add(held->second);
            }
        }
        CHM_TRY(const std::string info, make_info());
        std::size_t bytes = info.size() + packages_.size() + packages_conda_.size();
        for (const auto& [extension, section] : v3_) {
            bytes += section.size();
        }
        if (bytes > k_max_index_bytes) {
            return fail(ErrorKind::integrity,
                        fmt::format("the index out of shards would be larger than {}",
                                    human_bytes(k_max_index_bytes)));
        }
        return write(info, bytes);
    }

private:
    void add(const NameRecords& records) {
        packages_.add(records.packages);
        packages_conda_.add(records.packages_conda);
        for (const auto& [extension, entries] : records.v3) {
            v3_[extension].add(entries);
        }
        for (const Json& fn : records.removed) {
            removed_.push_back(*fn.as_string());
        }
    }

    void add(const ShardContent& content) {
        packages_.add(content.packages);
        packages_conda_.add(content.packages_conda);
        for (const auto& [extension, records] : content.v3) {
            v3_[extension].add(records);
        }
        removed_.insert(removed_.end(), content.removed.begin(), content.removed.end());
    }

    /// The held members in their order with the values that the index of shards has, then its others.
    [[nodiscard]] Result<std::string> make_info() const {
        Json::Object info;
        if (!assembly_.held.info.empty()) {
            CHM_TRY(const Json held, parse_json(assembly_.held.info));
            info = *held.as_object();
        }
        std::erase_if(info, [](const auto& member) { return is_of_shards_alone(member.first); });
        for (const auto& [key, value] : assembly_.info) {
            const auto same = std::ranges::find(info, key, [](const auto& m) { return m.first; });
            if (same != info.end()) {
                same->second = value;
            } else if (!is_of_shards_alone(key)) {
                info.emplace_back(key, value);
            }
        }
        if (!assembly_.base_url.empty()) {
            info.emplace_back("base_url", assembly_.base_url);
        }
        return to_json(Json(std::move(info)));
    }

    /// CEP 15: a base_url needs version 2.
    [[nodiscard]] std::string_view version() const {
        const std::string_view held = assembly_.held.repodata_version;
        const bool raise = !assembly_.base_url.empty() && (held.empty() || held == "1");
        return raise ? "2" : (held.empty() ? "1" : held);
    }

    std::string write(const std::string& info, std::size_t bytes) {
        std::string out;
        out.reserve(bytes + bytes / 64 + 4096 + k_json_padding);
        out += R"({"info":)" + info + R"(,"packages":)";
        packages_.write(out);
        out += R"(,"packages.conda":)";
        packages_conda_.write(out);
        std::ranges::sort(removed_);
        Json::Array removed;
        std::ranges::copy(removed_, std::back_inserter(removed));
        out += R"(,"removed":)" + to_json(Json(std::move(removed)));
        out += fmt::format(R"(,"repodata_version":{})", version());
        if (!v3_.empty()) {
            out += R"(,"v3":{)";
            for (auto& [extension, section] : v3_) {
                out += (out.back() == '{' ? "" : ",") + to_json(Json(extension)) + ":";
                section.write(out);
            }
            out += '}';
        }
        out += '}';
        return out;
    }

    const Assembly& assembly_;
    Section packages_;
    Section packages_conda_;
    std::map<std::string, Section> v3_;
    std::vector<std::string> removed_;
};

}  // namespace

Result<ShardContent> read_shard(std::string_view packed, std::string_view name) {
    auto shard = parse_msgpack(packed);
    if (!shard) {
        return not_a_shard(shard.error().message);
    }
    if (shard->as_object() == nullptr) {
        return not_a_shard("it is no map");
    }
    ShardContent content;
    CHM_TRY(content.packages, read_section(shard->find("packages"), name));
    CHM_TRY(content.packages_conda, read_section(shard->find("packages.conda"), name));
    CHM_CHECK(read_extensions(shard->find("v3"), name, content));
    CHM_CHECK(read_removed(shard->find("removed"), name, content));
    return content;
}

void keep_held_bytes(ShardContent& content, const NameRecords& held) {
    keep_held_bytes(content.packages, held.packages);
    keep_held_bytes(content.packages_conda, held.packages_conda);
    for (auto& [extension, records] : content.v3) {
        keep_held_bytes(records, extension_of(held, extension));
    }
}

std::string not_in_shards(const RecordsByName& held, const Json::Object& info) {
    if (!held.others.empty()) {
        return held.others.front();
    }
    const auto parsed =
        held.info.empty() ? Result<Json>(Json(Json::Object())) : parse_json(held.info);
    if (!parsed || parsed->as_object() == nullptr) {
        return "info";
    }
    for (const auto& [key, value] : *parsed->as_object()) {
        const bool said =
            std::ranges::find(info, key, [](const auto& m) { return m.first; }) != info.end();
        if (!said && key != "subdir" && !is_of_shards_alone(key)) {
            return "info." + key;
        }
    }
    return "";
}

Result<std::string> assemble_index(const Assembly& assembly) {
    return Assembler(assembly).run();
}

}  // namespace chm::channels
