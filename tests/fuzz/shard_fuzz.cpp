// A shard of the name "a", and an index of shards (CEP 16), both already decompressed: an index out of
// an accepted shard and a held one has exactly their records, and no URL has credentials.
#include "channels/repodata.hpp"
#include "channels/shard_assembly.hpp"
#include "channels/shard_update.hpp"
#include "conda/url.hpp"
#include "fuzz/fuzz.hpp"

#include <string>

using chm::fuzz::expect;

namespace {

namespace channels = chm::channels;

std::uint64_t records_in(const channels::ShardContent& content) {
    std::uint64_t records = content.packages.size() + content.packages_conda.size();
    for (const auto& [extension, section] : content.v3) {
        records += section.size();
    }
    return records;
}

void assemble(channels::ShardContent content) {
    std::string held =
        R"({"info":{"subdir":"linux-64"},"packages":{"a-1-0.tar.bz2":{"name":"a","x":[1]}},)"
        R"("packages.conda":{"b-1-0.conda":{"name":"b"}},"removed":["b-0-0.conda"]})";
    const auto records = channels::group_by_name(held);
    expect(records.has_value(), "the held index can be read");
    const std::uint64_t count = records_in(content) + 1;
    channels::keep_held_bytes(content, records->names.at("a"));
    const chm::Sha256 digest{};
    const channels::ShardDigests names = {{"a", digest}, {"b", digest}};
    auto json = channels::assemble_index({*records, {}, "", names, {{"a", std::move(content)}}});
    expect(json.has_value(), "an accepted shard can be assembled");
    const auto summary = channels::check_repodata(*json, "linux-64");
    if (!summary) {  // the one thing that a shard may be and an index not
        expect(summary.error().message.find("nested too deeply") != std::string::npos,
               "what is assembled is an index");
        return;
    }
    expect(summary->records == count, "it has the shard's records and the other name's");
}

void read_index(std::string_view packed) {
    const auto shards = channels::read_upstream_shards(packed, "https://h.example/c/linux-64/");
    if (!shards) {
        return;
    }
    for (const std::string& url : {shards->shards_url, shards->package_url}) {
        const auto split = chm::conda::split_credentials(url);
        expect(url.empty() || (split && split->credentials.empty()), "no URL has credentials");
        expect(!url.starts_with("file:"), "no URL names a file here");
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view packed = chm::fuzz::as_text(data, size);
    if (auto content = channels::read_shard(packed, "a")) {
        assemble(std::move(*content));
    }
    read_index(packed);
    return 0;
}
