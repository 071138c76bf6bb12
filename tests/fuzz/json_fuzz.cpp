// JSON of our own documents: what is parsed is written and read back unchanged, indented or not.
#include "base/json.hpp"
#include "fuzz/fuzz.hpp"

using chm::fuzz::expect;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto value = chm::parse_json(chm::fuzz::as_text(data, size));
    if (!value) {
        return 0;
    }
    for (const int indent : {0, 2}) {
        const auto again = chm::parse_json(chm::to_json(*value, indent));
        expect(again && *again == *value, "JSON can be read back");
    }
    return 0;
}
