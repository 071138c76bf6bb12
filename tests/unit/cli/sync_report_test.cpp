// What a sync says when it is done.
#include "cli/sync_report.hpp"

#include "base/json.hpp"
#include "support/recording_reporter.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace chm::cli {
namespace {

channels::SyncReport example() {
    channels::SyncReport report;
    report.manifest.id = "20261201T000000Z-00000000";
    report.new_snapshot = true;
    report.subdirs = {{"c", "linux-64", channels::SubdirChange::fetched, 7}};
    channels::PlannedSubdir planned{"c", "linux-64", 5, 3'000'000, 3, 2'000'000, 1, 2};
    planned.refused = {"../x: unsafe file name"};
    planned.licence = "ours";
    report.plan.subdirs = {planned};
    report.plan.fetch_files = 3;
    report.plan.fetch_bytes = 2'000'000;
    report.plan.free_bytes = 500'000'000'000;
    report.missing = {{"c", "linux-64", "a-1-0.conda", "https://u/a", "3 B", "404", 1, ""}};
    return report;
}

bool says(std::string_view text, std::string_view part) {
    CAPTURE(text);
    return text.find(part) != std::string_view::npos;
}

TEST_CASE("sync report: a plan names files, bytes, licences and room") {
    channels::SyncReport report = example();
    const std::string plan = plan_text(report);
    CHECK(says(plan, "c/linux-64: 3 files to fetch (2.0 MB), 2 of 5 wanted are here, 2 left out"));
    CHECK(says(plan, "no size for 1 file"));
    CHECK(says(plan, "licence: ours"));
    CHECK(says(plan, "in all: 3 files to fetch, 2.0 MB; 500 GB are free\n"));
    report.plan.free_bytes = 1;
    CHECK(says(plan_text(report), "which is not enough"));
    report.plan.subdirs.clear();
    CHECK(says(plan_text(report), "indexes only"));
}

TEST_CASE("sync report: what is missing or refused is a warning, the rest notes") {
    test::RecordingReporter reporter;
    config::Settings settings;
    settings.root = "/srv/m";
    note_sync(example(), settings, reporter);
    std::string warnings;
    for (const std::string& warning : reporter.warnings()) {
        warnings += warning + "\n";
    }
    CHECK(says(warnings, "https://u/a: expected 3 B, got 404; not published"));
    CHECK(says(warnings, "1 file missing, named in /srv/m/missing.json"));
    CHECK(says(warnings, "1 record refused, such as ../x: unsafe file name"));
    std::string notes;
    for (const std::string& note : reporter.notes()) {
        notes += note + "\n";
    }
    CHECK(says(notes, "7 records, fetched"));
    CHECK(says(notes, "2 packages fetched"));
    CHECK(says(notes, "published snapshot 20261201T000000Z-00000000 in /srv/m"));
}

TEST_CASE("sync report: JSON for programs") {
    const auto document = parse_json(sync_json(example()));
    REQUIRE(document);
    CHECK(document->text("snapshot") == "20261201T000000Z-00000000");
    CHECK(document->find("packages")->as_array()->front().text("licence") == "ours");
    CHECK(document->find("missing")->as_array()->front().text("got") == "404");
    CHECK(*document->find("subdirs")->as_array()->front().find("records") == Json(7));
}

}  // namespace
}  // namespace chm::cli
