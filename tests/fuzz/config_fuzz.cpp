// A configuration file: YAML of any kind, then every key of it that we know; what is shown of a
// value is YAML that sets the same value.
#include "config/keys.hpp"
#include "config/yaml.hpp"
#include "fuzz/fuzz.hpp"

#include <fmt/format.h>

using chm::fuzz::expect;
using namespace chm::config;  // NOLINT(google-build-using-namespace)

namespace {

void set_again(const Key& key, const Settings& settings) {
    const std::string shown = key.show(settings);
    const auto tree = parse_yaml(fmt::format("{}: {}", key.name, shown), "shown");
    expect(tree && tree->map() && tree->map()->size() == 1, "a value is shown as YAML");
    Settings again;
    expect(key.set(again, tree->map()->front().node).has_value(), "the shown value is accepted");
    expect(key.show(again) == shown, "the shown value is the same value");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto tree = parse_yaml(chm::fuzz::as_text(data, size), "fuzz.yml");
    if (!tree || !tree->map()) {
        return 0;
    }
    Settings settings;
    for (const YamlMember& member : *tree->map()) {
        const Key* key = find_key(member.key);
        if (key && key->set(settings, member.node)) {
            set_again(*key, settings);
        }
    }
    return 0;
}
