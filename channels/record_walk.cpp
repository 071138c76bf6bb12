// The records' places by On-Demand, a small DOM for the few fields of each.
#include "channels/record_walk.hpp"

#include "channels/index_records.hpp"
#include "channels/repodata.hpp"

#include <fmt/format.h>
#include <simdjson.h>

namespace chm::channels {
namespace {

namespace dom = simdjson::dom;

template <class D>
std::optional<D> digest_of(const dom::object& record, const char* key) {
    std::string_view hex;
    if (record[key].get(hex) != simdjson::SUCCESS) {
        return std::nullopt;
    }
    const auto digest = D::from_hex(hex);
    return digest ? std::optional<D>(*digest) : std::nullopt;
}

/// Reads one record at a time; keeps the first error.
class RecordWalker {
public:
    explicit RecordWalker(const std::function<void(const WalkedRecord&)>& step) : step_(step) {}

    void operator()(const RecordPlace& place) {
        dom::object fields;
        if (code_ == simdjson::SUCCESS) {
            code_ = parser_.parse(place.json.data(), place.json.size()).get(fields);
        }
        if (code_ != simdjson::SUCCESS) {
            return;
        }
        const std::string fn = place.file_name();
        WalkedRecord record{
            fn, place.json, digest_of<Sha256>(fields, "sha256"), digest_of<Md5>(fields, "md5"), {}};
        std::uint64_t size = 0;
        if (fields["size"].get(size) == simdjson::SUCCESS) {
            record.size = size;
        }
        step_(record);
    }

    [[nodiscard]] simdjson::error_code code() const { return code_; }

private:
    const std::function<void(const WalkedRecord&)>& step_;
    dom::parser parser_;
    simdjson::error_code code_ = simdjson::SUCCESS;
};

}  // namespace

Result<> walk_records(std::string& json, const std::function<void(const WalkedRecord&)>& step) {
    json.reserve(json.size() + k_json_padding);
    simdjson::ondemand::parser parser;
    simdjson::ondemand::document document;
    simdjson::ondemand::object root;
    RecordWalker walker(step);
    auto code = parser.iterate(simdjson::padded_string_view(json, json.capacity())).get(document);
    if (!code) {
        code = document.get_object().get(root);
    }
    if (!code) {
        code = for_each_record(root, walker);
    }
    if (!code) {
        code = walker.code();
    }
    if (code) {
        return fail(ErrorKind::integrity,
                    fmt::format("not a channel index: {}", simdjson::error_message(code)));
    }
    return {};
}

}  // namespace chm::channels
