// Records and the strings they are views of, in one owner.
#pragma once

#include "conda/record.hpp"

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace chm::channels {

/// A candidate that was left out, and why.
struct SkippedRecord {
    std::string fn;
    std::string reason;
};

/// Grows only; addresses of records and strings are stable.
class RecordSet {
public:
    RecordSet() = default;
    RecordSet(const RecordSet&) = delete;
    RecordSet& operator=(const RecordSet&) = delete;
    RecordSet(RecordSet&&) = default;
    RecordSet& operator=(RecordSet&&) = default;
    ~RecordSet() = default;

    /// A copy of `text` that lives as long as the set; equal texts share one.
    std::string_view keep(std::string_view text) { return *strings_.emplace(text).first; }
    std::span<const std::string_view> keep(std::vector<std::string_view> list) {
        return list.empty() ? std::span<const std::string_view>{}
                            : lists_.emplace_back(std::move(list));
    }
    std::span<const conda::ExtraDepends> keep(std::vector<conda::ExtraDepends> extras) {
        return extras.empty() ? std::span<const conda::ExtraDepends>{}
                              : extras_.emplace_back(std::move(extras));
    }
    void add(conda::Record record) { records_.push_back(std::move(record)); }
    void skip(SkippedRecord skipped) { skipped_.push_back(std::move(skipped)); }

    [[nodiscard]] const std::deque<conda::Record>& records() const { return records_; }
    [[nodiscard]] const std::vector<SkippedRecord>& skipped() const { return skipped_; }

private:
    std::unordered_set<std::string> strings_;  // node-based: views of its elements stay valid
    std::deque<std::vector<std::string_view>> lists_;
    std::deque<std::vector<conda::ExtraDepends>> extras_;
    std::deque<conda::Record> records_;
    std::vector<SkippedRecord> skipped_;
};

}  // namespace chm::channels
