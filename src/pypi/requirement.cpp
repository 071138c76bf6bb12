#include "pypi/requirement.hpp"

#include "base/text.hpp"
#include "pypi/package_name.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace chm::pypi {

namespace {

class RequirementReader {
public:
    explicit RequirementReader(std::string_view text)
        : context_{"requirement", text}, rest_(trim(text)) {}

    Result<Requirement> read() && {
        CHM_CHECK(check_text(context_));
        const std::size_t line_break = rest_.find_first_of("\n\v\f\r");
        if (line_break != std::string_view::npos) {
            return wrong(rest_.substr(line_break), "a line break");
        }
        CHM_TRY(requirement_.name, parse_name(take_identifier(), context_));
        skip_blanks();
        if (rest_.starts_with('[')) {
            CHM_CHECK(read_extras());
            skip_blanks();
        }
        if (rest_.starts_with('@')) {
            CHM_CHECK(read_url());
        } else {
            const std::string_view versions = rest_.substr(0, rest_.find(';'));
            CHM_TRY(requirement_.versions, VersionSpecifierSet::parse(versions, context_));
            rest_.remove_prefix(versions.size());
        }
        if (rest_.starts_with(';')) {
            CHM_TRY(requirement_.marker, Marker::parse(rest_.substr(1), context_));
        }
        return std::move(requirement_);
    }

private:
    [[nodiscard]] tl::unexpected<Error> wrong(std::string_view at, std::string_view reason) const {
        return fail(malformed_at(context_, at, reason));
    }

    void skip_blanks() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
    }

    std::string_view take_identifier() {
        const auto* const end = std::ranges::find_if_not(
            rest_, [](char c) { return is_alphanumeric(c) || is_separator(c); });
        const std::string_view identifier(rest_.begin(), end);
        rest_.remove_prefix(identifier.size());
        return identifier;
    }

    Result<> read_extras() {
        rest_.remove_prefix(1);
        skip_blanks();
        while (!rest_.starts_with(']')) {
            CHM_TRY(std::string extra, parse_name(take_identifier(), context_));
            requirement_.extras.push_back(std::move(extra));
            skip_blanks();
            if (rest_.starts_with(']')) {
                break;
            }
            if (!rest_.starts_with(',')) {
                return wrong(rest_, "',' or ']' is expected after an extra");
            }
            rest_.remove_prefix(1);
            skip_blanks();
            if (rest_.starts_with(']')) {
                return wrong(rest_, "the name of an extra is expected after ','");
            }
        }
        rest_.remove_prefix(1);
        std::ranges::sort(requirement_.extras);
        const auto repeated = std::ranges::unique(requirement_.extras);
        requirement_.extras.erase(repeated.begin(), repeated.end());
        return {};
    }

    /// Only white space ends a URL: a ';' may be part of it.
    Result<> read_url() {
        rest_.remove_prefix(1);
        skip_blanks();
        const std::string_view url = rest_.substr(0, rest_.find_first_of(" \t"));
        if (url.empty()) {
            return wrong(rest_, "a URL is expected after '@'");
        }
        requirement_.url = url;
        rest_.remove_prefix(url.size());
        skip_blanks();
        if (!rest_.empty() && !rest_.starts_with(';')) {
            return wrong(rest_, "';' and a marker, or the end, is expected after the URL");
        }
        return {};
    }

    TextContext context_;
    std::string_view rest_;
    Requirement requirement_;
};

}  // namespace

Result<Requirement> Requirement::parse(std::string_view text) {
    return RequirementReader(text).read();
}

std::string Requirement::to_text() const {
    std::string text = name;
    if (!extras.empty()) {
        text += fmt::format("[{}]", fmt::join(extras, ","));
    }
    if (!url.empty()) {
        text += fmt::format(" @ {}", url);
    }
    text += versions.to_text();
    if (marker) {
        text += fmt::format("{}; {}", url.empty() ? "" : " ", marker->to_text());
    }
    return text;
}

}  // namespace chm::pypi
