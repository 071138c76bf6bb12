// Version literals (CEP 33) become a key whose byte order is the version order, so that the many
// comparisons of a solve are one memcmp each, and so that a fuzzy match is a comparison of
// prefixes.
#include "conda/version.hpp"

#include "base/ascii.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

// The key. A version is a list of segments, a segment a list of components: a number first, then
// letters and numbers in turn ("rc1" is read as 0,"rc",1). Whatever is missing counts as the number
// 0. So a version is a sparse vector whose value is 0 nearly everywhere, and the key lists only
// what is not 0, as tokens in the order of their places:
//
//     key   = token* end token* end          release, then local part
//     token = lead [distance] value
//
// The lead tells where the token stands, counted from the token before it (or from the epoch's
// place), and its kind. Two keys that agree up to some token differ next in place, kind or value.
// The one whose token comes first is compared with a 0 of the other: letters are smaller than 0,
// numbers and "post" greater. Hence the order of leads: letters, the nearer the smaller; the end
// (nothing but 0 follows); numbers and "post", the nearer the greater.
//
//     value of a number   its digits without leading zeros; their count is in the lead's low four
//     bits, or, from 15
//                         up, in an ordered integer before them. Any length: no digit run
//                         overflows.
//     value of letters    lower-case ASCII, '_' only last, then a byte 0; the word "dev" is the
//     byte 1 (below '_'
//                         and 'a'). "post" has no value.
//     distance            an ordered integer: how many segments further on; its bytes inverted in
//     positive tokens,
//                         so that the farther is the smaller.
namespace chm::conda {

namespace {

// The places: "next" is the component right after the last token, "after_zero" the one after that
// (a number 0 lies between), "segment" is in a later segment. There letters and "post" stand second
// and numbers first.
constexpr char k_letters_next = 0x01;
constexpr char k_letters_after_zero = 0x02;
constexpr char k_letters_segment = 0x03;  // distance follows
constexpr char k_end = 0x10;
constexpr char k_far = 0x20;  // distance (2 or more) follows, then one of the next two leads
constexpr char k_post_segment = 0x30;  // one segment on, unless after k_far
constexpr char k_number_segment = 0x40;
constexpr char k_post_after_zero = 0x50;
constexpr char k_post_next = 0x51;
constexpr char k_number_next = 0x60;

constexpr char k_dev = 0x01;
constexpr std::size_t k_long_number = 15;        // digit counts from here on do not fit the lead
constexpr unsigned char k_short_integer = 0xF7;  // the largest ordered integer of one byte

/// Bytes whose order is that of the integers: one byte, or 0xF7 plus the count of the big-endian
/// bytes that follow.
void append_ordered(std::string& out, std::uint64_t value, unsigned char invert) {
    const auto put = [&](std::uint64_t byte) {
        out += static_cast<char>(static_cast<unsigned char>(byte) ^ invert);
    };
    if (value <= k_short_integer) {
        put(value);
        return;
    }
    unsigned count = 1;
    while (count < 8 && value >> (8 * count) != 0) {
        ++count;
    }
    put(k_short_integer + count);
    while (count-- > 0) {
        put(value >> (8 * count) & 0xFF);
    }
}

/// Reads what append_ordered wrote with `invert`, at the start of `bytes`, and advances them.
std::uint64_t take_ordered(std::string_view& bytes, unsigned char invert) {
    const auto take = [&] {
        const auto byte = static_cast<unsigned char>(bytes.front());
        bytes.remove_prefix(1);
        return static_cast<unsigned char>(byte ^ invert);
    };
    const unsigned char first = take();
    if (first <= k_short_integer) {
        return first;
    }
    std::uint64_t value = 0;
    for (unsigned count = first - k_short_integer; count > 0; --count) {
        value = value << 8 | take();
    }
    return value;
}

constexpr unsigned char k_descending = 0xFF;

/// How far a prefix of a version reaches in its key.
struct Extent {
    std::size_t length = 0;
    bool ends_in_letters = false;
    bool ends_in_zero = true;
    std::size_t gap = 0;
};

/// Writes the tokens of one part (release or local) after the other.
class KeyWriter {
public:
    void begin_segment() {
        ++gap_;
        after_zero_ = false;
        ends_in_zero_ = true;
    }

    void add_number(std::string_view digits) {
        digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
        ends_in_zero_ = digits.empty();
        ends_in_letters_ = false;
        if (digits.empty()) {
            after_zero_ = gap_ == 0;
            return;
        }
        add_far_lead();
        const char lead = gap_ == 0 ? k_number_next : k_number_segment;
        key_ += static_cast<char>(lead + static_cast<char>(std::min(digits.size(), k_long_number)));
        if (digits.size() >= k_long_number) {
            append_ordered(key_, digits.size(), 0);
        }
        key_ += digits;
        token_written();
    }

