#include "channels/shard_update.hpp"

#include "base/text.hpp"
#include "base/workers.hpp"
#include "base/zstd.hpp"
#include "channels/index_forms.hpp"
#include "channels/limits.hpp"
#include "channels/msgpack.hpp"
#include "channels/records_by_name.hpp"
#include "channels/shard_assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>
#include <vector>

namespace chm::channels {
namespace {

constexpr std::uint64_t k_shard_cost = 8 << 10;
constexpr std::uint64_t k_worth_of_learning = 10;  // in whole indexes
/// Their bodies are in memory until they are decoded.
constexpr std::size_t k_shards_at_once = 1000;

tl::unexpected<Error> not_an_index(std::string_view what) {
    return fail(ErrorKind::integrity, fmt::format("not an index of shards (CEP 16): {}", what));
}

/// A URL that the index names, as something that may be asked. Credentials in it are dropped: who may
/// see what is configured here, not there.
Result<std::string> resolve(std::string_view folder,
                            std::string_view key,
                            std::string_view reference) {
    const auto resolved = conda::resolve_reference(folder, reference);
    const auto split = resolved ? conda::split_credentials(*resolved)
                                : Result<conda::SplitUrl>(fail(ErrorKind::usage, ""));
    const bool reads_files = split && split->url.starts_with("file:");
    if (!split || (reads_files && !folder.starts_with("file:"))) {
        return not_an_index(fmt::format("its {} leads nowhere that may be asked", key));
    }
    return split->url;
}

const Json* find_text(const Json& object, std::string_view key) {
    const Json* value = object.find(key);
    return value != nullptr && value->as_string() != nullptr ? value : nullptr;
}

/// Bytes as JSON text: what a shard's content takes in memory, but for what is held anyway.
std::uint64_t size_of(const ShardContent& content) {
    std::uint64_t bytes = 0;
    const auto add = [&](const std::vector<ShardRecord>& records) {
        for (const ShardRecord& record : records) {
            bytes += record.key.size() + record.json.size();
        }
    };
    add(content.packages);
    add(content.packages_conda);
    for (const auto& [extension, records] : content.v3) {
        add(records);
    }
    for (const std::string& fn : content.removed) {
        bytes += fn.size();
    }
    return bytes;
}

class Updater {
public:
    Updater(const ShardUpdate& update,
            Transport& transport,
            Reporter& reporter,
            const std::stop_token& stop)
        : update_(update), transport_(transport), reporter_(reporter), stop_(stop) {}

    Result<std::optional<AssembledIndex>> run() {
        CHM_CHECK(read_index());
        find_changed();
        if (!is_worth_it()) {
            return std::optional<AssembledIndex>();
        }
        CHM_TRY(const bool expressible, group_held());
        if (!expressible) {
            return std::optional<AssembledIndex>();
        }
        for (std::size_t first = 0; first < changed_.size(); first += k_shards_at_once) {
            CHM_CHECK(fetch(first, std::min(first + k_shards_at_once, changed_.size())));
        }
        auto json =
            assemble_index({held_, upstream_.info, base_url_, upstream_.digests, contents_});
        if (!json) {
            return fail(with_context(std::move(json).error(), index_url()));
        }
        return std::optional(AssembledIndex{std::move(*json), std::move(upstream_.digests)});
    }

private:
    [[nodiscard]] std::string index_url() const { return url_of(update_.folder, Form::shards); }

    Result<> read_index() {
        const auto packed = decode(Form::shards, std::string(update_.shard_index));
        auto upstream = packed ? read_upstream_shards(*packed, update_.folder)
                               : Result<UpstreamShards>(fail(packed.error()));
        if (!upstream) {
            return fail(with_context(std::move(upstream).error(), index_url()));
        }
        upstream_ = std::move(*upstream);
        base_url_ = upstream_.package_url;
        return {};
    }

    void find_changed() {
        for (const auto& entry : upstream_.digests) {
            const auto known = update_.known.find(entry.first);
            if (known == update_.known.end() || known->second != entry.second) {
                changed_.push_back(&entry);
            }
        }
    }

    [[nodiscard]] bool is_worth_it() const {
        const std::uint64_t shards = changed_.size() * k_shard_cost;
        const std::uint64_t worth = update_.known.empty() ? k_worth_of_learning : 1;
        const bool worth_it = update_.whole_bytes == 0 || shards / worth <= update_.whole_bytes;
        if (!worth_it) {
            reporter_.detail(fmt::format("{}: {} shards changed, the whole index is less to fetch",
                                         index_url(),
                                         changed_.size()));
        }
        return worth_it;
    }

