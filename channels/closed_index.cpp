// One On-Demand pass each. What is to be cut is skipped, what is kept is walked member by member:
// a key may be written with escapes ("\u0075rl"), so only its unescaped form tells what it is.
#include "channels/closed_index.hpp"

#include "base/ascii.hpp"
#include "channels/json_edits.hpp"
#include "channels/json_members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace chm::channels {
namespace {

tl::unexpected<Error> damaged(simdjson::error_code code) {
    return fail(ErrorKind::integrity,
                fmt::format("the index is damaged ({})", simdjson::error_message(code)));
}

bool is_url_of_info(std::string_view key) {
    return key == "base_url" || key == "shards_base_url";
}

/// "v4" and up: a revision that CEP 48 lets come after the one we know.
bool is_later_revision(std::string_view key) {
    return key.size() > 1 && key.front() == 'v' && key[1] != '0' &&
           std::ranges::all_of(key.substr(1), is_digit) && (key.size() > 2 || key[1] > '3');
}

simdjson::error_code cut(MemberCutter& members, const char* key, ondemand::value value) {
    std::string_view extent;
    if (auto code = find_extent(value, extent)) {
        return code;
    }
    members.cut(key, extent);
    return simdjson::SUCCESS;
}

bool is_object(ondemand::value& value) {
    ondemand::json_type type{};
    return value.type().get(type) == simdjson::SUCCESS && type == ondemand::json_type::object;
}

class IndexCloser {
public:
    IndexCloser(const std::string& json, const std::function<bool(std::string_view)>& is_stored)
        : edits_(json), is_stored_(is_stored) {}

    simdjson::error_code read(ondemand::object root) {
        MemberCutter members(edits_);
        const auto code = for_each_placed_member(
            root, [&](std::string_view key, const char* place, ondemand::value value) {
                if (is_later_revision(key)) {
                    return cut(members, place, value);
                }
                members.keep(place);
                return read_member(key, value);
            });
        members.finish();
        return code;
    }

    [[nodiscard]] ClosedIndex finish() {
        set(counts_, std::to_string(v3_records_));
        set(newest_, v3_newest_ ? std::to_string(*v3_newest_) : "null");
        set(oldest_, v3_oldest_ ? std::to_string(*v3_oldest_) : "null");
        return {edits_.apply(), records_};
    }

private:
    simdjson::error_code read_member(std::string_view key, ondemand::value value) {
        if (key == "info") {
            return read_info(value);
        }
        if (key == "repodata_version") {
            return lower_version(value);
        }
        if (key == "signatures" && is_object(value)) {
            return cut_unstored(value, "", [](ondemand::value) { return simdjson::SUCCESS; });
        }
        const bool is_v3 = key == "v3";
        return for_each_section(key, value, [&](std::string_view suffix, ondemand::value records) {
            return cut_unstored(records, suffix, [&](ondemand::value record) {
                return read_record(record, is_v3);
            });
        });
    }

    /// Cuts the members of `value` whose key with `suffix` is no stored file's name; step(value)
    /// for the others.
    template <class Step>
    simdjson::error_code cut_unstored(ondemand::value value, std::string_view suffix, Step step) {
        ondemand::object files;
        if (auto code = value.get_object().get(files)) {
            return code;
        }
        MemberCutter members(edits_);
        std::string fn;
        const auto code = for_each_placed_member(
            files, [&](std::string_view key, const char* place, ondemand::value member) {
                fn.assign(key).append(suffix);
                if (!is_stored_(fn)) {
                    return cut(members, place, member);
                }
                members.keep(place);
                return step(member);
            });
        members.finish();
        return code;
    }

    simdjson::error_code read_record(ondemand::value value, bool is_v3) {
        ondemand::object record;
        if (auto code = value.get_object().get(record)) {
            return code;
        }
        ++records_;
        v3_records_ += is_v3 ? 1U : 0U;
        MemberCutter members(edits_);
        const auto code = for_each_placed_member(
            record, [&](std::string_view key, const char* place, ondemand::value member) {
                if (key == "url") {
                    return cut(members, place, member);
                }
                members.keep(place);
                if (is_v3 && key == "indexed_timestamp") {
                    note_timestamp(member);
                }
                return simdjson::SUCCESS;
            });
        members.finish();
        return code;
    }

    void note_timestamp(ondemand::value value) {
        std::uint64_t timestamp = 0;
        if (value.get_uint64().get(timestamp) == simdjson::SUCCESS) {
            v3_newest_ = std::max(v3_newest_.value_or(timestamp), timestamp);
            v3_oldest_ = std::min(v3_oldest_.value_or(timestamp), timestamp);
        }
    }

    simdjson::error_code read_info(ondemand::value value) {
        ondemand::object info;
        if (auto code = value.get_object().get(info)) {
            return code;
        }
        MemberCutter members(edits_);
        const auto code = for_each_placed_member(
            info, [&](std::string_view key, const char* place, ondemand::value member) {
                if (is_url_of_info(key)) {
                    return cut(members, place, member);
                }
                members.keep(place);
                if (key == "repodata_version") {  // CEP 36 has it here
                    return lower_version(member);
                }
                return key == "repodata_revisions" ? read_revisions(member) : simdjson::SUCCESS;
            });
        members.finish();
        return code;
    }

