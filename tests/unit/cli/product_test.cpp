#include "cli/product.hpp"

#include "base/file.hpp"
#include "support/fake_clock.hpp"
#include "support/recording_reporter.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

namespace {

/// What a command gets, with a folder of its own and standard output in a string.
class Fixture {
public:
    chm::test::TempDir folder;
    chm::test::RecordingReporter reporter;
    std::string printed;

    chm::cli::Services services() {
        return {global, environment, folder.path(), clock, reporter, print, complain, {}};
    }

private:
    chm::cli::GlobalOptions global;
    chm::config::Environment environment;
    chm::test::FakeClock clock;
    std::function<chm::Result<>(std::string_view)> print = [this](std::string_view text) {
        printed += text;
        return chm::Result<>();
    };
    std::function<void(std::string_view)> complain;
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "product: no file and '-' are standard output") {
    auto given = services();
    for (const char* output : {"", "-"}) {
        CHECK(chm::cli::require_output_folder(output, given).has_value());
        CHECK(chm::cli::write_product(output, "text", given).has_value());
    }
    CHECK(printed == "texttext");
    CHECK(reporter.notes().empty());
}

TEST_CASE_FIXTURE(Fixture, "product: a file is written below the working directory and noted") {
    auto given = services();
    CHECK(chm::cli::write_product("x.lock", "text", given).has_value());
    CHECK(chm::read_file(folder / "x.lock", 10).value_or("") == "text");
    CHECK(reporter.notes().size() == 1);
    CHECK(printed.empty());
}

TEST_CASE_FIXTURE(Fixture, "product: a missing folder is said before the work") {
    const auto result = chm::cli::require_output_folder("nowhere/x.lock", services());
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().kind == chm::ErrorKind::usage);
    CHECK(result.error().message.find("nowhere") != std::string::npos);
}
