// The list of a subdir's stored files.
#include "channels/stored_files.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace chm::channels {
namespace {

StoredFiles example() {
    return {{"a-1-0.conda", sha256("a"), 12}, {"b-1-0.tar.bz2", sha256("b"), 0, md5("b")}};
}

TEST_CASE("stored files: what is written is read back") {
    const std::string text = to_text(example());
    CHECK(text == sha256("a").hex() + "\t-\t12\ta-1-0.conda\n" + sha256("b").hex() + "\t" +
                      md5("b").hex() + "\t0\tb-1-0.tar.bz2\n");
    const auto files = parse_stored_files(text);
    REQUIRE(files);
    CHECK(*files == example());
    CHECK(parse_stored_files("")->empty());
}

TEST_CASE("stored files: a file is found by its name") {
    const StoredFiles files = example();
    REQUIRE(find(files, "b-1-0.tar.bz2") != nullptr);
    CHECK(find(files, "b-1-0.tar.bz2")->sha256 == sha256("b"));
    CHECK(find(files, "a") == nullptr);
    CHECK(find(files, "z") == nullptr);
    CHECK(find({}, "a") == nullptr);
}

TEST_CASE("stored files: every kind of damage is an integrity error with its line") {
    const std::string digest = sha256("a").hex();
    const std::string good = digest + "\t-\t12\ta-1-0.conda\n";
    for (const std::string& text : std::vector<std::string>{good.substr(0, good.size() - 1),
                                                            "\n",
                                                            digest + "\t12\ta\n",
                                                            "12\t-\t12\ta\n",
                                                            digest + "\tx\t12\ta\n",
                                                            digest + "\t-\t-1\ta\n",
                                                            digest + "\t-\t1x\ta\n",
                                                            digest + "\t-\t\ta\n",
                                                            digest + "\t-\t12\t../a\n",
                                                            digest + "\t-\t12\t\n",
                                                            digest + "\t-\t12\ta\tb\n"}) {
        CAPTURE(text);
        const auto files = parse_stored_files(text);
        REQUIRE_FALSE(files);
        CHECK(files.error().kind == ErrorKind::integrity);
        CHECK(files.error().message.find("line 1") != std::string::npos);
    }
    const auto twice = parse_stored_files(good + good);
    REQUIRE_FALSE(twice);
    CHECK(twice.error().message.find("line 2: it is out of order") != std::string::npos);
}

}  // namespace
}  // namespace chm::channels
