// Request heads, dates, ranges and media types. See the header.
#include "support/http_message.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace chm::test {
namespace {

constexpr std::array<std::string_view, 7> k_days = {
    "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> k_months = {
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// ASCII only: std::tolower would follow the locale.
char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](char c) { return lower(c); });
    return out;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
        return lower(x) == lower(y);
    });
}

template <class Int>
std::optional<Int> number(std::string_view digits, int base = 10) {
    Int value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [last, error] = std::from_chars(digits.data(), end, value, base);
    if (error != std::errc() || last != end || digits.front() == '-') {
        return std::nullopt;
    }
    return value;
}

std::optional<std::string> percent_decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        const auto code = text.size() - i > 2 ? number<unsigned>(text.substr(i + 1, 2), 16)
                                              : std::optional<unsigned>();
        if (!code) {
            return std::nullopt;
        }
        out += static_cast<char>(static_cast<unsigned char>(*code));
        i += 2;
    }
    return out;
}

Result<> read_target(std::string_view target, HttpRequest& request) {
    constexpr std::string_view k_scheme = "http://";
    if (target.starts_with(k_scheme)) {
        const std::size_t slash = target.find('/', k_scheme.size());
        target = slash == std::string_view::npos ? "/" : target.substr(slash);
    }
    const std::size_t mark = target.find('?');
    if (mark != std::string_view::npos) {
        request.query = target.substr(mark + 1);
    }
    std::optional<std::string> path = percent_decoded(target.substr(0, mark));
    if (!path || !path->starts_with('/') || path->find('\0') != std::string::npos) {
        return fail(ErrorKind::network, fmt::format("bad request target '{}'", printable(target)));
    }
    request.path = std::move(*path);
    return {};
}

Result<> read_request_line(std::string_view line, HttpRequest& request) {
    const std::vector<std::string_view> words = split(line, ' ');
    if (words.size() != 3 || words[0].empty() || !words[2].starts_with("HTTP/1.")) {
        return fail(ErrorKind::network,
                    fmt::format("bad request line '{}': expected 'METHOD TARGET HTTP/1.1'",
                                printable(line)));
    }
    request.method = words[0];
    request.keep_alive = words[2] != "HTTP/1.0";
    return read_target(words[1], request);
}

Result<> read_header_line(std::string_view line, HttpRequest& request) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) {
        return fail(ErrorKind::network, fmt::format("bad header line '{}'", printable(line)));
    }
    request.headers.push_back(
        {lower(line.substr(0, colon)), std::string(trim(line.substr(colon + 1)))});
    return {};
}

// "bytes=-N": the last N bytes.
RangeChoice choose_suffix(std::string_view digits, std::uint64_t size) {
    const auto length = number<std::uint64_t>(digits);
    if (!length) {
        return {};
    }
    if (*length == 0 || size == 0) {
        return {.kind = RangeChoice::Kind::unsatisfiable};
    }
    return {.kind = RangeChoice::Kind::part, .begin = size - std::min(*length, size), .end = size};
}

}  // namespace

std::optional<std::string_view> find_header(const std::vector<HttpHeader>& headers,
                                            std::string_view name) {
    const auto found = std::find_if(headers.begin(), headers.end(), [&](const HttpHeader& header) {
        return equal_ignoring_case(header.name, name);
    });
    return found == headers.end() ? std::nullopt : std::optional<std::string_view>(found->value);
}

Result<HttpRequest> parse_request_head(std::string_view head) {
    HttpRequest request;
    bool is_first = true;
    for (std::string_view line : split(head, '\n')) {
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        if (line.empty() && !is_first) {
            break;
        }
        const bool is_request_line = std::exchange(is_first, false);
        CHM_CHECK(is_request_line ? read_request_line(line, request)
                                  : read_header_line(line, request));
    }
    if (const auto connection = request.header("connection")) {
        request.keep_alive = request.keep_alive && !equal_ignoring_case(*connection, "close");
    }
    return request;
}

std::string http_date(std::chrono::sys_seconds time) {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time - day);
    return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                       k_days.at(std::chrono::weekday(day).c_encoding()),
                       static_cast<unsigned>(date.day()),
                       k_months.at(static_cast<unsigned>(date.month()) - 1),
                       static_cast<int>(date.year()),
                       clock.hours().count(),
                       clock.minutes().count(),
                       clock.seconds().count());
}

