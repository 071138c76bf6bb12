// One On-Demand pass. Which MatchSpecs could match is known from the file's name alone, so that most
// records of policy `matching` are not read at all, and those of `all` no further than digests.
#include "channels/package_selection.hpp"

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "channels/index_records.hpp"
#include "channels/json_members.hpp"
#include "conda/record_matcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace chm::channels {
namespace {

using config::PackagePolicy;

/// The MatchSpecs of one list, by what they say of the name.
class SpecList {
public:
    explicit SpecList(const std::vector<conda::MatchSpec>& specs) {
        for (const conda::MatchSpec& spec : specs) {
            if (spec.name.is_literal()) {
                by_name_[lower(spec.name.text())].emplace_back(spec);
            } else {
                patterns_.emplace_back(spec.name, conda::RecordMatcher(spec));
            }
        }
    }

    /// Fills `found` with those that may match a record of this name.
    void find(const std::string& name, std::vector<const conda::RecordMatcher*>& found) const {
        found.clear();
        if (const auto exact = by_name_.find(lower(name)); exact != by_name_.end()) {
            for (const conda::RecordMatcher& matcher : exact->second) {
                found.push_back(&matcher);
            }
        }
        for (const auto& [pattern, matcher] : patterns_) {
            if (pattern.matches(name)) {
                found.push_back(&matcher);
            }
        }
    }

private:
    std::unordered_map<std::string, std::vector<conda::RecordMatcher>> by_name_;
    std::vector<std::pair<conda::StringMatch, conda::RecordMatcher>> patterns_;
};

/// Old records have seconds; what would be a date beyond the year 9999 is milliseconds, as
/// subdir_index.cpp has it.
std::uint64_t to_milliseconds(std::uint64_t time) {
    constexpr std::uint64_t k_last_second = 253'402'300'799;
    return time <= k_last_second ? time * 1000 : time;
}

/// A record's members that a MatchSpec or a download can ask for, as views into the parser. Members
/// of another type than they should be count as absent, except for lists.
class RecordFields {
public:
    /// Where no MatchSpec asks, `whole` is false: then only what a download needs is read.
    simdjson::error_code read(ondemand::value value, bool whole) {
        ondemand::object object;
        if (auto code = value.get_object().get(object)) {
            return code;
        }
        *this = {};
        return for_each_member(object, [&](std::string_view key, ondemand::value member) {
            const bool is_needed = whole || key == "sha256" || key == "md5" || key == "size";
            return is_needed ? read_member(key, member) : simdjson::SUCCESS;
        });
    }

    /// What a download needs.
    Result<WantedFile> file(std::string_view fn) const {
        WantedFile file{std::string(fn), {}, {}, size_};
        CHM_TRY(file.sha256, digest<Sha256>(sha256_, "sha256"));
        CHM_TRY(file.md5, digest<Md5>(md5_, "md5"));
        return file;
    }

    /// What a MatchSpec can ask for; lacks what the reader of the index knows.
    Result<conda::Record> record(const WantedFile& file) const {
        if (!bad_list_.empty()) {
            return fail(ErrorKind::parse,
                        fmt::format("its {} holds something other than text", bad_list_));
        }
        if (name_ != name_in_file_name(file.fn)) {
            return fail(ErrorKind::parse,
                        fmt::format("its name '{}' is not its file's", printable(name_)));
        }
        conda::Record record;
        CHM_TRY(record.version, conda::Version::parse(version_));
        record.name = name_;
        record.build = build_;
        record.build_number = build_number_;
        record.fn = file.fn;
        record.track_features = track_features_;
        record.license = license_;
        record.sha256 = file.sha256;
        record.md5 = file.md5;
        record.size = file.size;
        record.timestamp = to_milliseconds(timestamp_);
        record.flags = flags_;
        record.license_family = license_family_;
        record.features = features_;
        return record;
    }

private:
    /// Absent, null and empty all occur in real channels and mean that there is none.
    template <class D>
    static Result<std::optional<D>> digest(std::string_view hex, std::string_view key) {
        if (hex.empty()) {
            return std::optional<D>();
        }
        const auto digest = D::from_hex(hex);
        if (!digest) {
            return fail(ErrorKind::parse, fmt::format("its {} is malformed", key));
        }
        return std::optional<D>(*digest);
    }