    /// A run of letters, with the underscore that may end a version.
    void add_letters(std::string_view letters, bool underscore) {
        const std::size_t lead_at = key_.size();
        if (gap_ == 0) {
            key_ += after_zero_ ? k_letters_after_zero : k_letters_next;
        } else {
            key_ += k_letters_segment;
            append_ordered(key_, gap_, 0);
        }
        const std::size_t value_at = key_.size();
        for (const char letter : letters) {
            key_ += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
        }
        if (underscore) {
            key_ += '_';
        }
        const std::string_view word = std::string_view(key_).substr(value_at);
        ends_in_zero_ = false;
        ends_in_letters_ = word != "post";
        if (!ends_in_letters_) {
            key_.resize(lead_at);
            add_post();
            return;
        }
        if (word == "dev") {
            key_.resize(value_at);
            key_ += k_dev;
        }
        key_ += '\0';
        token_written();
    }

    void end_part() {
        key_ += k_end;
        gap_ = 0;
        after_zero_ = false;
        ends_in_zero_ = true;
        ends_in_letters_ = false;
    }

    [[nodiscard]] Extent extent() const {
        return {key_.size(), ends_in_letters_, ends_in_zero_, gap_};
    }

    [[nodiscard]] std::string take_key() { return std::move(key_); }

private:
    void add_post() {
        if (gap_ == 0) {
            key_ += after_zero_ ? k_post_after_zero : k_post_next;
        } else {
            add_far_lead();
            key_ += k_post_segment;
        }
        token_written();
    }

    void add_far_lead() {
        if (gap_ >= 2) {
            key_ += k_far;
            append_ordered(key_, gap_, k_descending);
        }
    }

    void token_written() {
        gap_ = 0;
        after_zero_ = false;
    }

    std::string key_;
    std::size_t gap_ = 0;  // segments begun since the last token
    bool after_zero_ =
        false;  // a number 0 lies between the last token and here, in the same segment
    bool ends_in_zero_ = true;
    bool ends_in_letters_ = false;
};

struct Flaw {
    std::size_t offset = 0;
    std::string_view reason;
};

bool is_separator(char c) {
    return c == '.' || c == '_' || c == '-';
}

/// Reads one literal from left to right.
class LiteralReader {
public:
    explicit LiteralReader(std::string_view text) : text_(text) {}

    std::optional<Flaw> read() {
        if (text_.empty()) {
            return Flaw{0, "a version is missing"};
        }
        read_epoch();
        if (auto flaw = read_part()) {
            return flaw;
        }
        const Extent release = writer_.extent();
        writer_.end_part();
        whole_ = release;
        if (at_ < text_.size()) {
            ++at_;
            in_local_ = true;
            if (auto flaw = read_part()) {
                return flaw;
            }
            whole_ = writer_.extent();
        }
        writer_.end_part();
        return std::nullopt;
    }

    [[nodiscard]] std::string take_key() { return writer_.take_key(); }
    [[nodiscard]] const Extent& whole() const { return whole_; }
    [[nodiscard]] const Extent& without_last_segment() const { return without_last_segment_; }

private:
    void read_epoch() {
        std::size_t digits = 0;
        while (digits < text_.size() && is_digit(text_[digits])) {
            ++digits;
        }
        if (digits > 0 && digits < text_.size() && text_[digits] == '!') {
            writer_.add_number(text_.substr(0, digits));
            at_ = digits + 1;
        }
    }

    /// The release, or the local part: segments up to '+' or the end.
    std::optional<Flaw> read_part() {
        for (;;) {
            if (!in_local_) {
                without_last_segment_ = writer_.extent();
            }
            const std::size_t start = at_;
            writer_.begin_segment();
            read_components();
            if (at_ == start) {
                return flaw_here();
            }
            if (at_ == text_.size() || (text_[at_] == '+' && !in_local_)) {
                return std::nullopt;
            }
            if (!is_separator(text_[at_]) || mixes_separators()) {
                return flaw_here();
            }
            note_separator();
            ++at_;
        }
    }

    void read_components() {
        while (at_ < text_.size()) {
            const std::size_t start = at_;
            while (at_ < text_.size() && is_digit(text_[at_])) {
                ++at_;
            }
            if (at_ > start) {
                writer_.add_number(text_.substr(start, at_ - start));
                continue;
            }
            while (at_ < text_.size() && is_letter(text_[at_])) {
                ++at_;
            }
            const std::string_view letters = text_.substr(start, at_ - start);
            const bool underscore = take_final_underscore();
            if (letters.empty() && !underscore) {
                return;
            }
            writer_.add_letters(letters, underscore);
        }
    }

