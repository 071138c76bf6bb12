// One subdir's records, by name: the hand-over from this stage to the solver. Finding a name's
// records costs one pass over the JSON when the index is opened; a record is parsed when its name
// is asked for, so a solve pays only for the names it reaches.
#pragma once

#include "base/result.hpp"
#include "channels/record_set.hpp"
#include "conda/channel.hpp"
#include "conda/record.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace chm::channels {

class SubdirIndex {
public:
    /// `json` is an upstream's decoded repodata.json that has passed check_repodata.
    /// ErrorKind::integrity otherwise.
    static Result<SubdirIndex> open(std::string json, conda::Channel channel, std::string subdir);
    SubdirIndex(SubdirIndex&&) noexcept;
    SubdirIndex& operator=(SubdirIndex&&) noexcept;
    SubdirIndex(const SubdirIndex&) = delete;
    SubdirIndex& operator=(const SubdirIndex&) = delete;
    ~SubdirIndex();

    [[nodiscard]] const conda::Channel& channel() const;
    [[nodiscard]] const std::string& subdir() const;
    [[nodiscard]] bool has(std::string_view name) const;
    /// Sorted.
    [[nodiscard]] std::vector<std::string_view> names() const;

    /// Adds the records of `name` to `records`. Those that cannot be read (a malformed version, an
    /// unsafe file name, a dependency that is no text) are left out and said in records.skipped().
    /// Safe to call from several threads on different sets.
    void load(std::string_view name, RecordSet& records) const;

private:
    struct Data;
    explicit SubdirIndex(std::unique_ptr<Data> data);
    std::unique_ptr<Data> data_;
};

}  // namespace chm::channels
