// An upstream's index: checked, rewritten with a base_url, opened, and every record of it read.
#include "channels/repodata.hpp"
#include "channels/subdir_index.hpp"
#include "fuzz/fuzz.hpp"

#include <string>

using chm::fuzz::expect;

namespace {

void load_all(std::string json) {
    const chm::conda::Channel channel{"c", "https://example.org/c"};
    const auto index = chm::channels::SubdirIndex::open(std::move(json), channel, "linux-64");
    if (!index) {
        return;
    }
    for (const std::string_view name : index->names()) {
        chm::channels::RecordSet records;
        index->load(name, records);
        expect(index->has(name), "an index has the names that it lists");
        expect(!records.records().empty() || !records.skipped().empty(),
               "a name that is listed has records");
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::string_view url = "https://example.org/c/linux-64/";
    std::string json(chm::fuzz::as_text(data, size));
    const auto summary = chm::channels::check_repodata(json, "linux-64");
    expect(json == chm::fuzz::as_text(data, size), "checking leaves the bytes alone");
    if (summary) {
        auto view = chm::channels::with_base_url(json, url);
        expect(view.has_value(), "an index that was accepted can be given a base_url");
        const auto changed = chm::channels::check_repodata(*view, "linux-64");
        expect(changed && changed->base_url == url, "and then has it");
        expect(changed->records == summary->records, "and the same records");
    }
    load_all(std::move(json));  // also what was refused: open must notice by itself
    return 0;
}
