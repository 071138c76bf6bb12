// One On-Demand pass each. check_repodata meets every token, because On-Demand itself only counts
// the brackets of what it skips: a nonsense value deep in a record would otherwise be published.
#include "channels/repodata.hpp"

#include "base/json.hpp"
#include "base/text.hpp"
#include "channels/json_edits.hpp"
#include "channels/json_members.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace chm::channels {
namespace {

tl::unexpected<Error> not_an_index(std::string_view what) {
    return fail(ErrorKind::integrity, fmt::format("not a channel index: {}", what));
}

/// Deeper than any index goes (five levels); bounds the recursion of check_value.
constexpr int k_max_depth = 64;
/// Bytes kept of a channel_relations reference: more than any that is accepted, so that what is cut
/// is refused when it is used.
constexpr std::size_t k_max_reference = 1024;

/// A message for bytes that were never JSON; empty when they may be.
std::string_view obvious_fault(std::string_view text) {
    const auto start = text.find_first_not_of(k_json_space);
    if (start == std::string_view::npos) {
        return "the file is empty";
    }
    if (text[start] == '<') {
        return "this is an HTML or XML page (a login page, a proxy's answer?)";
    }
    return text[start] == '{' ? "" : "this is not a JSON object";
}

std::string_view describe(simdjson::error_code code) {
    switch (code) {
        case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
        case simdjson::UNCLOSED_STRING:
            return "the JSON is cut short";
        case simdjson::UTF8_ERROR:
            return "the JSON holds invalid UTF-8";
        case simdjson::DEPTH_ERROR:
            return "the JSON is nested too deeply";
        case simdjson::CAPACITY:
        case simdjson::MEMALLOC:
            return "the JSON is larger than can be read (4 GiB)";
        case simdjson::INCORRECT_TYPE:
            return "its info, its packages or a record is not an object";
        default:
            return "the JSON is malformed";
    }
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
    return std::min(text.find_first_not_of("0123456789", at), text.size());
}

/// RFC 8259 §6, of any size: what no 64-bit type holds is still JSON.
bool is_number(std::string_view text) {
    const std::size_t start = text.starts_with('-') ? 1 : 0;
    std::size_t end = skip_digits(text, start);
    if (end == start || (text[start] == '0' && end > start + 1)) {
        return false;
    }
    if (end < text.size() && text[end] == '.') {
        const std::size_t fraction = end + 1;
        end = skip_digits(text, fraction);
        if (end == fraction) {
            return false;
        }
    }
    if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
        std::size_t exponent = end + 1;
        if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) {
            ++exponent;
        }
        end = skip_digits(text, exponent);
        if (end == exponent) {
            return false;
        }
    }
    return end == text.size();
}

/// Visits a value to its last token, so that a fault inside it is met.
simdjson::error_code check_value(ondemand::value value, int depth) {
    if (depth > k_max_depth) {
        return simdjson::DEPTH_ERROR;
    }
    ondemand::json_type type{};
    if (auto code = value.type().get(type)) {
        return code;
    }
    if (type == ondemand::json_type::object) {
        ondemand::object object;
        if (auto code = value.get_object().get(object)) {
            return code;
        }
        return for_each_member(object, [&](std::string_view, ondemand::value member) {
            return check_value(member, depth + 1);
        });
    }
    if (type == ondemand::json_type::array) {
        ondemand::array array;
        if (auto code = value.get_array().get(array)) {
            return code;
        }
        for (auto item : array) {
            ondemand::value element;
            if (auto code = item.get(element)) {
                return code;
            }
            if (auto code = check_value(element, depth + 1)) {
                return code;
            }
        }
        return simdjson::SUCCESS;
    }
    if (type == ondemand::json_type::string) {
        std::string_view ignored;
        return value.get_string().get(ignored);
    }
    const std::string_view token = trim_end(value.raw_json_token());
    const bool known = token == "true" || token == "false" || token == "null" || is_number(token);
    return known ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
}

class SummaryReader {
public:
    simdjson::error_code read(ondemand::object root) {
        return for_each_member(root, [&](std::string_view key, ondemand::value value) {
            if (key == "info") {
                return read_info(value);
            }
            if (key == "packages" || key == "packages.conda") {
                found_packages_ = true;
                return read_records(value);
            }
            return key == "v3" ? read_revision(value) : check_value(value, 2);
        });
    }

    [[nodiscard]] bool found_packages() const { return found_packages_; }
    [[nodiscard]] const RepodataSummary& summary() const { return summary_; }

private:
    simdjson::error_code read_info(ondemand::value value) {
        ondemand::object info;
        if (auto code = value.get_object().get(info)) {
            return code;
        }
        return for_each_member(info, [&](std::string_view key, ondemand::value member) {
            std::string_view text;
            if (key == "subdir" && member.get_string().get(text) == simdjson::SUCCESS) {
                summary_.subdir = text;
                return simdjson::SUCCESS;
            }
            if (key == "base_url" && member.get_string().get(text) == simdjson::SUCCESS) {
                summary_.base_url = text;
                return simdjson::SUCCESS;
            }
            return key == "channel_relations" ? read_relations(member) : check_value(member, 3);
        });
    }