    simdjson::error_code read_member(std::string_view key, ondemand::value member) {
        if (key == "track_features") {
            return read_features(member);
        }
        if (key == "flags") {
            return read_list(member, "flags", flags_);
        }
        if (std::string_view* text = text_field(key)) {
            if (member.get_string().get(*text) != simdjson::SUCCESS) {
                *text = {};
            }
            return simdjson::SUCCESS;
        }
        std::uint64_t number = 0;
        if (key == "size") {
            const bool is_said = member.get_uint64().get(number) == simdjson::SUCCESS;
            size_ = is_said ? std::optional(number) : std::nullopt;
        } else if (key == "build_number" || key == "timestamp") {
            const bool is_said = member.get_uint64().get(number) == simdjson::SUCCESS;
            (key == "timestamp" ? timestamp_ : build_number_) = is_said ? number : 0;
        }
        return simdjson::SUCCESS;
    }

    std::string_view* text_field(std::string_view key) {
        const std::pair<std::string_view, std::string_view*> fields[] = {
            {"name", &name_},
            {"version", &version_},
            {"build", &build_},
            {"sha256", &sha256_},
            {"md5", &md5_},
            {"license", &license_},
            {"license_family", &license_family_},
            {"features", &features_},
        };
        for (const auto& [name, field] : fields) {
            if (name == key) {
                return field;
            }
        }
        return nullptr;
    }

    /// CEP 34: one text, separated by spaces or commas; old records have a list.
    simdjson::error_code read_features(ondemand::value member) {
        std::string_view rest;
        if (member.get_string().get(rest) != simdjson::SUCCESS) {
            return read_list(member, "track_features", track_features_);
        }
        track_features_.clear();
        while (!rest.empty()) {
            const auto end = std::min(rest.find_first_of(" ,"), rest.size());
            if (end > 0) {
                track_features_.push_back(rest.substr(0, end));
            }
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        return simdjson::SUCCESS;
    }

    simdjson::error_code read_list(ondemand::value member,
                                   std::string_view key,
                                   std::vector<std::string_view>& items) {
        items.clear();
        ondemand::json_type type{};
        if (auto code = member.type().get(type)) {
            return code;
        }
        ondemand::array array;
        if (type != ondemand::json_type::array) {
            bad_list_ = type == ondemand::json_type::null ? bad_list_ : key;
            return simdjson::SUCCESS;
        }
        if (auto code = member.get_array().get(array)) {
            return code;
        }
        for (auto element : array) {
            std::string_view text;
            if (element.get_string().get(text) != simdjson::SUCCESS) {
                bad_list_ = key;
                continue;
            }
            items.push_back(text);
        }
        return simdjson::SUCCESS;
    }

    std::string_view name_, version_, build_, sha256_, md5_, license_, license_family_, features_;
    std::optional<std::uint64_t> size_;
    std::uint64_t build_number_ = 0;
    std::uint64_t timestamp_ = 0;
    std::vector<std::string_view> track_features_;
    std::vector<std::string_view> flags_;
    std::string_view bad_list_;  // key of a list that is none of texts
};

/// Why a file of this name is not stored; empty when it is a package's name. Whatever has two
/// dashes is no index file.
std::string_view name_fault(std::string_view fn) {
    if (!conda::is_safe_path_segment(fn)) {
        return "unsafe file name";
    }
    const bool is_plain = std::ranges::all_of(fn, [](char c) { return c > ' ' && c < '\x7f'; });
    return !is_plain || fn.front() == '.' || name_in_file_name(fn).empty()
               ? "not a package's file name (name-version-build.extension)"
               : "";
}

/// Both say it, and not the same.
template <class T>
bool differ(const std::optional<T>& a, const std::optional<T>& b) {
    return a && b && *a != *b;
}

class Selector {
public:
    Selector(const conda::Channel& channel,
             std::string_view subdir,
             const config::PackageSettings& settings)
        : channel_(channel),
          subdir_(subdir),
          settings_(settings),
          match_(settings.match),
          exclude_(settings.exclude) {}

