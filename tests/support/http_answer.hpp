// What the test server answers: a request, a rule and a directory tree make a status, headers and
// bytes. Everything but the wire; local_server.cpp sends it.
#pragma once

#include "base/file_descriptor.hpp"
#include "base/result.hpp"
#include "support/http_message.hpp"
#include "support/http_script.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chm::test {

/// The bytes behind an answer: a text, or a file that is read as it is sent (it may be a gigabyte).
class Content {
public:
    explicit Content(std::string text = {}) : text_(std::move(text)), size_(text_.size()) {}
    /// ErrorKind::not_found when there is no such regular file.
    static Result<Content> open(const std::filesystem::path& path);

    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// As many of `length` bytes as there are.
    [[nodiscard]] std::string read(std::uint64_t offset, std::size_t length) const;
    /// Ends the content early.
    void truncate(std::uint64_t size);
    void flip_bit_at(std::uint64_t offset) { flip_ = offset; }

    // Of files only. The ETag is the hash of the whole file up to 4 MiB and made from inode, size
    // and mtime above.
    [[nodiscard]] const std::string& etag() const { return etag_; }
    [[nodiscard]] std::optional<std::chrono::sys_seconds> modified() const { return modified_; }

private:
    std::string text_;
    FileDescriptor file_;  // open: the bytes are there and not in text_
    std::uint64_t size_;
    std::optional<std::uint64_t> flip_;
    std::string etag_;
    std::optional<std::chrono::sys_seconds> modified_;
};

struct Answer {
    int status = 200;
    std::vector<HttpHeader> headers = {};
    Content content = Content();
    std::uint64_t begin = 0;  // the body is [begin, end) of the content
    std::uint64_t end = 0;
    bool has_body = true;  // false: HEAD, 204, 304

    /// Status line, headers, empty line; says whether the connection stays open.
    [[nodiscard]] std::string head(bool keep_alive) const;
    /// False when only the end of the connection can tell a client that the body is over.
    [[nodiscard]] bool is_framed() const;
};

[[nodiscard]] Answer make_answer(const HttpRequest& request,
                                 const Rule& rule,
                                 const std::filesystem::path& root);

/// An answer that is one line of text for people.
[[nodiscard]] Answer make_text_answer(int status, std::string_view text);

}  // namespace chm::test
