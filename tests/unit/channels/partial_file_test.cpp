// A package file while it arrives.
#include "channels/partial_file.hpp"

#include "base/atomic_file.hpp"
#include "base/file.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;

const std::string k_bytes = "0123456789";

class Fixture {
public:
    [[nodiscard]] PartialFile file(const FilePromise& promise) const {
        return {path, promise, 1000};
    }
    /// One try that brings `text` from where the file asks for it.
    static Result<> receive(PartialFile& file, std::string_view text, const BodyStart& start = {}) {
        file.start_try();
        CHM_CHECK(file.begin(start));
        CHM_CHECK(file.write(std::as_bytes(std::span(text))));
        return file.end_try();
    }
    [[nodiscard]] std::string on_disk() const {
        const auto text = read_file(path, 1 << 20);
        return text ? *text : text.error().message;
    }
    void leave(const std::string& text) const { REQUIRE(write_file_atomically(path, text)); }

    test::TempDir directory;
    fs::path path = directory / "x.part";
    FilePromise right{sha256(k_bytes), {}, 10};
};

TEST_CASE("partial_file: a promise in words") {
    const FilePromise both{sha256("one"), md5("one"), 1'200'000};
    CHECK(both.text() ==
          "sha256 7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed, 1.2 MB");
    CHECK(FilePromise{{}, md5("one"), {}}.text() == "md5 f97c5d29941bfb1b2fdab0874906ab82");
    CHECK(FilePromise{{}, {}, 5}.text() == "5 B");
    CHECK(FilePromise{}.text() == "any bytes");
}

TEST_CASE_FIXTURE(Fixture, "partial_file: a whole body is on the disk and right") {
    PartialFile file = this->file(right);
    REQUIRE(receive(file, k_bytes, {0, 10, {}}));
    CHECK(on_disk() == k_bytes);
    CHECK(file.is_full());
    CHECK_FALSE(file.is_pieced());
    CHECK(file.tries() == 1);
    const auto verdict = file.check();
    CHECK(verdict.wrong.empty());
    CHECK(verdict.sha256 == sha256(k_bytes));
}

TEST_CASE_FIXTURE(Fixture, "partial_file: an empty file") {
    PartialFile file = this->file({sha256(""), {}, 0});
    REQUIRE(receive(file, "", {0, 0, {}}));
    CHECK(on_disk().empty());
    CHECK(file.check().wrong.empty());
}

TEST_CASE_FIXTURE(Fixture, "partial_file: what is wrong with other bytes") {
    for (const auto& [promise, wrong] :
         {std::pair{FilePromise{sha256("x"), {}, 10}, "sha256 " + sha256(k_bytes).hex()},
          {FilePromise{{}, md5("x"), 10}, "md5 " + md5(k_bytes).hex()},
          {FilePromise{sha256(k_bytes), md5("x"), 10}, std::string()},  // the sha256 decides
          {FilePromise{{}, md5(k_bytes), {}}, std::string()},
          {FilePromise{sha256(k_bytes), {}, 12}, std::string("cut short after 10 B of 12 B")},
          {FilePromise{}, std::string()}}) {
        CAPTURE(promise.text());
        PartialFile file = this->file(promise);
        REQUIRE(receive(file, k_bytes));
        CHECK(file.check().wrong == wrong);
    }
    CHECK_FALSE(file(right).check().wrong.empty());
}

TEST_CASE_FIXTURE(Fixture, "partial_file: a broken body is continued where it broke") {
    PartialFile file = this->file(right);
    REQUIRE(receive(file, "0123", {0, 10, "\"e\""}));
    CHECK(file.check().wrong == "cut short after 4 B of 10 B");
    PartialFile again = this->file(right);
    REQUIRE(receive(again, "0123", {0, 10, "\"e\""}));
    const ResumePoint point = again.start_try();
    CHECK(point.offset == 4);
    CHECK(point.etag == "\"e\"");
    REQUIRE(receive(again, "456789", {4, 10, "\"e\""}));
    CHECK(again.is_pieced());
    CHECK(again.check().wrong.empty());
    CHECK(on_disk() == k_bytes);
}

TEST_CASE_FIXTURE(Fixture, "partial_file: another source's ETag is not asked about") {
    PartialFile file = this->file(right);
    REQUIRE(receive(file, "0123", {0, 10, "\"e\""}));
    file.change_source();
    CHECK(file.start_try().offset == 4);
    CHECK(file.start_try().etag.empty());
}

TEST_CASE_FIXTURE(Fixture, "partial_file: a server may begin anew") {
    PartialFile file = this->file(right);
    REQUIRE(receive(file, "9999", {0, 10, {}}));
    REQUIRE(receive(file, k_bytes, {0, 10, {}}));
    CHECK_FALSE(file.is_pieced());
    CHECK(file.check().wrong.empty());
}

TEST_CASE_FIXTURE(Fixture, "partial_file: what an earlier run left is hashed and continued") {
    leave("0123");
    fs::permissions(path, fs::perms(0444));  // killed on its way into the store
    PartialFile file = this->file(right);
    REQUIRE(file.take_up({}));
    CHECK(file.size() == 4);
    CHECK(file.start_try().offset == 4);
    CHECK(file.start_try().etag.empty());
    REQUIRE(receive(file, "456789", {4, 10, {}}));
    CHECK(file.check().wrong.empty());

    leave(k_bytes);
    PartialFile whole = this->file({{}, md5(k_bytes), 10});
    REQUIRE(whole.take_up({}));
    CHECK(whole.is_full());
    CHECK(whole.check().wrong.empty());
}