    simdjson::error_code read(ondemand::object root) {
        return for_each_member(root, [&](std::string_view key, ondemand::value member) {
            return for_each_section(
                key, member, [&](std::string_view suffix, ondemand::value records) {
                    return read_section(records, suffix);
                });
        });
    }

    [[nodiscard]] Selection finish() {
        std::ranges::stable_sort(selection_.files, {}, &WantedFile::fn);
        merge_equal_names();
        refuse_case_twins();
        if (settings_.prefer_conda) {
            leave_out_twins_of_conda();
        }
        for (const WantedFile& file : selection_.files) {
            selection_.bytes += file.size.value_or(0);
            selection_.unsized += file.size ? 0U : 1U;
        }
        if (refused_ > selection_.refused.size()) {
            selection_.refused.push_back(
                fmt::format("… and {} more", refused_ - selection_.refused.size()));
        }
        return std::move(selection_);
    }

private:
    simdjson::error_code read_section(ondemand::value value, std::string_view suffix) {
        ondemand::object records;
        if (auto code = value.get_object().get(records)) {
            return code;
        }
        return for_each_member(records, [&](std::string_view key, ondemand::value record) {
            fn_.assign(key).append(suffix);
            return read_record(record);
        });
    }

    /// The record of fn_.
    simdjson::error_code read_record(ondemand::value value) {
        if (settings_.policy == PackagePolicy::none) {
            ++selection_.left_out;
            return simdjson::SUCCESS;
        }
        if (const std::string_view fault = name_fault(fn_); !fault.empty()) {
            refuse(fn_, fault);
            return simdjson::SUCCESS;
        }
        find_candidates();
        if (settings_.policy == PackagePolicy::matching && may_match_.empty()) {
            ++selection_.left_out;
            return simdjson::SUCCESS;
        }
        const bool is_asked = !may_match_.empty() || !may_exclude_.empty();
        if (auto code = fields_.read(value, is_asked)) {
            return code;
        }
        auto wanted = judge(is_asked);
        if (!wanted) {
            refuse(fn_, wanted.error().message);
        } else if (*wanted) {
            selection_.files.push_back(std::move(**wanted));
        } else {
            ++selection_.left_out;
        }
        return simdjson::SUCCESS;
    }

    /// Records of one name usually follow each other.
    void find_candidates() {
        const std::string_view name = name_in_file_name(fn_);
        if (name != name_) {
            name_ = name;
            if (settings_.policy == PackagePolicy::matching) {
                match_.find(name_, may_match_);
            }
            exclude_.find(name_, may_exclude_);
        }
    }

    /// None when the policy does not want it; an error when it cannot be read.
    Result<std::optional<WantedFile>> judge(bool is_asked) {
        CHM_TRY(WantedFile file, fields_.file(fn_));
        if (!is_asked) {
            return std::optional(std::move(file));
        }
        CHM_TRY(conda::Record record, fields_.record(file));
        url_ = fmt::format("{}/{}/{}", channel_.url, subdir_, fn_);
        record.channel = channel_.name;
        record.subdir = subdir_;
        record.url = url_;
        const auto matches = [&](const conda::RecordMatcher* matcher) {
            return matcher->matches(record);
        };
        const bool is_wanted =
            settings_.policy == PackagePolicy::all || std::ranges::any_of(may_match_, matches);
        return is_wanted && std::ranges::none_of(may_exclude_, matches)
                   ? std::optional(std::move(file))
                   : std::nullopt;
    }

    void refuse(std::string_view fn, std::string_view reason) {
        if (++refused_ <= k_max_refused) {
            selection_.refused.push_back(fmt::format("{}: {}", printable(fn), reason));
        }
    }

