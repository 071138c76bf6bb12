// From request and rule to status, headers and bytes: RFC 9110's conditional and range requests,
// bent where the rule says so. See the header.
#include "support/http_answer.hpp"

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace chm::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t k_max_hashed = 4 << 20;
constexpr std::uint64_t k_max_body_file = 64 << 20;

void set_header(Answer& answer, std::string_view name, std::string value) {
    answer.headers.push_back({std::string(name), std::move(value)});
}

// Where a request path lies under `root`; none when it would leave it. Symlinks are followed later,
// by open(2): the tree under test has them on purpose (`current`).
std::optional<fs::path> confined(const fs::path& root, std::string_view request_path) {
    fs::path path = root;
    for (const std::string_view part : split(request_path, '/')) {
        if (part == "..") {
            return std::nullopt;
        }
        if (!part.empty()) {
            path /= part;
        }
    }
    return request_path.ends_with('/') ? path / "index.html" : path;
}

std::string_view without_weak_mark(std::string_view tag) {
    return tag.starts_with("W/") ? tag.substr(2) : tag;
}

// If-None-Match compares weakly (RFC 9110 §13.1.2).
bool lists_etag(std::string_view list, std::string_view etag) {
    const std::vector<std::string_view> tags = split(list, ',');
    return std::any_of(tags.begin(), tags.end(), [&](std::string_view tag) {
        return trim(tag) == "*" || (!etag.empty() && without_weak_mark(trim(tag)) == etag);
    });
}

bool is_unchanged(const HttpRequest& request, const Content& content, std::string_view etag) {
    // RFC 9110 §13.2.2: If-Modified-Since counts only when there is no If-None-Match.
    if (const auto tags = request.header("if-none-match")) {
        return lists_etag(*tags, etag);
    }
    const auto since = request.header("if-modified-since");
    const auto date = since ? parse_http_date(*since) : std::nullopt;
    const auto modified = content.modified();
    return date && modified && *modified <= *date;
}

bool range_still_holds(const HttpRequest& request, const Content& content, std::string_view etag) {
    const auto condition = request.header("if-range");
    if (!condition) {
        return true;
    }
    if (condition->starts_with('"')) {
        return *condition == etag;
    }
    const auto date = parse_http_date(*condition);
    return date && content.modified() == date;
}

void apply_range(const HttpRequest& request, std::string_view etag, Answer& answer) {
    const auto range = request.header("range");
    if (!range || request.method != "GET" || !range_still_holds(request, answer.content, etag)) {
        return;
    }
    const std::uint64_t size = answer.content.size();
    const RangeChoice choice = choose_range(*range, size);
    if (choice.kind == RangeChoice::Kind::unsatisfiable) {
        answer.status = 416;
        answer.end = 0;
        set_header(answer, "Content-Range", fmt::format("bytes */{}", size));
    } else if (choice.kind == RangeChoice::Kind::part) {
        answer.status = 206;
        answer.begin = choice.begin;
        answer.end = choice.end;
        set_header(answer,
                   "Content-Range",
                   fmt::format("bytes {}-{}/{}", choice.begin, choice.end - 1, size));
    }
}

Answer serve_file(const HttpRequest& request, const Rule& rule, const fs::path& root) {
    const std::optional<fs::path> path = confined(rule.stale.value_or(root), request.path);
    if (!path) {
        return make_text_answer(400, "the path leaves the served directory");
    }
    Result<Content> content = Content::open(*path);
    if (!content) {
        return make_text_answer(content.error().kind == ErrorKind::not_found ? 404 : 500,
                                content.error().message);
    }
    Answer answer;
    answer.content = std::move(*content);
    if (rule.truncate) {
        answer.content.truncate(*rule.truncate);
    }
    if (rule.flip) {
        answer.content.flip_bit_at(*rule.flip);
    }
    answer.end = answer.content.size();
    const std::string etag = rule.no_etag ? std::string() : answer.content.etag();
    if (!etag.empty()) {
        set_header(answer, "ETag", etag);
    }
    if (const auto modified = answer.content.modified()) {
        set_header(answer, "Last-Modified", http_date(*modified));
    }
    if (!rule.no_range) {
        set_header(answer, "Accept-Ranges", "bytes");
    }
    if (rule.status) {
        answer.status = *rule.status;
    } else if (is_unchanged(request, answer.content, etag)) {
        answer.status = 304;
    } else if (!rule.no_range) {
        apply_range(request, etag, answer);
    }
    set_header(answer, "Content-Type", std::string(media_type(*path)));
    return answer;
}

Answer serve_text(const Rule& rule, std::string text) {
    Answer answer;
    answer.status = rule.status.value_or(200);
    answer.content = Content(std::move(text));
    answer.end = answer.content.size();
    const fs::path named = rule.body_file.value_or(".txt");
    set_header(answer, "Content-Type", std::string(media_type(named)));
    return answer;
}

