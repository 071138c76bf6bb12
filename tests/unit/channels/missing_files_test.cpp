// missing.json.
#include "channels/missing_files.hpp"

#include "base/atomic_file.hpp"
#include "support/fake_clock.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace chm::channels {
namespace {

MissingFile file(const std::string& fn, const std::string& first_seen = {}) {
    return {"c", "linux-64", fn, "https://u/c/linux-64/" + fn, "3 bytes", "404", 5, first_seen};
}

TEST_CASE("missing files: what is written is read back, sorted") {
    const MissingFiles files = {file("b", "2026-01-02T00:00:00Z"), file("a", "x")};
    const auto again = parse_missing_files(to_text(files));
    REQUIRE(again);
    CHECK(*again == MissingFiles{files[1], files[0]});
}

TEST_CASE("missing files: when a file was first missed stays") {
    test::FakeClock clock;
    MissingFiles now = {file("a"), file("b")};
    keep_first_seen(now, {file("b", "2020-01-01T00:00:00Z")}, clock.wall());
    CHECK(now[0].first_seen == utc_text(clock.wall()));
    CHECK(now[1].first_seen == "2020-01-01T00:00:00Z");
}

TEST_CASE("missing files: a damaged report is none") {
    const test::TempDir directory;
    const auto path = directory / "missing.json";
    CHECK(read_missing_files(path).empty());
    REQUIRE(write_file_atomically(path, to_text({file("a", "x")})));
    CHECK(read_missing_files(path).size() == 1);
    for (const std::string& text : std::vector<std::string>{
             "", "{}", "[]", R"({"format":2,"missing":[]})", R"({"format":1,"missing":{}})"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_missing_files(text));
        REQUIRE(write_file_atomically(path, text));
        CHECK(read_missing_files(path).empty());
    }
}

}  // namespace
}  // namespace chm::channels
