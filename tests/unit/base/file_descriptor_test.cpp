// Tests of base/file_descriptor.
#include "base/file_descriptor.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using chm::FileDescriptor;

namespace {

bool is_open(int fd) {
    return ::fcntl(fd, F_GETFD) != -1;
}

}  // namespace

TEST_CASE("file_descriptor: closes once and moves") {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    FileDescriptor reader(ends[0]);
    FileDescriptor writer(ends[1]);
    FileDescriptor moved = std::move(reader);
    CHECK(moved.get() == ends[0]);
    moved = std::move(writer);
    CHECK_FALSE(is_open(ends[0]));
    CHECK(moved.close() == 0);
    CHECK(moved.close() == 0);
    CHECK_FALSE(moved.is_open());
    CHECK_FALSE(is_open(ends[1]));
    FileDescriptor bad(1 << 20);
    CHECK(bad.close() == EBADF);
}

TEST_CASE("file_descriptor: writes all into a full non-blocking pipe") {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    const FileDescriptor reader(ends[0]);
    FileDescriptor writer(ends[1]);
    REQUIRE(::fcntl(writer.get(), F_SETFL, O_NONBLOCK) == 0);
    const std::vector<std::byte> sent(1'000'000, std::byte{7});
    std::size_t received = 0;
    std::thread consumer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        std::vector<std::byte> buffer(10'000);
        while (true) {
            const auto count = chm::read_some(reader, buffer, "pipe");
            if (!count || *count == 0) {
                return;
            }
            received += *count;
        }
    });
    const bool written = chm::write_all(writer, sent, "pipe").has_value();
    writer.close();
    consumer.join();
    CHECK(written);
    CHECK(received == sent.size());
}

TEST_CASE("file_descriptor: errors name the path") {
    std::array<std::byte, 1> buffer{};
    const FileDescriptor closed;
    CHECK(chm::read_some(closed, buffer, "/m/f").error().message ==
          "reading /m/f: Bad file descriptor");
    CHECK(chm::write_all(closed, buffer, "/m/f").error().message ==
          "writing /m/f: Bad file descriptor");
    CHECK(chm::open_to_read("/nowhere/f").error().kind == chm::ErrorKind::not_found);
}