    /// What is no text is no relation: the CEP lets clients ignore what they do not know.
    simdjson::error_code read_relations(ondemand::value value) {
        ondemand::json_type type{};
        if (auto code = value.type().get(type)) {
            return code;
        }
        ondemand::object relations;
        if (type != ondemand::json_type::object) {
            return check_value(value, 3);
        }
        if (auto code = value.get_object().get(relations)) {
            return code;
        }
        return for_each_member(relations, [&](std::string_view key, ondemand::value member) {
            std::string_view text;
            const bool known = key == "base" || key == "overrides";
            if (!known || member.get_string().get(text) != simdjson::SUCCESS) {
                return check_value(member, 4);
            }
            (key == "base" ? summary_.relations.base : summary_.relations.overrides) =
                text.substr(0, k_max_reference);
            return simdjson::SUCCESS;
        });
    }

    /// CEP 48: extension → file name without it → record.
    simdjson::error_code read_revision(ondemand::value value) {
        ondemand::object extensions;
        if (auto code = value.get_object().get(extensions)) {
            return code;
        }
        return for_each_member(extensions, [&](std::string_view, ondemand::value records) {
            return read_records(records);
        });
    }

    simdjson::error_code read_records(ondemand::value value) {
        ondemand::object records;
        if (auto code = value.get_object().get(records)) {
            return code;
        }
        return for_each_member(records, [&](std::string_view, ondemand::value record) {
            ++summary_.records;
            return read_record(record);
        });
    }

    simdjson::error_code read_record(ondemand::value value) {
        ondemand::object record;
        if (auto code = value.get_object().get(record)) {
            return code;
        }
        return for_each_member(record, [&](std::string_view key, ondemand::value member) {
            std::uint64_t timestamp = 0;
            if (key == "timestamp" && member.get_uint64().get(timestamp) == simdjson::SUCCESS) {
                summary_.newest_timestamp = std::max(summary_.newest_timestamp, timestamp);
                return simdjson::SUCCESS;
            }
            return check_value(member, 4);
        });
    }

    RepodataSummary summary_;
    bool found_packages_ = false;
};

/// Whether a repodata_version already allows base_url; a later one is not lowered.
bool is_two_or_more(std::string_view token) {
    unsigned version = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), version);
    return error == std::errc{} && end == token.data() + token.size() && version >= 2;
}

class BaseUrlEditor {
public:
    BaseUrlEditor(const std::string& json, std::string_view base_url)
        : edits_(json), base_url_(to_json(Json(base_url))) {}

    simdjson::error_code read(ondemand::object root) {
        return for_each_member(root, [&](std::string_view key, ondemand::value value) {
            if (key == "repodata_version") {
                version_found_ = true;
                return is_two_or_more(trim_end(value.raw_json_token())) ? simdjson::SUCCESS
                                                                        : replace(value, "2");
            }
            return key == "info" ? read_info(value) : simdjson::SUCCESS;
        });
    }

    [[nodiscard]] std::string apply() {
        std::string inserted;
        if (!info_found_) {
            inserted += fmt::format(R"("info":{{"base_url":{}}},)", base_url_);
        }
        if (!version_found_) {
            inserted += R"("repodata_version":2,)";
        }
        if (!inserted.empty()) {
            edits_.insert(edits_.json().find('{') + 1, inserted);
        }
        return edits_.apply();
    }

private:
    simdjson::error_code replace(ondemand::value value, std::string text) {
        std::string_view old;
        if (auto code = find_extent(value, old)) {
            return code;
        }
        edits_.replace(old, std::move(text));
        return simdjson::SUCCESS;
    }

    simdjson::error_code read_info(ondemand::value value) {
        info_found_ = true;
        const std::string_view brace = value.raw_json_token();
        const std::size_t behind_brace = edits_.offset_of(brace.data()) + 1;
        ondemand::object info;
        if (auto code = value.get_object().get(info)) {
            return code;
        }
        bool replaced = false;
        bool empty = true;
        const auto code = for_each_member(info, [&](std::string_view key, ondemand::value member) {
            empty = false;
            if (key == "base_url") {
                replaced = true;
                return replace(member, base_url_);
            }
            return simdjson::SUCCESS;
        });
        if (!replaced) {
            edits_.insert(behind_brace,
                          fmt::format(R"("base_url":{}{})", base_url_, empty ? "" : ","));
        }
        return code;
    }

    JsonEdits edits_;
    std::string base_url_;  // as a JSON string
    bool info_found_ = false;
    bool version_found_ = false;
};

}  // namespace

Result<RepodataSummary> check_repodata(std::string& json, std::string_view subdir) {
    if (const std::string_view fault = obvious_fault(json); !fault.empty()) {
        return not_an_index(fault);
    }
    SummaryReader reader;
    if (const auto code = read_root(json, reader)) {
        return not_an_index(describe(code));
    }
    if (!reader.found_packages()) {
        return not_an_index("it has neither \"packages\" nor \"packages.conda\"");
    }
    const RepodataSummary& summary = reader.summary();
    if (!summary.subdir.empty() && summary.subdir != subdir) {
        return not_an_index(fmt::format(
            "it says that it is for {}, not for {}", printable(summary.subdir), subdir));
    }
    return summary;
}

Result<std::string> with_base_url(std::string& json, std::string_view base_url) {
    BaseUrlEditor editor(json, base_url);
    if (const auto code = read_root(json, editor)) {
        return not_an_index(describe(code));
    }
    return editor.apply();
}

std::string empty_repodata(std::string_view subdir) {
    return fmt::format(
        R"({{"info":{{"subdir":"{}"}},"packages":{{}},"packages.conda":{{}},"removed":[],"repodata_version":1}})",
        subdir);
}

}  // namespace chm::channels