Answer choose_answer(const HttpRequest& request, const Rule& rule, const fs::path& root) {
    if (request.method != "GET" && request.method != "HEAD") {
        return make_text_answer(405, "only GET and HEAD are served");
    }
    if (rule.redirect) {
        Answer answer = make_text_answer(rule.status.value_or(302), *rule.redirect);
        set_header(answer, "Location", *rule.redirect);
        return answer;
    }
    if (rule.body) {
        return serve_text(rule, *rule.body);
    }
    if (rule.body_file) {
        Result<std::string> text = read_file(*rule.body_file, k_max_body_file);
        return text ? serve_text(rule, std::move(*text))
                    : make_text_answer(500, "body-file: " + text.error().message);
    }
    if (rule.status && *rule.status >= 300) {
        return make_text_answer(*rule.status, reason_phrase(*rule.status));
    }
    return serve_file(request, rule, root);
}

void replace_header(Answer& answer, const HttpHeader& header) {
    std::erase_if(answer.headers, [&](const HttpHeader& other) {
        return find_header({other}, header.name).has_value();
    });
    if (!header.value.empty()) {
        answer.headers.push_back(header);
    }
}

}  // namespace

Result<Content> Content::open(const fs::path& path) {
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.is_open()) {
        const bool missing = errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG;
        return missing ? fail(ErrorKind::not_found, "no such file")
                       : fail(io_error("cannot open " + path.string(), errno));
    }
    struct stat info = {};
    if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
        return fail(ErrorKind::not_found, "not a regular file");
    }
    Content content;
    content.file_ = std::move(file);
    content.size_ = static_cast<std::uint64_t>(info.st_size);
    content.modified_ = std::chrono::sys_seconds(std::chrono::seconds(info.st_mtim.tv_sec));
    if (content.size_ <= k_max_hashed) {
        // In memory, so that the bytes are those of the hash even if a test rewrites the file
        // meanwhile.
        content.text_ = content.read(0, static_cast<std::size_t>(content.size_));
        content.size_ = content.text_.size();
        content.file_.close();
        content.etag_ = fmt::format("\"{}\"", sha256(content.text_).hex().substr(0, 32));
    } else {
        content.etag_ = fmt::format("\"{:x}-{:x}-{:x}.{:x}\"",
                                    info.st_ino,
                                    info.st_size,
                                    info.st_mtim.tv_sec,
                                    info.st_mtim.tv_nsec);
    }
    return content;
}

std::string Content::read(std::uint64_t offset, std::size_t length) const {
    if (offset >= size_) {
        return {};
    }
    length = static_cast<std::size_t>(std::min<std::uint64_t>(length, size_ - offset));
    std::string bytes;
    if (file_.is_open()) {
        bytes.resize(length);
        std::size_t have = 0;
        while (have < length) {
            const ssize_t got = ::pread(
                file_.get(), bytes.data() + have, length - have, static_cast<off_t>(offset + have));
            if (got <= 0) {
                break;
            }
            have += static_cast<std::size_t>(got);
        }
        bytes.resize(have);
    } else {
        bytes = text_.substr(static_cast<std::size_t>(offset), length);
    }
    if (flip_ && *flip_ >= offset && *flip_ - offset < bytes.size()) {
        char& byte = bytes[static_cast<std::size_t>(*flip_ - offset)];
        byte = static_cast<char>(static_cast<unsigned char>(byte) ^ 1U);
    }
    return bytes;
}

void Content::truncate(std::uint64_t size) {
    size_ = std::min(size_, size);
}

std::string Answer::head(bool keep_alive) const {
    std::string text = fmt::format("HTTP/1.1 {} {}\r\n", status, reason_phrase(status));
    for (const HttpHeader& header : headers) {
        text += fmt::format("{}: {}\r\n", header.name, header.value);
    }
    text += keep_alive ? "\r\n" : "Connection: close\r\n\r\n";
    return text;
}

bool Answer::is_framed() const {
    return !has_body || find_header(headers, "content-length").has_value();
}

Answer make_text_answer(int status, std::string_view text) {
    Answer answer;
    answer.status = status;
    answer.content = Content(fmt::format("{}\n", printable(text)));
    answer.end = answer.content.size();
    set_header(answer, "Content-Type", "text/plain");
    return answer;
}

Answer make_answer(const HttpRequest& request, const Rule& rule, const fs::path& root) {
    Answer answer = choose_answer(request, rule, root);
    const bool is_bodiless = answer.status == 204 || answer.status == 304;
    if (!is_bodiless) {
        set_header(answer, "Content-Length", std::to_string(answer.end - answer.begin));
    }
    if (is_bodiless || request.method == "HEAD") {
        answer.has_body = false;
        answer.end = answer.begin;
    }
    set_header(
        answer,
        "Date",
        http_date(std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now())));
    if (rule.retry_after) {
        replace_header(answer, {"Retry-After", std::to_string(*rule.retry_after)});
    }
    if (rule.type) {
        replace_header(answer, {"Content-Type", *rule.type});
    }
    for (const HttpHeader& header : rule.headers) {
        replace_header(answer, header);
    }
    return answer;
}

}  // namespace chm::test
