// Requirements with their markers, and markers alone: the canonical text is a fixed point and holds
// in the same environments; no message has a URL in it.
#include "fuzz/fuzz.hpp"
#include "pypi/requirement.hpp"

#include <array>
#include <string>

using chm::fuzz::expect;
using chm::pypi::Marker;
using chm::pypi::MarkerEnvironment;
using chm::pypi::Requirement;

namespace {

void check(const Marker& marker) {
    static const std::array<MarkerEnvironment, 2> environments{
        *MarkerEnvironment::for_target("linux-64", "3.12.1"),
        *MarkerEnvironment::for_target("win-64", "3.13.0rc1")};
    static const std::array<std::string, 2> extras{"cuda", "dev"};
    const std::string text = marker.to_text();
    if (text.size() > chm::pypi::k_max_text) {
        return;  // spaces were added to a text that has none
    }
    const auto again = Marker::parse(text);
    expect(again && again->to_text() == text, "a marker's canonical text is a fixed point");
    for (const MarkerEnvironment& environment : environments) {
        expect(marker.evaluate(environment) == again->evaluate(environment) &&
                   marker.evaluate(environment, extras) == again->evaluate(environment, extras),
               "and it holds in the same environments");
        expect(marker.mentions_extra() ||
                   marker.evaluate(environment) == marker.evaluate(environment, extras),
               "extras count only where they are mentioned");
    }
}

template <class T>
void check_message(const T& result) {
    expect(result || result.error().message.find("://") == std::string::npos,
           "no message has a URL in it");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = chm::fuzz::as_text(data, size);
    const auto marker = Marker::parse(text);
    check_message(marker);
    if (marker) {
        check(*marker);
    }
    const auto requirement = Requirement::parse(text);
    check_message(requirement);
    if (!requirement) {
        return 0;
    }
    if (requirement->marker) {
        check(*requirement->marker);
    }
    const std::string canonical = requirement->to_text();
    const auto again = Requirement::parse(canonical);
    expect(canonical.size() > chm::pypi::k_max_text ||
               (again && *again == *requirement && again->to_text() == canonical),
           "a requirement's canonical text gives the same requirement");
    return 0;
}
