// A MatchSpec made ready to be asked about many records: a solve asks each distinct dependency of a
// channel about every candidate of its name.
#pragma once

#include "conda/match_spec.hpp"
#include "conda/record.hpp"
#include "conda/string_match.hpp"

#include <optional>

namespace chm::conda {

class RecordMatcher {
public:
    /// Keeps a reference: `spec` must outlive the matcher and stay as it is.
    explicit RecordMatcher(const MatchSpec& spec);

    /// Everything except `when` and `extras`, which belong to the solver. Allocates nothing unless
    /// the spec holds a regular expression.
    [[nodiscard]] bool matches(const Record& record) const {
        return spec_.name.matches(record.name) && spec_.version.matches(record.version) &&
               spec_.build.matches(record.build) && (is_plain_ || other_fields_match(record));
    }

    /// Whether only name, version and build count, as in nearly every dependency.
    [[nodiscard]] bool is_plain() const { return is_plain_; }

private:
    [[nodiscard]] bool other_fields_match(const Record& record) const;
    [[nodiscard]] bool channel_matches(const Record& record) const;

    const MatchSpec& spec_;
    // The spec's texts in StringMatch's language, compiled once; none: anything.
    std::optional<StringMatch> channel_;
    std::optional<StringMatch> subdir_;
    std::optional<StringMatch> fn_;
    std::optional<StringMatch> url_;
    bool is_plain_;
};

}  // namespace chm::conda
