// Names of real processors (tests/data/cpuinfo), of made-up ones, and of garbage.
#include "conda/host/microarchitecture.hpp"

#include "base/file.hpp"
#include "base/text.hpp"
#include "conda/host/known_processors.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

using namespace chm::conda;

namespace {

std::string name_of(std::string_view text, std::string_view family) {
    return std::string(microarchitecture_of(parse_cpuinfo(text, family)));
}

std::string intel(std::string_view flags) {
    return "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: " + std::string(flags) + "\n";
}

constexpr std::string_view k_level_3 =
    "cx16 lahf_lm mmx sse sse2 ssse3 sse4_1 sse4_2 popcnt avx avx2 bmi1 bmi2 f16c fma abm movbe "
    "xsave";

}  // namespace

TEST_CASE("microarchitecture: real processors have the name that archspec gives them") {
    int count = 0;
    for (const auto& folder : std::filesystem::directory_iterator(CHM_TEST_DATA "/cpuinfo")) {
        if (!folder.is_directory()) {
            continue;
        }
        const std::string family = folder.path().filename();
        for (const auto& file : std::filesystem::directory_iterator(folder)) {
            const std::string expected = file.path().filename();
            CAPTURE(expected);
            const auto text = chm::read_file(file.path(), 1 << 20);
            REQUIRE(text);
            CHECK(name_of(*text, family) == expected);
            ++count;
        }
    }
    CHECK(count >= 20);
}

TEST_CASE("microarchitecture: a general level where the vendor's product lacks a feature") {
    CHECK(name_of(intel(k_level_3), "x86_64") == "x86_64_v3");  // haswell has rdrand, aes, …
    CHECK(name_of(intel(std::string(k_level_3) + " aes pclmulqdq rdrand"), "x86_64") == "haswell");
    CHECK(name_of("vendor_id : Other\nflags : " + std::string(k_level_3), "x86_64") == "x86_64_v3");
    CHECK(name_of("flags : " + std::string(k_level_3), "x86_64") == "x86_64_v3");
    CHECK(name_of(intel("fpu"), "x86_64") == "x86_64");
}

TEST_CASE("microarchitecture: only the first processor counts") {
    const std::string first = intel("mmx sse sse2 ssse3");
    CHECK(name_of(first, "x86_64") == "core2");
    CHECK(name_of(first + "\n" + intel(k_level_3), "x86_64") == "core2");
    CHECK(name_of("\n\n" + first, "x86_64") == "core2");
}

TEST_CASE("microarchitecture: an Arm product by its part, an unknown part by its features") {
    const std::string facts =
        "Features : fp asimd evtstrm aes pmull sha1 sha2 crc32 cpuid\nCPU implementer : 0x41\n";
    CHECK(name_of(facts + "CPU part : 0xd08\n", "aarch64") == "cortex_a72");
    CHECK(name_of(facts + "CPU part : 0xfff\n", "aarch64") == "cortex_a72");
    CHECK(name_of(facts + "CPU part : 0xd4f\n", "aarch64") == "cortex_a72");
    CHECK(name_of("Features : fp asimd\nCPU implementer : 0x41\n", "aarch64") == "aarch64");
    CHECK(name_of("CPU implementer : 0x99\n", "aarch64") == "aarch64");
}

TEST_CASE("microarchitecture: Power by generation, no later than the table's last") {
    CHECK(name_of("cpu : POWER8E (raw), altivec supported\n", "ppc64le") == "power8le");
    CHECK(name_of("cpu : POWER10 (architected), altivec supported\n", "ppc64le") == "power10le");
    CHECK(name_of("cpu : POWER11 (architected), altivec supported\n", "ppc64le") == "power10le");
    CHECK(name_of("cpu : POWER7\n", "ppc64le") == "ppc64le");
    CHECK(name_of("cpu : POWER99999999999999999999\n", "ppc64le") == "ppc64le");
    CHECK(name_of("cpu : POWER-9\n", "ppc64le") == "ppc64le");
    CHECK(name_of("model name : QEMU\n", "ppc64le") == "ppc64le");
}

TEST_CASE("microarchitecture: garbage is the family, and what is no family nothing") {
    for (const std::string& text : {std::string(),
                                    std::string(":::\n:\n\n"),
                                    std::string("flags"),
                                    std::string("flags:\nvendor_id:"),
                                    std::string(1 << 16, ':'),
                                    std::string(1 << 16, '\0'),
                                    "flags : " + std::string(1 << 16, 'x')}) {
        CHECK(name_of(text, "x86_64") == "x86_64");
        CHECK(name_of(text, "aarch64") == "aarch64");
        CHECK(name_of(text, "riscv64") == "riscv64");
        CHECK(name_of(text, "s390x").empty());
        CHECK(name_of(text, "").empty());
    }
}

TEST_CASE("microarchitecture: platforms and their families") {
    CHECK(architecture_of("linux-64") == "x86_64");
    CHECK(architecture_of("linux-aarch64") == "aarch64");
    CHECK(architecture_of("linux-ppc64le") == "ppc64le");
    CHECK(architecture_of("linux-s390x").empty());
    CHECK(architecture_of("osx-arm64").empty());
}

TEST_CASE("microarchitecture: known names") {
    for (const char* name : {"x86_64", "x86_64_v4", "zen3", "skylake_avx512", "power9le", "m1"}) {
        CHECK(is_microarchitecture_name(name));
    }
    for (const char* name : {"", "x86-64-v3", "x86_64_v1", "Zen3", "haswell "}) {
        CHECK_FALSE(is_microarchitecture_name(name));
    }
    CHECK(microarchitecture_names().size() == k_known_processors.size());
}

TEST_CASE("microarchitecture: the table's parents stand before their children, each name once") {
    std::set<std::string_view> before;
    for (const KnownProcessor& row : k_known_processors) {
        CAPTURE(row.name);
        for (const std::string_view parent : chm::split(row.parents, ' ')) {
            CHECK((parent.empty() || before.contains(parent)));
        }
        CHECK(before.insert(row.name).second);
    }
}