std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text) {
    constexpr std::size_t k_length = 29;
    if (text.size() != k_length) {
        return std::nullopt;
    }
    const auto month = std::find(k_months.begin(), k_months.end(), text.substr(8, 3));
    const auto day = number<unsigned>(text.substr(5, 2));
    const auto year = number<int>(text.substr(12, 4));
    const auto hours = number<unsigned>(text.substr(17, 2));
    const auto minutes = number<unsigned>(text.substr(20, 2));
    const auto seconds = number<unsigned>(text.substr(23, 2));
    if (month == k_months.end() || !day || !year || !hours || !minutes || !seconds) {
        return std::nullopt;
    }
    const std::chrono::year_month_day date(
        std::chrono::year(*year),
        std::chrono::month(static_cast<unsigned>(month - k_months.begin()) + 1),
        std::chrono::day(*day));
    const std::chrono::sys_seconds time = std::chrono::sys_days(date) + std::chrono::hours(*hours) +
                                          std::chrono::minutes(*minutes) +
                                          std::chrono::seconds(*seconds);
    // Writing it again checks all that was not read: weekday, punctuation, day 31 of a short month.
    return date.ok() && http_date(time) == text ? std::optional(time) : std::nullopt;
}

RangeChoice choose_range(std::string_view header, std::uint64_t size) {
    constexpr std::string_view k_unit = "bytes=";
    const std::size_t dash = header.find('-');
    if (!header.starts_with(k_unit) || dash == std::string_view::npos || dash < k_unit.size()) {
        return {};
    }
    const std::string_view first_text = header.substr(k_unit.size(), dash - k_unit.size());
    const std::string_view last_text = header.substr(dash + 1);
    if (first_text.empty()) {
        return choose_suffix(last_text, size);
    }
    const auto first = number<std::uint64_t>(first_text);
    const auto last = number<std::uint64_t>(last_text);
    const std::uint64_t last_byte = last.value_or(std::numeric_limits<std::uint64_t>::max());
    if (!first || (!last && !last_text.empty()) || last_byte < *first) {
        return {};
    }
    if (*first >= size) {
        return {.kind = RangeChoice::Kind::unsatisfiable};
    }
    return {
        .kind = RangeChoice::Kind::part, .begin = *first, .end = std::min(last_byte, size - 1) + 1};
}

std::string_view media_type(const std::filesystem::path& path) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> k_types = {
        {{".json", "application/json"},
         {".zst", "application/zstd"},
         {".html", "text/html"},
         {".yaml", "text/plain"},
         {".yml", "text/plain"},
         {".txt", "text/plain"}}};
    const std::string suffix = path.extension().string();
    const auto* const found = std::find_if(
        k_types.begin(), k_types.end(), [&](const auto& entry) { return entry.first == suffix; });
    return found == k_types.end() ? "application/octet-stream" : found->second;
}

std::string_view reason_phrase(int status) {
    static constexpr std::array<std::pair<int, std::string_view>, 22> k_phrases = {
        {{200, "OK"},
         {204, "No Content"},
         {206, "Partial Content"},
         {301, "Moved Permanently"},
         {302, "Found"},
         {303, "See Other"},
         {304, "Not Modified"},
         {307, "Temporary Redirect"},
         {308, "Permanent Redirect"},
         {400, "Bad Request"},
         {401, "Unauthorized"},
         {403, "Forbidden"},
         {404, "Not Found"},
         {405, "Method Not Allowed"},
         {410, "Gone"},
         {416, "Range Not Satisfiable"},
         {429, "Too Many Requests"},
         {431, "Request Header Fields Too Large"},
         {500, "Internal Server Error"},
         {502, "Bad Gateway"},
         {503, "Service Unavailable"},
         {504, "Gateway Timeout"}}};
    const auto* const found =
        std::find_if(k_phrases.begin(), k_phrases.end(), [&](const auto& entry) {
            return entry.first == status;
        });
    return found == k_phrases.end() ? "Unknown" : found->second;
}

}  // namespace chm::test
