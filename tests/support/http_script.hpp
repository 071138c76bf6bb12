// How the test server misbehaves: a list of rules, each a path glob and what to do with the
// requests that match it. In a file, one rule a line; words are separated by spaces, "double
// quotes" keep spaces (\" \\ \n \r \t inside), and
// '#' at the start of a word begins a comment:
//
//     # the first two tries meet a busy server, the third is cut short
//     /conda-forge/*/repodata.json.zst  times=2 status=503 retry-after=1
//     /conda-forge/*/repodata.json.zst  times=1 cut=1000
//     /portal/*                         body="<html>Please log in</html>" type=text/html
#pragma once

#include "base/result.hpp"
#include "support/http_message.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chm::test {

/// Actions combine; what is not set leaves the answer as a well-behaved server gives it. The names
/// are those of the text form, with '-' for '_'. Relative paths start at the server's own working
/// directory.
struct Rule {
    std::string glob = "*";                   // of the decoded path; '*' is any text, '/' included
    std::uint64_t after = 0;                  // lets the first N matching requests pass
    std::optional<std::uint64_t> times = {};  // applies to that many, then no more
    // The answer.
    std::optional<int> status = {};                 // below 300: the file under that status, whole
    std::optional<std::uint64_t> retry_after = {};  // seconds
    std::optional<std::string> body = {};           // replaces file and validators
    std::optional<std::filesystem::path> body_file = {};  // the same from a file
    std::optional<std::string> type = {};                 // Content-Type
    std::optional<std::string> redirect = {};             // Location; status 302 unless given
    std::optional<std::filesystem::path> stale = {};  // look the path up in this directory instead
    std::optional<std::uint64_t> flip = {};      // one bit of the byte at this offset of the file
    std::optional<std::uint64_t> truncate = {};  // the file ends here; same ETag
    bool no_etag = false;
    bool no_range = false;                 // ignores Range, promises none
    std::vector<HttpHeader> headers = {};  // replace those of the same name; an empty value removes
    // The wire. Counts are of body bytes sent; HEAD has none, so it is left alone.
    std::chrono::milliseconds delay{0};       // before the head
    std::optional<std::uint64_t> cut = {};    // closes after N bytes, whatever Content-Length says
    std::optional<std::uint64_t> reset = {};  // the same with a TCP reset
    std::optional<std::uint64_t> drip = {};   // bytes a second
    bool hang = false;   // never answers; ends with the client's or the server's end
    bool close = false;  // closes without a byte
};

struct Script {
    std::vector<Rule> rules;
};

/// ErrorKind::parse, "line N: …", for the first line that is wrong.
Result<Script> parse_script(std::string_view text);

[[nodiscard]] bool glob_matches(std::string_view glob, std::string_view text);

/// A script being played: counts each rule's requests. Not synchronised.
class ScriptPlayer {
public:
    /// Starts over: all counts are zero.
    void set(Script script);
    void add(Rule rule);
    /// The rule for a request: the first that matches and is not waiting (after) or spent (times).
    /// A request that an earlier rule took does not count for later ones. An empty rule when none
    /// applies.
    Rule next(std::string_view path);

private:
    struct Entry {
        Rule rule;
        std::uint64_t seen = 0;
    };
    std::vector<Entry> entries_;
};

}  // namespace chm::test
