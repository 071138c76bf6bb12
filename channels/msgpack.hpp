// MessagePack, the format of sharded repodata (CEP 16). The only file that sees msgpack-cxx is
// msgpack.cpp.
#pragma once

#include "base/json.hpp"
#include "base/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace chm::channels {

/// Writes one value piece by piece: a map's or array's header, then its members.
class MsgpackWriter {
public:
    void map(std::size_t members);
    void array(std::size_t items);
    void text(std::string_view text);
    void bytes(std::string_view bytes);
    /// Any JSON value. Recurses as deep as the value is.
    void json(const Json& value);

    [[nodiscard]] std::string take() { return std::move(buffer_); }

private:
    std::string buffer_;
};

/// One value and nothing behind it, as JSON: binary data becomes lower-case hex text. At most 64
/// levels deep; memory is bounded by the input. ErrorKind::parse for malformed data, keys that are
/// no texts, and extension types.
Result<Json> parse_msgpack(std::string_view data);

}  // namespace chm::channels
