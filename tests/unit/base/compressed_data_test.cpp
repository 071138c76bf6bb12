// Tests of base/compressed_data.
#include "base/compressed_data.hpp"

#include <doctest/doctest.h>

#include <string>

using chm::likely_content;

TEST_CASE("compressed_data: pages and JSON are told by their beginning, other bytes by nothing") {
    CHECK(likely_content("<!DOCTYPE html>") == " (it looks like an HTML page)");
    CHECK(likely_content("\r\n\t <html>") == " (it looks like an HTML page)");
    CHECK(likely_content("\xEF\xBB\xBF[1]") == " (it looks like JSON text)");
    CHECK(likely_content("{") == " (it looks like JSON text)");
    CHECK(likely_content("").empty());
    CHECK(likely_content("\x1f\x8b\x08").empty());
    CHECK(likely_content(std::string(2000, ' ') + "<").empty());
}
