// Garbage collection: what goes, and above all what does not.
#include "channels/garbage.hpp"

#include "base/file_lock.hpp"
#include "channels/rollback.hpp"
#include "channels/verify_mirror.hpp"
#include "support/recording_reporter.hpp"
#include "support/stored_mirror.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;
using std::chrono::seconds;

struct Fixture {
    GarbageReport collect(const GarbageRequest& request) {
        reporter.clear();
        auto report = collect_garbage(mirror.paths, request, {mirror.clock, reporter, {}});
        REQUIRE_MESSAGE(report, report.error().message);
        return *report;
    }
    void lock(const std::string& name, const std::string& text) const {
        REQUIRE(make_directories(mirror.paths.root() / "locks"));
        REQUIRE(write_file_atomically(mirror.paths.root() / "locks" / name, text));
    }
    [[nodiscard]] std::size_t faults() {
        const auto report = verify_mirror(mirror.paths, {}, {mirror.clock, reporter, {}});
        REQUIRE_MESSAGE(report, report.error().message);
        for (const Fault& fault : report->faults) {
            MESSAGE(fault.file << ": expected " << fault.expected << ", got " << fault.got);
        }
        return report->faults.size();
    }

    test::TempDir directory;
    test::StoredMirror mirror{directory / "mirror"};
    test::RecordingReporter reporter;
};

constexpr GarbageRequest k_all{1, seconds(0), false};

TEST_CASE_FIXTURE(Fixture, "garbage: old snapshots go with their objects and names") {
    const std::string a = mirror.publish({{"a-1-0", "first"}, {"both-1-0", "kept"}}).id;
    const std::string b = mirror.publish({{"b-1-0", "second"}, {"both-1-0", "kept"}}).id;
    const GarbageReport dry = collect({1, seconds(0), true});
    CHECK(dry.snapshots == std::vector<std::string>{a});
    CHECK(mirror.has_snapshot(a));
    CHECK(mirror.has_object("first"));
    const GarbageReport report = collect(k_all);
    CHECK(report.bytes == dry.bytes);
    CHECK(report.bytes > 5);
    CHECK(report.kept_snapshots == std::vector<std::string>{b});
    REQUIRE(report.objects.size() == 1);
    CHECK(report.names == std::vector<fs::path>{"public/c/linux-64/a-1-0.conda"});
    CHECK_FALSE(mirror.has_snapshot(a));
    CHECK_FALSE(mirror.has_object("first"));
    CHECK(mirror.served("a-1-0") == "(none)");
    CHECK(mirror.served("both-1-0") == "kept");
    CHECK(mirror.served("b-1-0") == "second");
    CHECK(faults() == 0);
    const GarbageReport again = collect(k_all);
    CHECK(again.objects.empty());
    CHECK(again.bytes == 0);
}

TEST_CASE_FIXTURE(Fixture, "garbage: the newest stay whole, also behind the current one") {
    const std::string a = mirror.publish({{"a-1-0", "1"}}).id;
    const std::string b = mirror.publish({{"b-1-0", "2"}}).id;
    const std::string c = mirror.publish({{"c-1-0", "3"}}).id;
    REQUIRE(rollback(mirror.paths, a, mirror.clock, {}));
    const GarbageReport report = collect({1, seconds(0), false});
    CHECK(report.snapshots == std::vector<std::string>{b});
    CHECK(mirror.has_object("1"));
    CHECK(mirror.has_object("3"));
    CHECK_FALSE(mirror.has_object("2"));
    REQUIRE(rollback(mirror.paths, c, mirror.clock, {}));
    CHECK(mirror.served("c-1-0") == "3");
    CHECK(faults() == 0);
}

