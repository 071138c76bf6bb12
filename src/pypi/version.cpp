// Version literals (PEP 440) become a key whose byte order is the version order, so that comparing
// is one memcmp, and so that every clause of a specifier is a range of keys.
#include "pypi/version.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

// The key:
//
//     key     = number number* pre post dev local*     epoch; release without zeros at its end
//     pre     = dev_only | (a | b | rc) number | final
//     post    = [has_post number]
//     dev     = has_dev number | no_dev
//     local   = word letters 0 | count number
//
// A number below 100 is one byte; another is a byte that counts its digits, and the digits, so that
// no digit run overflows. All numbers are above all of the marks of `pre`: a release that goes on
// is greater than one that ends. Of no public version is the key a prefix of another's; a local
// version's key goes on where that of its public version ends.
namespace chm::pypi {

namespace {

constexpr char k_dev_only = 0x01;  // "1.0.dev1" is below "1.0a0", although its parts are fewer
constexpr char k_alpha = 0x02;
constexpr char k_beta = 0x03;
constexpr char k_candidate = 0x04;
constexpr char k_final = 0x05;

constexpr char k_has_dev = 0x01;
constexpr char k_no_dev = 0x02;
constexpr char k_has_post = 0x03;

constexpr char k_word = 0x01;  // "words" are below numbers
constexpr char k_count = 0x02;

constexpr unsigned k_small_number = 0x10;  // 0x10 to 0x73: 0 to 99
constexpr unsigned k_counted = 0x74;       // 0x74 to 0xEF: 3 to 126 digits follow
constexpr unsigned k_long = 0xF0;          // the count of digits follows, in two bytes
constexpr std::size_t k_long_number = 3 + k_long - k_counted;
static_assert(k_max_text <= 0xFFFF, "counts of digits fit into two bytes");

std::string_view without_zeros(std::string_view digits) {
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
    return digits;
}

/// `digits` without leading zeros.
void append_number(std::string& key, std::string_view digits) {
    if (digits.size() <= 2) {
        unsigned value = 0;
        for (const char digit : digits) {
            value = value * 10 + static_cast<unsigned>(digit - '0');
        }
        key += static_cast<char>(k_small_number + value);
        return;
    }
    if (digits.size() < k_long_number) {
        key += static_cast<char>(k_counted + digits.size() - 3);
    } else {
        key += static_cast<char>(k_long);
        key += static_cast<char>(digits.size() >> 8);
        key += static_cast<char>(digits.size() & 0xFF);
    }
    key += digits;
}

struct Spelling {
    std::string_view written;
    std::string_view normal;
    char mark;
};

// A spelling that begins another one stands after it.
constexpr std::array<Spelling, 8> k_pre_spellings{{{"alpha", "a", k_alpha},
                                                   {"a", "a", k_alpha},
                                                   {"beta", "b", k_beta},
                                                   {"b", "b", k_beta},
                                                   {"preview", "rc", k_candidate},
                                                   {"pre", "rc", k_candidate},
                                                   {"rc", "rc", k_candidate},
                                                   {"c", "rc", k_candidate}}};
constexpr std::array<Spelling, 3> k_post_spellings{
    {{"post", ".post", k_has_post}, {"rev", ".post", k_has_post}, {"r", ".post", k_has_post}}};
constexpr std::array<Spelling, 1> k_dev_spellings{{{"dev", ".dev", k_has_dev}}};

bool begins_with(std::string_view text, std::string_view lower) {
    return text.size() >= lower.size() &&
           std::ranges::equal(
               text.substr(0, lower.size()), lower, {}, [](char c) { return to_lower(c); });
}

}  // namespace

/// Reads one literal from left to right, and writes normal form and key.
class VersionReader {
public:
    VersionReader(std::string_view literal, const TextContext& context)
        : rest_(literal), context_(context) {}

    Result<Version> read() && {
        const std::string_view literal = rest_;
        if (literal.size() > k_max_text) {
            return wrong("longer than any version");
        }
        if (!rest_.empty() && to_lower(rest_.front()) == 'v') {
            rest_.remove_prefix(1);
        }
        CHM_CHECK(read_release());
        read_suffixes();
        if (!rest_.empty() && rest_.front() == '+') {
            CHM_CHECK(read_local());
        }
        if (!rest_.empty()) {
            return wrong(expectation());
        }
        if (literal != version_.normal_) {
            version_.written_ = literal;
        }
        return std::move(version_);
    }

private:
    [[nodiscard]] tl::unexpected<Error> wrong(std::string_view reason) const {
        return fail(malformed_at(context_, rest_, reason));
    }

    [[nodiscard]] std::string_view expectation() const {
        if (rest_.starts_with(".*") || rest_.front() == '*') {
            return "a version has no '*'; '.*' is for == and !=, after a release";
        }
        if (rest_.front() == '!') {
            return "'!' may only follow an epoch, a number at the start";
        }
        if (version_.has_local()) {
            return "the local part has letters, digits, and '.', '-' or '_' between them";
        }
        return "no version of PEP 440: 1.2, 1.2rc1, 1.2.post1, 1.2.dev1 or 1.2+local is expected";
    }

    /// The digits that come next, possibly none.
    std::string_view take_digits() {
        const auto* const end = std::ranges::find_if_not(rest_, is_digit);
        const std::string_view digits(rest_.begin(), end);
        rest_.remove_prefix(digits.size());
        return digits;
    }

