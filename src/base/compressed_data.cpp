#include "base/compressed_data.hpp"

namespace chm {

std::string_view likely_content(std::string_view data) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (data.starts_with(byte_order_mark)) {
        data.remove_prefix(byte_order_mark.size());
    }
    const std::size_t start = data.substr(0, 1024).find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) {
        return "";
    }
    if (data[start] == '<') {
        return " (it looks like an HTML page)";
    }
    if (data[start] == '{' || data[start] == '[') {
        return " (it looks like JSON text)";
    }
    return "";
}

}  // namespace chm