    /// An underscore that ends the release belongs to the component before it (openssl's "1.0.1_" <
    /// "1.0.1a").
    bool take_final_underscore() {
        if (in_local_ || at_ >= text_.size() || text_[at_] == '.' || !is_separator(text_[at_]) ||
            mixes_separators()) {
            return false;
        }
        if (at_ + 1 < text_.size() && text_[at_ + 1] != '+') {
            return false;
        }
        note_separator();
        ++at_;
        return true;
    }

    /// conda reads '-' as '_', but only in versions without '_'.
    [[nodiscard]] bool mixes_separators() const {
        return (text_[at_] == '-' && has_underscore_) || (text_[at_] == '_' && has_dash_);
    }

    void note_separator() {
        has_dash_ = has_dash_ || text_[at_] == '-';
        has_underscore_ = has_underscore_ || text_[at_] == '_';
    }

    [[nodiscard]] Flaw flaw_here() const {
        if (at_ == text_.size()) {
            return {at_, "ends where a number or letters should follow"};
        }
        switch (text_[at_]) {
            case '-':
            case '_':
                if (mixes_separators()) {
                    return {at_, "'-' and '_' cannot both separate segments"};
                }
                [[fallthrough]];
            case '.':
                return {at_, "a segment without number or letters"};
            case '!':
                return {at_, "'!' may only follow an epoch, a number at the start"};
            case '+':
                return {at_,
                        in_local_ ? "a second '+'" : "a local part without a version before it"};
            default:
                return {at_, "a character that versions do not have"};
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    bool in_local_ = false;
    bool has_dash_ = false;
    bool has_underscore_ = false;
    KeyWriter writer_;
    Extent whole_;
    Extent without_last_segment_;
};

/// The literal without surrounding spaces, read; or an error in terms of the context.
Result<LiteralReader> read_literal(std::string_view literal, const LiteralContext& context) {
    LiteralReader reader(literal);
    if (const auto flaw = reader.read()) {
        const auto before = static_cast<std::size_t>(literal.data() - context.text.data());
        return fail(ErrorKind::parse,
                    fmt::format("{} {}, offset {}: {}",
                                context.kind,
                                quote_safely(context.text),
                                before + flaw->offset,
                                flaw->reason));
    }
    return reader;
}

/// Where the token at the start of a key's rest stands: how many segments after the token before
/// it, and as what component there. None: nothing follows.
struct Place {
    std::size_t segments = 0;
    bool is_second_on =
        false;  // same segment: not right after that token; later segment: not its first component
};

std::optional<Place> next_place(std::string_view rest) {
    if (rest.empty() || rest.front() == k_end) {
        return std::nullopt;
    }
    const char lead = rest.front();
    rest.remove_prefix(1);
    if (lead == k_letters_after_zero || lead == k_post_after_zero) {
        return Place{0, true};
    }
    if (lead == k_letters_next || lead == k_post_next || lead >= k_number_next) {
        return Place{0, false};
    }
    if (lead == k_letters_segment) {
        return Place{take_ordered(rest, 0), true};
    }
    if (lead == k_far) {
        const std::size_t segments = take_ordered(rest, k_descending);
        return Place{segments, rest.front() == k_post_segment};
    }
    return Place{1, lead == k_post_segment};
}

}  // namespace

Result<Version> Version::parse(std::string_view text) {
    return parse(text, {"version", text});
}

Result<Version> Version::parse(std::string_view literal, const LiteralContext& context) {
    literal = trim(literal);
    CHM_TRY(LiteralReader reader, read_literal(literal, context));
    Version version;
    version.text_ = literal;
    version.key_ = reader.take_key();
    return version;
}

Result<VersionPrefix> VersionPrefix::parse(std::string_view literal,
                                           const LiteralContext& context) {
    CHM_TRY(LiteralReader reader, read_literal(trim(literal), context));
    const Extent extent = reader.whole();
    // Without their final 0 byte, letters match whatever begins like them.
    const std::size_t length = extent.length - (extent.ends_in_letters ? 1 : 0);
    return VersionPrefix(reader.take_key().substr(0, length),
                         extent.ends_in_zero ? Rest::beyond_zero : Rest::any,
                         extent.gap);
}

Result<VersionPrefix> VersionPrefix::parse_compatible(std::string_view literal,
                                                      const LiteralContext& context) {
    CHM_TRY(LiteralReader reader, read_literal(trim(literal), context));
    const Extent extent = reader.without_last_segment();
    return VersionPrefix(
        reader.take_key().substr(0, extent.length), Rest::beyond_segment, extent.gap);
}

bool VersionPrefix::matches(const Version& version) const {
    const std::string_view key = version.key_;
    if (!key.starts_with(key_)) {
        return false;
    }
    if (rest_ == Rest::any) {
        return true;
    }
    const auto next = next_place(key.substr(key_.size()));
    return !next || next->segments > gap_ ||
           (rest_ == Rest::beyond_zero && next->segments == gap_ && next->is_second_on);
}

}  // namespace chm::conda