    /// 2 allows base_url (CEP 15), which is gone; what a later version means is not for us to say.
    simdjson::error_code lower_version(ondemand::value value) {
        const std::string_view token = trim_end(value.raw_json_token());
        if (token == "2") {
            edits_.replace(token, "1");
        }
        return simdjson::SUCCESS;
    }

    simdjson::error_code read_revisions(ondemand::value value) {
        ondemand::object revisions;
        if (!is_object(value)) {
            return simdjson::SUCCESS;
        }
        if (auto code = value.get_object().get(revisions)) {
            return code;
        }
        MemberCutter members(edits_);
        const auto code = for_each_placed_member(
            revisions, [&](std::string_view key, const char* place, ondemand::value revision) {
                if (is_later_revision(key)) {
                    return cut(members, place, revision);
                }
                members.keep(place);
                return key == "v3" && is_object(revision) ? read_revision(revision)
                                                          : simdjson::SUCCESS;
            });
        members.finish();
        return code;
    }

    /// Remembers where the figures stand: the records may come later in the text.
    simdjson::error_code read_revision(ondemand::value value) {
        ondemand::object revision;
        if (auto code = value.get_object().get(revision)) {
            return code;
        }
        return for_each_member(revision, [&](std::string_view key, ondemand::value member) {
            auto* places = key == "n_packages" ? &counts_
                           : key == "newest"   ? &newest_
                           : key == "oldest"   ? &oldest_
                                               : nullptr;
            if (places == nullptr) {
                return simdjson::SUCCESS;
            }
            std::string_view extent;
            if (auto code = find_extent(member, extent)) {
                return code;
            }
            places->push_back(extent);
            return simdjson::SUCCESS;
        });
    }

    /// Null says nothing, so it is true.
    void set(const std::vector<std::string_view>& places, const std::string& figure) {
        for (const std::string_view place : places) {
            if (place != "null" && place != figure) {
                edits_.replace(place, figure);
            }
        }
    }

    JsonEdits edits_;
    const std::function<bool(std::string_view)>& is_stored_;
    std::uint64_t records_ = 0;
    std::uint64_t v3_records_ = 0;
    std::optional<std::uint64_t> v3_newest_;  // indexed_timestamp, as written
    std::optional<std::uint64_t> v3_oldest_;
    std::vector<std::string_view> counts_;  // places of info.repodata_revisions.v3
    std::vector<std::string_view> newest_;
    std::vector<std::string_view> oldest_;
};

/// With a scheme or a host (RFC 3986 §4.2). Clients pass over white space in front, and some take
/// '\' for '/'.
bool leads_away(std::string_view url) {
    while (!url.empty() && (is_control(url.front()) || url.front() == ' ')) {
        url.remove_prefix(1);
    }
    const auto is_slash = [](char c) { return c == '/' || c == '\\'; };
    if (url.size() >= 2 && is_slash(url[0]) && is_slash(url[1])) {
        return true;
    }
    const auto colon = url.find(':');
    return colon != std::string_view::npos && colon > 0 && is_letter(url.front()) &&
           std::ranges::all_of(url.substr(0, colon), [](char c) {
               return is_alphanumeric(c) || c == '+' || c == '-' || c == '.';
           });
}

class UrlFinder {
public:
    explicit UrlFinder(std::size_t limit) : limit_(limit) {}

    simdjson::error_code read(ondemand::object root) {
        return for_each_member(root, [&](std::string_view key, ondemand::value value) {
            if (key == "info") {
                return read_object(value, is_url_of_info);
            }
            return for_each_section(key, value, [&](std::string_view, ondemand::value section) {
                return read_records(section);
            });
        });
    }

    [[nodiscard]] std::vector<std::string> take() { return std::move(found_); }

private:
    simdjson::error_code read_records(ondemand::value value) {
        ondemand::object records;
        if (auto code = value.get_object().get(records)) {
            return code;
        }
        return for_each_member(records, [&](std::string_view, ondemand::value record) {
            return read_object(record, [](std::string_view key) { return key == "url"; });
        });
    }

    /// Looks at the texts of the members whose key `is_url` knows.
    template <class IsUrl>
    simdjson::error_code read_object(ondemand::value value, IsUrl is_url) {
        ondemand::object object;
        if (auto code = value.get_object().get(object)) {
            return code;
        }
        return for_each_member(object, [&](std::string_view key, ondemand::value member) {
            std::string_view url;
            if (is_url(key) && member.get_string().get(url) == simdjson::SUCCESS &&
                leads_away(url) && found_.size() < limit_) {
                found_.emplace_back(url);
            }
            return simdjson::SUCCESS;
        });
    }

    std::size_t limit_;
    std::vector<std::string> found_;
};

}  // namespace

Result<ClosedIndex> close_index(std::string& json,
                                const std::function<bool(std::string_view fn)>& is_stored) {
    IndexCloser closer(json, is_stored);
    if (const auto code = read_root(json, closer)) {
        return damaged(code);
    }
    return closer.finish();
}

Result<std::vector<std::string>> foreign_urls(std::string& json, std::size_t limit) {
    UrlFinder finder(limit);
    if (const auto code = read_root(json, finder)) {
        return damaged(code);
    }
    return finder.take();
}

}  // namespace chm::channels
