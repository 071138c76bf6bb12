// Walking an object with simdjson's On-Demand reader.
#pragma once

#include <simdjson.h>

#include <string_view>

namespace chm::channels {

/// Calls step(key, value) for every member, in order, until one returns an error. The key is a view
/// that the next member's overwrites.
template <class Step>
simdjson::error_code for_each_member(simdjson::ondemand::object object, Step&& step) {
    for (auto member : object) {
        std::string_view key;
        if (auto code = member.unescaped_key().get(key)) {
            return code;
        }
        simdjson::ondemand::value value;
        if (auto code = member.value().get(value)) {
            return code;
        }
        if (auto code = step(key, value)) {
            return code;
        }
    }
    return simdjson::SUCCESS;
}

}  // namespace chm::channels