TEST_CASE_FIXTURE(Fixture, "garbage: what clients could see within the grace period stays") {
    const std::string a = mirror.publish({{"a-1-0", "1"}}).id;
    mirror.clock.advance(hours(24 * 7));
    const std::string b = mirror.publish({{"b-1-0", "2"}}).id;  // until now clients read a
    mirror.clock.advance(hours(23));
    CHECK(collect({0, hours(24), false}).snapshots.empty());
    CHECK(mirror.served("a-1-0") == "1");
    mirror.clock.advance(hours(2));
    CHECK(collect({0, hours(24), false}).snapshots == std::vector<std::string>{a});
    CHECK(mirror.served("a-1-0") == "(none)");
    CHECK(mirror.has_snapshot(b));
}

TEST_CASE_FIXTURE(Fixture,
                  "garbage: a snapshot that was left after a rollback has its grace, too") {
    const std::string a = mirror.publish({{"a-1-0", "1"}}).id;
    mirror.publish({{"b-1-0", "2"}});
    mirror.clock.advance(hours(24 * 7));
    REQUIRE(rollback(mirror.paths, a, mirror.clock, {}));
    mirror.clock.advance(hours(24 * 7));
    mirror.publish({{"c-1-0", "3"}});  // clients were in a, which is older than b
    mirror.clock.advance(hours(1));
    collect({1, hours(24), false});
    CHECK(mirror.has_snapshot(a));
    CHECK(mirror.served("a-1-0") == "1");
}

TEST_CASE_FIXTURE(Fixture, "garbage: objects that a sync left for the next one have their grace") {
    mirror.publish({{"a-1-0", "1"}});
    mirror.store("fetched, then interrupted");
    collect({1, hours(1), false});
    CHECK(mirror.has_object("fetched, then interrupted"));
    mirror.clock.advance(hours(2));
    collect({1, hours(1), false});
    CHECK_FALSE(mirror.has_object("fetched, then interrupted"));
}

TEST_CASE_FIXTURE(Fixture, "garbage: locks protect by sha256 and by md5, with the public name") {
    mirror.publish({{"a-1-0", "by sha"}, {"b-1-0", "by md5"}, {"x-1-0", "by nobody"}});
    mirror.publish({{"c-1-0", "now"}});
    lock("one.lock",
         "@EXPLICIT\nhttps://h/c/linux-64/a-1-0.conda#" + sha256("by sha").hex() + "\n");
    lock("two.lock", "@EXPLICIT\nhttps://h/c/linux-64/b-1-0.conda#" + md5("by md5").hex() + "\n");
    for (int round = 0; round < 2; ++round) {
        const GarbageReport report = collect(k_all);
        CHECK(report.objects.size() == (round == 0 ? 1 : 0));
        CHECK(mirror.served("a-1-0") == "by sha");
        CHECK(mirror.served("b-1-0") == "by md5");
        CHECK_FALSE(mirror.has_object("by nobody"));
    }
    REQUIRE(remove_tree(mirror.paths.root() / "locks"));
    CHECK(collect(k_all).objects.size() == 2);
}

