// A snapshot's manifest: what is accepted is written and read back unchanged.
#include "channels/snapshot.hpp"
#include "fuzz/fuzz.hpp"

using chm::fuzz::expect;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto manifest = chm::channels::parse_manifest(chm::fuzz::as_text(data, size));
    if (!manifest) {
        return 0;
    }
    const std::string text = chm::channels::to_text(*manifest);
    const auto again = chm::channels::parse_manifest(text);
    expect(again && chm::channels::to_text(*again) == text, "a manifest can be read back");
    return 0;
}
