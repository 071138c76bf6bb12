// Edits spliced into one JSON text. Everything between them stays byte for byte: what is published
// is upstream's own text with a few places changed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chm::channels {

/// Collects edits that do not overlap, in any order; `json` must outlive it and stay as it is.
class JsonEdits {
public:
    explicit JsonEdits(const std::string& json) : json_(json) {}

    /// `old` is a part of the text.
    void replace(std::string_view old, std::string text);
    void insert(std::size_t offset, std::string text) { add({offset, 0, std::move(text)}); }
    void cut(std::size_t begin, std::size_t end) { add({begin, end - begin, {}}); }

    [[nodiscard]] std::size_t offset_of(const char* place) const {
        return static_cast<std::size_t>(place - json_.data());
    }
    [[nodiscard]] const std::string& json() const { return json_; }
    /// The edited text, with k_json_padding (repodata.hpp) in capacity.
    [[nodiscard]] std::string apply();

private:
    struct Edit {
        std::size_t offset = 0;
        std::size_t length = 0;  // bytes replaced
        std::string text;
    };
    void add(Edit edit);

    const std::string& json_;
    std::vector<Edit> edits_;
    bool sorted_ = true;
};

/// Takes members out of one object, with the commas and the white space that belong to them. Every
/// member is told in order; an object that loses all of them becomes "{}".
class MemberCutter {
public:
    explicit MemberCutter(JsonEdits& edits) : edits_(edits) {}

    /// `key` points at the opening quote.
    void keep(const char* key) {
        if (first_cut_ != nullptr) {
            cut_before(key);
        }
        kept_any_ = true;
    }
    /// `value` is all of its bytes, perhaps with white space behind them.
    void cut(const char* key, std::string_view value) {
        first_cut_ = first_cut_ == nullptr ? key : first_cut_;
        last_cut_ = value;
    }
    /// After the last member.
    void finish() {
        if (first_cut_ != nullptr) {
            cut_rest();
        }
    }

private:
    void cut_before(const char* key);
    void cut_rest();

    JsonEdits& edits_;
    const char* first_cut_ = nullptr;  // key of the first of those cut since the last one kept
    std::string_view last_cut_;
    bool kept_any_ = false;
};

}  // namespace chm::channels