TEST_CASE_FIXTURE(Fixture, "partial_file: left-overs that are no beginning are removed") {
    const auto gone = [&](const FilePromise& promise) {
        PartialFile file = this->file(promise);
        REQUIRE(file.take_up({}));
        CHECK(file.start_try().offset == 0);
        return !fs::exists(path);
    };
    CHECK(gone(right));  // there is none
    leave("0123456789a");
    CHECK(gone(right));  // too long
    leave("");
    CHECK(gone(right));
    leave("0123");
    CHECK(gone({{}, {}, 10}));  // nothing to check it with
    leave(std::string(1001, 'x'));
    CHECK(gone({sha256("x"), {}, {}}));  // longer than any file may be
}

TEST_CASE_FIXTURE(Fixture,
                  "partial_file: a symlink or hardlink in its place is replaced, not followed") {
    REQUIRE(write_file_atomically(directory / "victim", "0123"));
    fs::create_symlink(directory / "victim", path);
    PartialFile file = this->file(right);
    REQUIRE(file.take_up({}));
    CHECK(file.size() == 0);
    REQUIRE(receive(file, k_bytes));
    CHECK(read_file(directory / "victim", 100) == "0123");
    fs::remove(path);
    fs::create_hard_link(directory / "victim", path);
    PartialFile second = this->file(right);
    REQUIRE(receive(second, k_bytes));
    CHECK(read_file(directory / "victim", 100) == "0123");
}

TEST_CASE_FIXTURE(Fixture, "partial_file: hashing stops when the run does") {
    leave("0123");
    const std::stop_source stop;
    stop.request_stop();
    const auto taken = file(right).take_up(stop.get_token());
    REQUIRE_FALSE(taken);
    CHECK(taken.error().kind == ErrorKind::interrupted);
    CHECK(on_disk() == "0123");
}

TEST_CASE_FIXTURE(
    Fixture,
    "partial_file: another size is refused before the first byte, and keeps what is here") {
    PartialFile file = this->file(right);
    REQUIRE(receive(file, "0123", {0, 10, {}}));
    for (const std::uint64_t total : {0U, 9U, 11U}) {
        for (const std::uint64_t offset : {0U, 4U}) {
            file.start_try();
            const auto begun = file.begin({offset, total, {}});
            REQUIRE_FALSE(begun);
            CHECK(begun.error().kind == ErrorKind::integrity);
            CHECK(file.is_other_size());
        }
    }
    CHECK(on_disk() == "0123");
    CHECK(file.start_try().offset == 4);
    CHECK_FALSE(file.is_other_size());
}

TEST_CASE_FIXTURE(Fixture, "partial_file: a part that does not continue ours is refused") {
    PartialFile file = this->file(right);
    REQUIRE(receive(file, "0123", {0, 10, {}}));
    for (const std::uint64_t offset : {3U, 5U}) {
        file.start_try();
        const auto begun = file.begin({offset, 10, {}});
        REQUIRE_FALSE(begun);
        CHECK(begun.error().kind == ErrorKind::integrity);
        CHECK_FALSE(file.is_other_size());
    }
}

TEST_CASE_FIXTURE(Fixture, "partial_file: no more is written than promised or allowed") {
    PartialFile promised = this->file(right);
    const auto longer = receive(promised, k_bytes + "a");
    REQUIRE_FALSE(longer);
    CHECK(longer.error().kind == ErrorKind::integrity);
    CHECK(longer.error().message.find("11") != std::string::npos);
    CHECK(longer.error().message.find("promises 10") != std::string::npos);
    PartialFile unbounded = this->file({});
    CHECK(receive(unbounded, std::string(1000, 'x')));
    CHECK_FALSE(receive(unbounded, std::string(1001, 'x')));
    PartialFile huge = this->file({sha256("x"), {}, 1001});  // the promise is no excuse
    huge.start_try();
    CHECK_FALSE(huge.begin({0, 1001, {}}));
}

TEST_CASE_FIXTURE(Fixture, "partial_file: without a digest only a known version is continued") {
    PartialFile file = this->file({{}, {}, 10});
    REQUIRE(receive(file, "0123", {0, 10, {}}));
    CHECK(file.start_try().offset == 0);
    REQUIRE(receive(file, "0123", {0, 10, "W/\"e\""}));
    CHECK(file.start_try().offset == 0);
    REQUIRE(receive(file, "0123", {0, 10, "\"e\""}));
    CHECK(file.start_try().offset == 4);
    file.change_source();
    CHECK(file.start_try().offset == 0);
}

TEST_CASE_FIXTURE(Fixture, "partial_file: a folder that is not there is an io error") {
    PartialFile file(directory / "none/x.part", right, 1000);
    const auto received = receive(file, k_bytes);
    REQUIRE_FALSE(received);
    CHECK(received.error().kind == ErrorKind::io);
    CHECK(received.error().message.find("none/x.part") != std::string::npos);
}

}  // namespace
}  // namespace chm::channels