TEST_CASE_FIXTURE(Fixture, "garbage: a lock that cannot be read may name anything") {
    const std::string a = mirror.publish({{"a-1-0", "1"}}).id;
    mirror.publish({{"b-1-0", "2"}});
    SUBCASE("another format") {
        lock("env.yml", "version: 6\n");
    }
    SUBCASE("no digest") {
        lock("x", "@EXPLICIT\nhttps://h/c/linux-64/a-1-0.conda\n");
    }
    SUBCASE("a folder below") {
        REQUIRE(make_directories(mirror.paths.root() / "locks/project"));
        lock("project/y", "garbage");
    }
    SUBCASE("a link to nowhere") {
        REQUIRE(make_directories(mirror.paths.root() / "locks"));
        fs::create_symlink("nowhere", mirror.paths.root() / "locks/z");
    }
    const GarbageReport report = collect(k_all);
    CHECK(report.objects_spared);
    CHECK(report.objects.empty());
    CHECK(report.snapshots == std::vector<std::string>{a});
    CHECK(mirror.served("a-1-0") == "1");
    REQUIRE(reporter.warnings().size() == 1);
    CHECK(reporter.warnings()[0].find("no stored file is removed") != std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "garbage: nothing goes while a kept snapshot cannot be read") {
    const std::string a = mirror.publish({{"a-1-0", "1"}}).id;
    const std::string b = mirror.publish({{"b-1-0", "2"}}).id;
    mirror.publish({{"c-1-0", "3"}});
    const fs::path list = stored_list(mirror.paths.snapshot(b), "c", "linux-64");
    SUBCASE("its list") {
        test::damage(list, "x");
    }
    SUBCASE("no list") {
        REQUIRE(remove_tree(list));
    }
    SUBCASE("its manifest") {
        test::damage(mirror.paths.snapshot(b) / "manifest.json", "{");
    }
    const auto report =
        collect_garbage(mirror.paths, {2, seconds(0), false}, {mirror.clock, reporter, {}});
    REQUIRE_FALSE(report);
    CHECK(report.error().kind == ErrorKind::integrity);
    CHECK(report.error().message.find("nothing was removed") != std::string::npos);
    CHECK(report.error().message.find(b) != std::string::npos);
    CHECK(mirror.has_snapshot(a));
    CHECK(mirror.has_object("1"));
    CHECK(collect(k_all).snapshots.size() == 2);  // not kept: it may go
}

TEST_CASE_FIXTURE(Fixture, "garbage: leftovers of killed runs go, other people's files stay") {
    mirror.publish({{"a-1-0", "1"}});
    const fs::path root = mirror.paths.root();
    const std::vector<fs::path> leftovers = {"public/c/linux-64/.repodata.json.12-3.tmp",
                                             "snapshots/new.unfinished/manifest.json",
                                             "objects/sha256/.x.1-2.tmp",
                                             ".missing.json.7-1.tmp",
                                             "state/partial/old"};
    const std::vector<fs::path> others = {"public/index.html",
                                          "public/c/linux-64/mine-1-0.conda",
                                          "public/c/linux-64/.hidden.tmp",
                                          "snapshots/backup/file",
                                          "quarantine/abc",
                                          "state/partial/young",
                                          "locks/.x.lock.1-2.tmp"};
    for (const auto* list : {&leftovers, &others}) {
        for (const fs::path& file : *list) {
            REQUIRE(make_directories((root / file).parent_path()));
            REQUIRE(write_file_atomically(root / file, "text"));
            mirror.set_time(root / file);
        }
    }
    mirror.clock.advance(hours(24 * 8));
    mirror.set_time(root / "state/partial/young");
    mirror.set_time(root / "locks/.x.lock.1-2.tmp");
    collect(k_all);
    for (const fs::path& file : leftovers) {
        CAPTURE(file);
        CHECK_FALSE(fs::exists(root / file));
    }
    for (const fs::path& file : others) {
        CAPTURE(file);
        CHECK(fs::exists(root / file));
    }
    CHECK_FALSE(fs::exists(root / "snapshots/new.unfinished"));
    CHECK(faults() == 0);
}

TEST_CASE_FIXTURE(
    Fixture, "garbage: names of a channel that only a later snapshot had go with their folder") {
    const std::string a = mirror.publish({{"a-1-0", "1"}}).id;
    mirror.publish({{"b-1-0", "2"}}, "later/label/x");
    REQUIRE(rollback(mirror.paths, a, mirror.clock, {}));
    collect({0, seconds(0), false});
    CHECK_FALSE(fs::exists(mirror.paths.published() / "later"));
    CHECK(faults() == 0);
}

TEST_CASE_FIXTURE(Fixture, "garbage: says who holds the root, and that there is no mirror") {
    const auto none = collect_garbage(mirror.paths, {}, {mirror.clock, reporter, {}});
    REQUIRE_FALSE(none);
    CHECK(none.error().kind == ErrorKind::usage);
    mirror.publish({{"a-1-0", "1"}});
    FileLock::Options options;
    options.purpose = "chanmirror sync";
    const auto lock = FileLock::acquire(mirror.paths.lock(), options, mirror.clock);
    REQUIRE(lock);
    const auto report = collect_garbage(mirror.paths, {}, {mirror.clock, reporter, {}});
    REQUIRE_FALSE(report);
    CHECK(report.error().kind == ErrorKind::locked);
    CHECK(report.error().message.find("chanmirror sync (pid ") != std::string::npos);
}

TEST_CASE_FIXTURE(Fixture,
                  "garbage: a name that led to several files still changes with the snapshot") {
    const std::string a = mirror.publish({{"re-1-0", "one"}}).id;
    mirror.publish({{"re-1-0", "two"}});
    mirror.publish({{"other-1-0", "3"}});
    collect({9, seconds(0), false});  // the current snapshot has no such name
    REQUIRE(rollback(mirror.paths, a, mirror.clock, {}));
    CHECK(mirror.served("re-1-0") == "one");
    mirror.publish({{"re-1-0", "four"}});
    CHECK(mirror.served("re-1-0") == "four");
    REQUIRE(rollback(mirror.paths, "previous", mirror.clock, {}));
    CHECK(faults() == 0);
}

/// One random history against a plain model: what the kept snapshots and locks hold must be there.
class History : public Fixture {
public:
    explicit History(unsigned seed) : random_(seed) {}

    void step() {
        switch (random_() % 5) {
            case 0:
            case 1:
                publish_random();
                break;
            case 2:
                roll_back_random();
                break;
            case 3:
                lock_random();
                break;
            default:
                collect_and_check();
        }
        mirror.clock.advance(hours(random_() % 30));
    }
    void collect_and_check() {
        if (contents_.empty()) {
            return;
        }
        const GarbageReport report =
            collect({static_cast<unsigned>(random_() % 3), hours(random_() % 40), false});
        const std::set<std::string> kept(report.kept_snapshots.begin(),
                                         report.kept_snapshots.end());
        REQUIRE(kept.contains(mirror.current()));
        for (const auto& [id, packages] : contents_) {
            REQUIRE(mirror.has_snapshot(id) == kept.contains(id));
            for (const auto& [package, bytes] : packages) {
                REQUIRE((!kept.contains(id) || mirror.has_object(bytes)));
            }
        }
        for (const auto& [package, bytes] : contents_[mirror.current()]) {
            REQUIRE(mirror.served(package) == bytes);
        }
        for (const std::string& bytes : locked_) {
            REQUIRE(mirror.has_object(bytes));
        }
        std::erase_if(contents_, [&](const auto& entry) { return !kept.contains(entry.first); });
        REQUIRE(faults() == 0);
    }

private:
    void publish_random() {
        test::Packages packages;
        for (unsigned i = 0; i < 4; ++i) {
            packages[fmt::format("p{}-1-0", random_() % 6)] =
                fmt::format("bytes {}", random_() % 9);
        }
        contents_[mirror.publish(packages).id] = packages;
    }
    std::string random_id() {
        auto it = contents_.begin();
        std::advance(it, random_() % contents_.size());
        return it->first;
    }
    void roll_back_random() {
        if (!contents_.empty()) {
            REQUIRE(rollback(mirror.paths, random_id(), mirror.clock, {}));
        }
    }
    void lock_random() {
        if (contents_.empty()) {
            return;
        }
        const auto& [package, bytes] = *contents_[random_id()].begin();
        const std::string hash = random_() % 2 == 0 ? sha256(bytes).hex() : md5(bytes).hex();
        lock(fmt::format("{}.lock", locked_.size()),
             fmt::format("@EXPLICIT\nhttps://h/c/linux-64/{}.conda#{}\n", package, hash));
        locked_.insert(bytes);
    }

    std::mt19937 random_;
    std::map<std::string, test::Packages> contents_;  // by snapshot
    std::set<std::string> locked_;
};

TEST_CASE("garbage: random histories never lose what a kept snapshot or a lock names") {
    for (unsigned seed = 1; seed <= 8; ++seed) {
        CAPTURE(seed);
        History history(seed);
        for (int i = 0; i < 25; ++i) {
            history.step();
        }
        history.collect_and_check();
    }
}

}  // namespace
}  // namespace chm::channels
