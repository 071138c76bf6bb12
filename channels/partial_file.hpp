// A package file that is arriving: a sink that writes and hashes, that knows how much of the file is
// here from earlier tries, sources and runs, and that tells in the end whether it is the right one.
#pragma once

#include "base/digest.hpp"
#include "base/file_descriptor.hpp"
#include "base/result.hpp"
#include "channels/transport.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

namespace chm::channels {

/// What an index says of a file.
struct FilePromise {
    std::optional<Sha256> sha256;
    std::optional<Md5> md5;  // looked at only where there is no sha256
    std::optional<std::uint64_t> size;

    [[nodiscard]] bool has_digest() const { return sha256 || md5; }
    /// "sha256 12ab…, 3.4 MB"; "any bytes" when nothing is promised.
    [[nodiscard]] std::string text() const;
};

class PartialFile final : public BodySink {
public:
    /// `max_bytes` bounds a file whose size nobody promises, and the promises too.
    PartialFile(std::filesystem::path path, const FilePromise& promise, std::uint64_t max_bytes);

    /// Hashes what an earlier run left at `path`, to be continued. What cannot be a beginning of the
    /// file, or could never be checked (no digest), is removed.
    Result<> take_up(const std::stop_token& stop);
    /// The next try is at another address: the ETag seen so far means nothing there.
    void change_source() { etag_.clear(); }

    ResumePoint start_try() override;
    /// ErrorKind::integrity for another file's size or a part that does not continue ours.
    Result<> begin(const BodyStart& start) override;
    Result<> write(std::span<const std::byte> bytes) override;
    Result<> end_try() override;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// As long as promised; false where that is not known.
    [[nodiscard]] bool is_full() const { return promise_.size == size_; }
    /// Its bytes came in several pieces, perhaps of different files.
    [[nodiscard]] bool is_pieced() const { return pieced_; }
    /// Whether the last begin() saw that the source has a file of another size.
    [[nodiscard]] bool is_other_size() const { return other_size_; }
    /// Whether a body has ever begun.
    [[nodiscard]] bool was_answered() const { return answered_; }
    /// The offset the last try asked for.
    [[nodiscard]] std::uint64_t asked() const { return asked_; }
    [[nodiscard]] unsigned tries() const { return tries_; }

    struct Verdict {
        Sha256 sha256;
        std::string wrong;  // "sha256 99…", "cut short after …"; empty: it is the file
    };
    /// Call once all of it is here; a wrong one is to be discarded.
    [[nodiscard]] Verdict check();
    /// Removes the file and starts over.
    Result<> discard();

private:
    [[nodiscard]] std::uint64_t limit() const;
    [[nodiscard]] Error refusal(std::uint64_t size) const;
    Result<> open_new();
    Result<> open_to_append();
    void hash(std::span<const std::byte> bytes);

    std::filesystem::path path_;
    FilePromise promise_;
    std::uint64_t max_bytes_;
    FileDescriptor file_;                   // open between begin and end_try
    std::optional<Hasher<Sha256>> sha256_;  // of the size_ bytes that are here; none: no bytes yet
    std::optional<Hasher<Md5>> md5_;        // where it is needed
    std::uint64_t size_ = 0;
    std::string etag_;  // of the bytes that are here, at the present source
    std::uint64_t asked_ = 0;
    unsigned tries_ = 0;
    bool pieced_ = false;
    bool other_size_ = false;
    bool answered_ = false;
};

}  // namespace chm::channels
