// Writing goes through msgpack::packer; reading through its visitor, which allocates nothing for
// what a header only announces.
#include "channels/msgpack.hpp"

#include <fmt/format.h>

#include <exception>
#include <iterator>
#include <msgpack.hpp>
#include <utility>
#include <vector>

namespace chm::channels {
namespace {

constexpr std::size_t k_max_depth = 64;

/// What msgpack::packer writes to.
struct Sink {
    std::string& buffer;
    void write(const char* data, std::size_t size) { buffer.append(data, size); }
};

msgpack::packer<Sink> packer_of(Sink& sink) {
    return msgpack::packer<Sink>(sink);
}

std::uint32_t count(std::size_t number) {
    return static_cast<std::uint32_t>(number);  // what we write is far below 2^32
}

/// Builds a Json; a false return ends the parse.
class Builder : public msgpack::null_visitor {
public:
    bool visit_nil() { return add({}); }
    bool visit_boolean(bool value) { return add(value); }
    bool visit_positive_integer(std::uint64_t value) { return add(value); }
    bool visit_negative_integer(std::int64_t value) { return add(value); }
    bool visit_float32(float value) { return add(static_cast<double>(value)); }
    bool visit_float64(double value) { return add(value); }
    bool visit_str(const char* data, std::uint32_t size) {
        return add(std::string_view(data, size));
    }
    bool visit_bin(const char* data, std::uint32_t size) {
        std::string hex;
        hex.reserve(std::size_t{size} * 2);
        for (const char c : std::string_view(data, size)) {
            fmt::format_to(std::back_inserter(hex), "{:02x}", static_cast<unsigned char>(c));
        }
        return add(std::move(hex));
    }
    bool visit_ext(const char* /*data*/, std::uint32_t /*size*/) {
        return refuse("an extension type");
    }
    bool start_array(std::uint32_t /*items*/) { return open(false); }
    bool end_array() { return close(); }
    bool start_map(std::uint32_t /*members*/) { return open(true); }
    bool end_map() { return close(); }
    bool start_map_key() {
        at_key_ = true;
        return true;
    }
    bool end_map_key() {
        at_key_ = false;
        return true;
    }
    void parse_error(std::size_t /*parsed*/, std::size_t /*at*/) { refuse("malformed data"); }
    void insufficient_bytes(std::size_t /*parsed*/, std::size_t /*at*/) {
        refuse("it is cut short");
    }

    [[nodiscard]] const std::string& fault() const { return fault_; }
    [[nodiscard]] Json take() { return std::move(root_); }

private:
    struct Level {
        bool is_map = false;
        Json::Array items;
        Json::Object members;
        std::string key;
    };

    bool refuse(std::string_view what) {
        if (fault_.empty()) {
            fault_ = what;
        }
        return false;
    }
    bool open(bool is_map) {
        if (at_key_) {
            return refuse("a key that is no text");
        }
        if (levels_.size() >= k_max_depth) {
            return refuse("it is nested too deeply");
        }
        levels_.push_back({is_map, {}, {}, {}});
        return true;
    }
    bool close() {
        Level level = std::move(levels_.back());
        levels_.pop_back();
        return level.is_map ? add(Json(std::move(level.members)))
                            : add(Json(std::move(level.items)));
    }
    bool add(Json value) {
        if (levels_.empty()) {
            root_ = std::move(value);
            return true;
        }
        Level& level = levels_.back();
        if (at_key_) {
            const std::string* key = value.as_string();
            if (key == nullptr) {
                return refuse("a key that is no text");
            }
            level.key = *key;
            return true;
        }
        if (level.is_map) {
            level.members.emplace_back(std::move(level.key), std::move(value));
        } else {
            level.items.push_back(std::move(value));
        }
        return true;
    }

    std::vector<Level> levels_;
    Json root_;
    std::string fault_;
    bool at_key_ = false;
};

}  // namespace

void MsgpackWriter::map(std::size_t members) {
    Sink sink{buffer_};
    packer_of(sink).pack_map(count(members));
}

void MsgpackWriter::array(std::size_t items) {
    Sink sink{buffer_};
    packer_of(sink).pack_array(count(items));
}

void MsgpackWriter::text(std::string_view text) {
    Sink sink{buffer_};
    packer_of(sink).pack_str(count(text.size())).pack_str_body(text.data(), count(text.size()));
}

void MsgpackWriter::bytes(std::string_view bytes) {
    Sink sink{buffer_};
    packer_of(sink).pack_bin(count(bytes.size())).pack_bin_body(bytes.data(), count(bytes.size()));
}

void MsgpackWriter::json(const Json& value) {
    Sink sink{buffer_};
    auto packer = packer_of(sink);
    if (const bool* flag = value.as_bool()) {
        *flag ? packer.pack_true() : packer.pack_false();
    } else if (const std::int64_t* integer = value.as_integer()) {
        packer.pack(*integer);
    } else if (const double* number = value.as_double()) {
        packer.pack(*number);
    } else if (const std::string* string = value.as_string()) {
        text(*string);
    } else if (const Json::Array* items = value.as_array()) {
        array(items->size());
        for (const Json& item : *items) {
            json(item);
        }
    } else if (const Json::Object* members = value.as_object()) {
        map(members->size());
        for (const auto& [key, member] : *members) {
            text(key);
            json(member);
        }
    } else {
        packer.pack_nil();
    }
}

Result<Json> parse_msgpack(std::string_view data) {
    Builder builder;
    std::size_t end = 0;
    bool whole = false;
    try {
        whole = msgpack::parse(data.data(), data.size(), end, builder);
    } catch (const std::exception& error) {
        return fail(ErrorKind::parse, fmt::format("not MessagePack: {}", error.what()));
    }
    if (!whole || !builder.fault().empty()) {
        return fail(ErrorKind::parse,
                    fmt::format("not MessagePack: {}",
                                builder.fault().empty() ? "it is cut short" : builder.fault()));
    }
    if (end != data.size()) {
        return fail(ErrorKind::parse, "not MessagePack: something follows the value");
    }
    return builder.take();
}

}  // namespace chm::channels
