// Wheels' file names: the parts are those of the name; a target's rank for a set of tags is that of
// its best tag, and it gives a reason exactly where it takes none.
#include "fuzz/fuzz.hpp"
#include "pypi/package_name.hpp"
#include "pypi/wheel_filename.hpp"
#include "pypi/wheel_target.hpp"

#include <array>
#include <optional>
#include <string>

using chm::fuzz::expect;
using chm::pypi::ShortVersion;
using chm::pypi::TargetTags;
using chm::pypi::WheelFilename;
using chm::pypi::WheelTagSet;
using chm::pypi::WheelTarget;

namespace {

TargetTags make(unsigned minor, bool free_threaded, const char* platform) {
    WheelTarget target;
    target.python = {3, minor};
    target.free_threaded = free_threaded;
    target.platform = platform;
    target.glibc = ShortVersion{2, 28};
    target.macos = ShortVersion{13, 0};
    return *TargetTags::make(target);
}

void check(const WheelTagSet& tags) {
    static const std::array<TargetTags, 4> targets{make(12, false, "linux-64"),
                                                   make(13, true, "linux-aarch64"),
                                                   make(9, false, "osx-arm64"),
                                                   make(14, false, "win-64")};
    const auto again = WheelTagSet::parse(tags.to_text());
    expect(again && again->expand() == tags.expand(), "a set's text gives the same set");
    for (const TargetTags& target : targets) {
        std::optional<std::uint32_t> best;
        for (const chm::pypi::WheelTag& tag : tags.expand()) {
            const auto rank = target.best_rank(*WheelTagSet::parse(tag.to_text()));
            if (rank && (!best || *rank < *best)) {
                best = rank;
            }
        }
        expect(target.best_rank(tags) == best, "a set's rank is that of its best tag");
        const std::string reason = target.mismatch(tags);
        expect(reason.empty() == best.has_value(), "a reason is given where no tag is taken");
        expect(reason.size() < 2 * WheelFilename::k_max_length &&
                   reason.find('\n') == std::string::npos,
               "it is one short line");
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = chm::fuzz::as_text(data, size);
    const auto wheel = WheelFilename::parse(text);
    if (!wheel) {
        return 0;
    }
    expect(wheel->text == text, "the name is kept");
    expect(chm::pypi::is_valid_name(wheel->name) &&
               chm::pypi::normalize_name(wheel->name) == wheel->name,
           "the project's name is normalized");
    expect(text.find('/') == std::string_view::npos && text.find('\0') == std::string_view::npos,
           "a wheel's name is one path segment");
    check(wheel->tags);
    return 0;
}