    /// A file may be listed in two sections. Where the two disagree, no client could be right.
    void merge_equal_names() {
        auto& files = selection_.files;
        auto kept = files.begin();
        for (auto first = files.begin(); first != files.end();) {
            const auto end = std::find_if(
                first, files.end(), [&](const WantedFile& file) { return file.fn != first->fn; });
            if (merge(*first, first + 1, end)) {
                if (kept != first) {
                    *kept = std::move(*first);
                }
                ++kept;
            } else {
                refuse(first->fn, "it is listed twice, with different digests or sizes");
            }
            first = end;
        }
        files.erase(kept, files.end());
    }

    using Files = std::vector<WantedFile>;
    /// Adds to `file` what the others say; false when they contradict it.
    static bool merge(WantedFile& file, Files::iterator other, Files::iterator end) {
        for (; other != end; ++other) {
            if (differ(file.sha256, other->sha256) || differ(file.md5, other->md5) ||
                differ(file.size, other->size)) {
                return false;
            }
            file.sha256 = file.sha256 ? file.sha256 : other->sha256;
            file.md5 = file.md5 ? file.md5 : other->md5;
            file.size = file.size ? file.size : other->size;
        }
        return true;
    }

    [[nodiscard]] bool is_selected(std::string_view fn) const {
        return std::ranges::binary_search(selection_.files, fn, {}, [](const WantedFile& file) {
            return std::string_view(file.fn);
        });
    }

    /// On a disk that does not tell upper case from lower case both would be one file.
    void refuse_case_twins() {
        std::map<std::string, std::string_view> first_of;  // by lower-case name
        std::vector<std::string> twins;
        for (const WantedFile& file : selection_.files) {
            if (std::ranges::none_of(file.fn, is_upper)) {
                continue;
            }
            std::string folded = lower(file.fn);
            if (is_selected(folded)) {
                twins.push_back(file.fn);
                refuse(file.fn, fmt::format("it differs from {} only in case", folded));
            } else if (const auto [at, is_new] = first_of.emplace(std::move(folded), file.fn);
                       !is_new) {
                twins.push_back(file.fn);
                refuse(file.fn, fmt::format("it differs from {} only in case", at->second));
            }
        }
        std::erase_if(selection_.files, [&](const WantedFile& file) {
            return std::ranges::binary_search(twins, file.fn);
        });
    }

    void leave_out_twins_of_conda() {
        constexpr std::string_view k_old = ".tar.bz2";
        std::vector<std::string> twins;
        for (const WantedFile& file : selection_.files) {
            const std::string_view fn = file.fn;
            if (fn.ends_with(k_old) &&
                is_selected(fmt::format("{}.conda", fn.substr(0, fn.size() - k_old.size())))) {
                twins.push_back(file.fn);
            }
        }
        selection_.left_out += twins.size();
        std::erase_if(selection_.files, [&](const WantedFile& file) {
            return std::ranges::binary_search(twins, file.fn);
        });
    }

    const conda::Channel& channel_;
    std::string_view subdir_;
    const config::PackageSettings& settings_;
    SpecList match_;
    SpecList exclude_;
    Selection selection_;
    std::uint64_t refused_ = 0;

    // Of the record at hand.
    std::string fn_;
    std::string url_;
    RecordFields fields_;
    std::string name_;  // of the candidates below
    std::vector<const conda::RecordMatcher*> may_match_;
    std::vector<const conda::RecordMatcher*> may_exclude_;
};

}  // namespace

Result<Selection> select_packages(std::string& json,
                                  const conda::Channel& channel,
                                  std::string_view subdir,
                                  const config::PackageSettings& settings) {
    Selector selector(channel, subdir, settings);
    if (const auto code = read_root(json, selector)) {
        return fail(ErrorKind::integrity,
                    fmt::format("{}/{}: the index is damaged ({})",
                                channel.name,
                                subdir,
                                simdjson::error_message(code)));
    }
    return selector.finish();
}

}  // namespace chm::channels
