// Cursor arithmetic.
#include "base/reporter_live_area.hpp"

#include <algorithm>
#include <utility>

namespace chm {

namespace {

constexpr const char* k_clear_to_end = "\x1b[K";

std::string up(std::size_t rows) {
    return rows == 0 ? std::string() : "\x1b[" + std::to_string(rows) + "A";
}

}  // namespace

std::string LiveArea::draw(std::vector<Row> rows, std::size_t width) {
    if (rows == rows_ && width == width_) {
        return {};
    }
    if (rows.empty()) {
        return clear(width);
    }
    const std::size_t old_height = height(width);
    std::string bytes = "\r" + up(old_height > 0 ? old_height - 1 : 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        bytes += (i == 0 ? "" : "\n") + rows[i].bytes + k_clear_to_end;
    }
    if (old_height > rows.size()) {
        const std::size_t surplus = old_height - rows.size();
        for (std::size_t i = 0; i < surplus; ++i) {
            bytes += std::string("\n") + k_clear_to_end;
        }
        bytes += up(surplus);
    }
    rows_ = std::move(rows);
    width_ = width;
    return bytes;
}

std::string LiveArea::clear(std::size_t width) {
    if (rows_.empty()) {
        return {};
    }
    const std::size_t old_height = height(width);
    std::string bytes = "\r" + up(old_height - 1) + k_clear_to_end;
    for (std::size_t i = 1; i < old_height; ++i) {
        bytes += std::string("\n") + k_clear_to_end;
    }
    bytes += up(old_height - 1);
    rows_.clear();
    return bytes;
}

std::string LiveArea::print_above(std::string line, std::size_t width) {
    std::vector<Row> rows = rows_;
    const bool still_fits = width >= width_;
    std::string bytes = clear(width) + std::move(line) + "\n";
    if (still_fits && !rows.empty()) {
        bytes += draw(std::move(rows), width);
    }
    return bytes;
}

std::size_t LiveArea::height(std::size_t width) const {
    std::size_t height = 0;
    for (const Row& row : rows_) {
        const std::size_t columns = std::max<std::size_t>(row.columns, 1);
        height += width == 0 ? 1 : (columns + width - 1) / width;
    }
    return height;
}

}  // namespace chm