    /// Writes a number to normal form and key; an absent one is 0.
    void put_number(std::string_view digits) {
        digits = digits.empty() ? "0" : without_zeros(digits);
        version_.normal_ += digits;
        append_number(version_.key_, digits);
    }

    [[nodiscard]] std::uint32_t key_length() const {
        return static_cast<std::uint32_t>(version_.key_.size());
    }

    Result<> read_release() {
        std::string_view digits = take_digits();
        if (!digits.empty() && !rest_.empty() && rest_.front() == '!') {
            rest_.remove_prefix(1);
            if (without_zeros(digits) != "0") {
                version_.normal_ += without_zeros(digits);
                version_.normal_ += '!';
            }
            append_number(version_.key_, without_zeros(digits));
            digits = take_digits();
        } else {
            append_number(version_.key_, "0");
        }
        if (digits.empty()) {
            return wrong("a version begins with a number");
        }
        version_.ends_.release = key_length();
        for (;;) {
            put_number(digits);
            if (without_zeros(digits) != "0") {
                version_.ends_.release = key_length();
            }
            if (rest_.size() < 2 || rest_.front() != '.' || !is_digit(rest_[1])) {
                break;
            }
            version_.normal_ += '.';
            rest_.remove_prefix(1);
            digits = take_digits();
        }
        version_.key_.resize(version_.ends_.release);
        version_.base_length_ = static_cast<std::uint32_t>(version_.normal_.size());
        return {};
    }

    /// "[-_.]word[-_.]number", where separators and number may be missing; null: there is no such
    /// word. `number` is the digits.
    const Spelling* take_suffix(std::span<const Spelling> spellings, std::string_view& number) {
        const bool has_separator = !rest_.empty() && is_separator(rest_.front());
        const std::string_view word = rest_.substr(has_separator ? 1 : 0);
        for (const Spelling& spelling : spellings) {
            if (begins_with(word, spelling.written)) {
                rest_ = word.substr(spelling.written.size());
                if (!rest_.empty() && is_separator(rest_.front())) {
                    rest_.remove_prefix(1);
                }
                number = take_digits();
                return &spelling;
            }
        }
        return nullptr;
    }

    void read_suffixes() {
        std::string_view number;
        const Spelling* const pre = take_suffix(k_pre_spellings, number);
        const std::string_view pre_number = number;
        const bool has_bare_post = rest_.size() > 1 && rest_.front() == '-' && is_digit(rest_[1]);
        const Spelling* post = nullptr;
        if (has_bare_post) {
            rest_.remove_prefix(1);
            number = take_digits();
            post = k_post_spellings.data();
        } else {
            post = take_suffix(k_post_spellings, number);
        }
        const std::string_view post_number = number;
        const Spelling* const dev = take_suffix(k_dev_spellings, number);
        version_.has_dev_ = dev != nullptr;
        version_.is_prerelease_ = pre != nullptr || dev != nullptr;
        put_suffixes({pre, pre_number}, {post, post_number}, {dev, number});
    }

    struct Suffix {
        const Spelling* spelling;
        std::string_view number;
    };

    void put(const Suffix& suffix) {
        version_.normal_ += suffix.spelling->normal;
        version_.key_ += suffix.spelling->mark;
        put_number(suffix.number);
    }

    void put_suffixes(const Suffix& pre, const Suffix& post, const Suffix& dev) {
        const bool is_dev_only =
            pre.spelling == nullptr && post.spelling == nullptr && dev.spelling != nullptr;
        if (pre.spelling != nullptr) {
            put(pre);
        } else {
            version_.key_ += is_dev_only ? k_dev_only : k_final;
        }
        version_.ends_.pre = key_length();
        if (post.spelling != nullptr) {
            put(post);
        }
        version_.ends_.post = key_length();
        if (dev.spelling != nullptr) {
            put(dev);
        } else {
            version_.key_ += k_no_dev;
        }
        version_.ends_.dev = key_length();
        version_.public_length_ = static_cast<std::uint32_t>(version_.normal_.size());
    }

    Result<> read_local() {
        version_.normal_ += '+';
        for (;;) {
            rest_.remove_prefix(1);
            const auto* const end = std::ranges::find_if_not(rest_, is_alphanumeric);
            const std::string_view segment(rest_.begin(), end);
            if (segment.empty()) {
                return wrong("a segment of the local part has letters or digits");
            }
            put_local(segment);
            rest_.remove_prefix(segment.size());
            if (rest_.empty() || !is_separator(rest_.front())) {
                return {};
            }
            version_.normal_ += '.';
        }
    }

    void put_local(std::string_view segment) {
        if (std::ranges::all_of(segment, is_digit)) {
            version_.key_ += k_count;
            put_number(segment);
            return;
        }
        const std::string word = chm::lower(segment);
        version_.normal_ += word;
        version_.key_ += k_word;
        version_.key_ += word;
        version_.key_ += '\0';
    }

    std::string_view rest_;
    TextContext context_;
    Version version_;
};

Result<Version> Version::parse(std::string_view text) {
    return parse(text, {"version", text});
}

Result<Version> Version::parse(std::string_view literal, const TextContext& context) {
    return VersionReader(trim(literal), context).read();
}

}  // namespace chm::pypi
