#include "channels/json_edits.hpp"

#include "channels/repodata.hpp"

#include <algorithm>
#include <utility>

namespace chm::channels {
namespace {

constexpr std::string_view k_json_space = " \t\r\n";  // RFC 8259 §2

/// Where the white space before `offset` begins.
std::size_t skip_space_back(std::string_view json, std::size_t offset) {
    return json.find_last_not_of(k_json_space, offset - 1) + 1;
}

}  // namespace

void JsonEdits::replace(std::string_view old, std::string text) {
    add({offset_of(old.data()), old.size(), std::move(text)});
}

void JsonEdits::add(Edit edit) {
    sorted_ = sorted_ && (edits_.empty() || edits_.back().offset <= edit.offset);
    edits_.push_back(std::move(edit));
}

std::string JsonEdits::apply() {
    if (!sorted_) {
        std::ranges::stable_sort(edits_, {}, &Edit::offset);
        sorted_ = true;
    }
    std::size_t size = json_.size();
    for (const Edit& edit : edits_) {
        size = size - edit.length + edit.text.size();
    }
    std::string edited;
    edited.reserve(size + k_json_padding);
    std::size_t copied = 0;
    for (const Edit& edit : edits_) {
        edited.append(json_, copied, edit.offset - copied).append(edit.text);
        copied = edit.offset + edit.length;
    }
    edited.append(json_, copied);
    return edited;  // by name, so that it is moved and keeps its capacity
}

void MemberCutter::cut_before(const char* key) {
    edits_.cut(edits_.offset_of(first_cut_), edits_.offset_of(key));
    first_cut_ = nullptr;
}

/// Nothing that is kept follows, so the comma that goes is the one before.
void MemberCutter::cut_rest() {
    const std::string_view json = edits_.json();
    std::size_t begin = skip_space_back(json, edits_.offset_of(first_cut_));
    std::size_t end = skip_space_back(json, edits_.offset_of(last_cut_.data()) + last_cut_.size());
    if (kept_any_) {
        begin = skip_space_back(json, begin - 1);  // the comma, and what stands before it
    } else {
        end = std::min(json.find_first_not_of(k_json_space, end), json.size());
    }
    edits_.cut(begin, end);
    first_cut_ = nullptr;
}

}  // namespace chm::channels