    /// False when the held index says more than shards can.
    Result<bool> group_held() {
        if (update_.held == nullptr) {
            return true;
        }
        CHM_TRY(held_, group_by_name(*update_.held));
        const std::string member = not_in_shards(held_, upstream_.info);
        if (!member.empty()) {
            reporter_.detail(
                fmt::format("{}: the whole index is fetched, since shards do not have its \"{}\"",
                            index_url(),
                            printable(member)));
        }
        return member.empty();
    }

    [[nodiscard]] TransferRequest request_for(const std::string& name, const Sha256& digest) const {
        TransferRequest request;
        request.url = upstream_.shards_url + shard_file_name(digest);
        if (conda::is_same_server(request.url, update_.folder)) {
            request.credentials = update_.credentials;
        }
        request.label = fmt::format("{}: shard of {}", update_.label, printable(name, 80));
        request.max_bytes = k_max_shard_bytes;
        return request;
    }

    Result<> fetch(std::size_t first, std::size_t last) {
        std::vector<TransferRequest> requests;
        for (std::size_t i = first; i < last; ++i) {
            requests.push_back(request_for(changed_[i]->first, changed_[i]->second));
        }
        auto responses = transport_.fetch(requests, reporter_, stop_);
        std::vector<ShardContent> contents(requests.size());
        const auto read_one = [&](std::size_t i) -> Result<> {
            const auto& [name, digest] = *changed_[first + i];
            auto content = responses[i] ? read(name, digest, std::move(*responses[i]))
                                        : Result<ShardContent>(fail(responses[i].error()));
            if (!content) {
                Error error = std::move(content).error();
                return fail(responses[i] ? with_context(std::move(error), requests[i].url) : error);
            }
            contents[i] = std::move(*content);
            return {};
        };
        CHM_CHECK(for_each_parallel(requests.size(), default_threads(), read_one));
        for (std::size_t i = 0; i < contents.size(); ++i) {
            contents_.emplace(changed_[first + i]->first, std::move(contents[i]));
        }
        return {};
    }

    Result<ShardContent> read(const std::string& name,
                              const Sha256& digest,
                              TransferResponse response) {
        if (response.status != 200) {
            return fail(ErrorKind::network, fmt::format("answered {}", response.status));
        }
        if (sha256(response.body) != digest) {
            return fail(ErrorKind::integrity,
                        fmt::format("the shard of {} is not the one that the index of shards names",
                                    printable(name)));
        }
        CHM_TRY(const std::string packed, zstd_decompress(response.body, {k_max_shard_bytes}));
        CHM_TRY(ShardContent content, read_shard(packed, name));
        if (const auto held = held_.names.find(name); held != held_.names.end()) {
            keep_held_bytes(content, held->second);
        }
        if (bytes_ += size_of(content); bytes_ > k_max_index_bytes) {
            return fail(ErrorKind::integrity,
                        fmt::format("the shards are together larger than {}, which is more than an "
                                    "index may be",
                                    human_bytes(k_max_index_bytes)));
        }
        return content;
    }

    const ShardUpdate& update_;
    Transport& transport_;
    Reporter& reporter_;
    const std::stop_token& stop_;
    UpstreamShards upstream_;
    std::string base_url_;
    RecordsByName held_;
    std::vector<const ShardDigests::value_type*> changed_;
    std::map<std::string, ShardContent> contents_;
    std::atomic<std::uint64_t> bytes_ = 0;
};

}  // namespace

Result<UpstreamShards> read_upstream_shards(std::string_view packed, std::string_view folder) {
    const auto index = parse_msgpack(packed);
    if (!index) {
        return not_an_index(index.error().message);
    }
    const Json* version = index->find("version");
    if (version != nullptr && *version != Json(1)) {
        return not_an_index("it is of another version");
    }
    const Json* info = index->find("info");
    if (info == nullptr || info->as_object() == nullptr) {
        return not_an_index("it has no info");
    }
    if (find_text(*info, "shards_base_url") == nullptr) {
        return not_an_index("it does not say where the shards are (info.shards_base_url)");
    }
    UpstreamShards shards;
    CHM_TRY(shards.digests, shard_digests(*index));
    CHM_TRY(shards.shards_url, resolve(folder, "shards_base_url", info->text("shards_base_url")));
    CHM_TRY(shards.package_url, resolve(folder, "base_url", info->text("base_url")));
    if (!shards.shards_url.ends_with('/')) {
        shards.shards_url += '/';
    }
    if (shards.package_url == folder || shards.package_url + "/" == folder) {
        shards.package_url.clear();
    }
    shards.info = *info->as_object();
    return shards;
}

Result<std::optional<AssembledIndex>> update_from_shards(const ShardUpdate& update,
                                                         Transport& transport,
                                                         Reporter& reporter,
                                                         const std::stop_token& stop) {
    return Updater(update, transport, reporter, stop).run();
}

}  // namespace chm::channels
