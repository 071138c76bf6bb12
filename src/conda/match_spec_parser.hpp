// The parser behind MatchSpec::parse, for its two source files only: match_spec_parse.cpp (what is
// written by position) and match_spec_keywords.cpp (what stands in brackets). Every view it holds
// lies in the text it was given, so an offset is a difference of addresses.
#pragma once

#include "conda/match_spec.hpp"

#include <bitset>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace chm::conda {

class MatchSpecParser {
public:
    /// Where `when` may not stand (inside another one), allow_when is false.
    MatchSpecParser(std::string_view text, bool allow_when)
        : text_(text), allow_when_(allow_when) {}
    Result<MatchSpec> parse();

private:
    /// The value of a keyword. Its items are unquoted; `at` is where it stands.
    struct Value {
        std::string_view at;
        std::vector<std::string> items;
        bool is_list = false;
    };
    struct Keyword;
    static std::span<const Keyword> keyword_table();

    [[nodiscard]] tl::unexpected<Error> wrong(std::string_view at, std::string_view what) const;
    [[nodiscard]] Result<> check_bytes(std::string_view part) const;

    // match_spec_parse.cpp
    Result<> brackets(std::string_view group);
    Result<> artifact(std::string_view text);
    Result<> artifact_hash(std::string_view hash);
    Result<> file_name(std::string_view at, std::string_view name);
    Result<> positional(std::string_view text);
    Result<std::string_view> prefix(std::string_view text);
    Result<std::string_view> name(std::string_view text);
    Result<> version_and_build(std::string_view text, bool after_space);
    Result<> set_name(std::string_view at, std::string_view text);
    Result<> set_channel(std::string_view at, std::string_view text);
    Result<> set_version(std::string_view at, std::string_view text);
    Result<> set_build(std::string_view at, std::string_view text);

    // match_spec_keywords.cpp
    Result<std::string_view> keywords(std::string_view group);
    Result<> keyword(std::string_view& rest);
    Result<Value> value(std::string_view& rest) const;
    Result<std::string> scalar(std::string_view& rest, std::string_view ends) const;
    Result<> read_string(const Value& value, std::optional<StringMatch>& field) const;
    Result<> read_text(const Value& value, std::string& field) const;
    Result<> read_number(const Value& value, std::optional<BuildNumberSpec>& field) const;
    template <class D>
    Result<> read_digest(const Value& value, std::optional<D>& field) const;
    Result<> set_name_keyword(const Value& value);
    Result<> set_url(const Value& value);
    Result<> set_track_features(const Value& value);
    Result<> set_extras(const Value& value);
    Result<> set_flags(const Value& value);
    Result<> set_when(const Value& value);

    std::string_view text_;
    bool allow_when_;
    bool has_name_ = false;
    std::bitset<32> seen_;  // by index in the keyword table
    MatchSpec spec_;
};

}  // namespace chm::conda
