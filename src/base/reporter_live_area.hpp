// The lines at the bottom of a terminal that are drawn over again and again. Makes the bytes that
// do so, with CR, ESC[K and ESC[nA only, so that every terminal since the VT100 understands them;
// what the lines say is not known here.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace chm {

class LiveArea {
public:
    struct Row {
        std::string bytes;        // as written: colours, no other control characters
        std::size_t columns = 0;  // what they take on the screen; less than the width

        bool operator==(const Row&) const = default;
    };

    /// Bytes that put `rows` in place of what is shown. `width` is that of the terminal now: rows
    /// drawn when it was wider have been wrapped by it. Empty when nothing would change.
    [[nodiscard]] std::string draw(std::vector<Row> rows, std::size_t width);

    /// Bytes that remove the area and leave the cursor where it began.
    [[nodiscard]] std::string clear(std::size_t width);

    /// Bytes that add `line` to the scrolling text above the area, which is drawn again as it was;
    /// if the terminal has become narrower, only by the next draw().
    [[nodiscard]] std::string print_above(std::string line, std::size_t width);

private:
    [[nodiscard]] std::size_t height(std::size_t width) const;

    std::vector<Row> rows_;  // shown now, the cursor in the last of them
    std::size_t width_ = 0;  // when they were drawn
};

}  // namespace chm
