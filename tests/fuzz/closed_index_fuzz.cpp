// An upstream's index, closed by a pseudo-random choice of its files: what is left is an index, has
// exactly the chosen records and no URL that leads away, and closing it again changes nothing.
#include "channels/closed_index.hpp"
#include "channels/index_records.hpp"
#include "channels/package_selection.hpp"
#include "channels/repodata.hpp"
#include "fuzz/fuzz.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using chm::fuzz::expect;

namespace {

namespace channels = chm::channels;
using Records = std::vector<std::pair<std::string, std::string>>;  // file name, bytes

/// Three of four files, by name alone.
bool is_stored(std::string_view fn) {
    unsigned hash = 2166136261U;
    for (const char c : fn) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    }
    return (hash >> 8U) % 4 != 0;
}

/// Of every stored file, in order. Records with a "url" lose it, so of them only the name counts.
class RecordLister {
public:
    simdjson::error_code read(simdjson::ondemand::object root) {
        return channels::for_each_record(root, [&](const channels::RecordPlace& place) {
            std::string fn = place.file_name();
            if (is_stored(fn)) {
                const bool may_have_url = place.json.find("url\"") != std::string_view::npos ||
                                          place.json.find('\\') != std::string_view::npos;
                std::string bytes(channels::trim_end(place.json));
                records.emplace_back(std::move(fn), may_have_url ? "" : std::move(bytes));
            }
        });
    }

    Records records;
};

/// Without the bytes of those that may have had a url before.
void forget_where_empty(Records& records, const Records& pattern) {
    for (std::size_t i = 0; i < std::min(records.size(), pattern.size()); ++i) {
        if (pattern[i].second.empty()) {
            records[i].second.clear();
        }
    }
}

void close(std::string& json) {
    RecordLister before;
    expect(!channels::read_root(json, before), "an index that was accepted can be listed");
    auto closed = channels::close_index(json, is_stored);
    expect(closed.has_value(), "an index that was accepted can be closed");
    const auto summary = channels::check_repodata(closed->json, "linux-64");
    expect(summary.has_value(), "a closed index is an index");
    expect(summary->records == closed->records, "and has as many records as it says");
    expect(summary->base_url.empty(), "and no base_url");
    const auto urls = channels::foreign_urls(closed->json, 1);
    expect(urls && urls->empty(), "and leads nowhere else");
    RecordLister after;
    expect(!channels::read_root(closed->json, after), "a closed index can be listed");
    forget_where_empty(after.records, before.records);
    expect(after.records == before.records, "the stored records are there, byte for byte");
    expect(after.records.size() == closed->records, "and no others");
    auto again = channels::close_index(closed->json, is_stored);
    expect(again && again->json == closed->json, "closing twice changes nothing");
}

void select(std::string& json) {
    chm::config::PackageSettings settings;
    settings.policy = chm::config::PackagePolicy::all;
    const auto any = chm::conda::MatchSpec::parse("*[license=*a*]");
    settings.exclude.push_back(*any);
    const chm::conda::Channel channel{"c", "https://example.org/c"};
    const auto selection = channels::select_packages(json, channel, "linux-64", settings);
    expect(selection.has_value(), "an index that was accepted can be selected from");
    for (const channels::WantedFile& file : selection->files) {
        expect(chm::conda::is_safe_path_segment(file.fn), "a selected file has a safe name");
    }
    expect(std::ranges::adjacent_find(selection->files,
                                      [](const auto& a, const auto& b) { return a.fn >= b.fn; }) ==
               selection->files.end(),
           "selected files are sorted, each once");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string json(chm::fuzz::as_text(data, size));
    if (channels::check_repodata(json, "linux-64")) {
        close(json);
        select(json);
        expect(json == chm::fuzz::as_text(data, size), "all of it leaves the bytes alone");
    } else {  // what was refused must be no crash either
        static_cast<void>(channels::close_index(json, is_stored));
        static_cast<void>(channels::foreign_urls(json, 3));
    }
    return 0;
}
