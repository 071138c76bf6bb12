// The processors that archspec has a name for. Facts of archspec/archspec-json at 90b453f
// (cpu/microarchitectures.json), in the order in which archspec's own library holds them: parents
// first, and of two that rank alike the first counts. A row has the features that its ancestors do
// not have already; the whole of them is the union.
#pragma once

#include <array>
#include <string_view>

namespace chm::conda {

struct KnownProcessor {
    std::string_view name;
    std::string_view parents;    // apart by spaces
    std::string_view vendor;     // "": any; of Arm the implementer's number, as Linux gives it
    std::string_view features;   // as Linux names them; apart by spaces
    int generation = 0;          // of Power
    std::string_view part = {};  // of Arm
};

inline constexpr std::array k_known_processors = {
    KnownProcessor{"x86", "", "", ""},
    KnownProcessor{"i686", "x86", "GenuineIntel", ""},
    KnownProcessor{"pentium2", "i686", "GenuineIntel", "mmx"},
    KnownProcessor{"pentium3", "pentium2", "GenuineIntel", "sse"},
    KnownProcessor{"pentium4", "pentium3", "GenuineIntel", "sse2"},
    KnownProcessor{"prescott", "pentium4", "GenuineIntel", "sse3"},
    KnownProcessor{"x86_64", "", "", ""},
    KnownProcessor{
        "x86_64_v2", "x86_64", "", "cx16 lahf_lm mmx popcnt sse sse2 sse3 sse4_1 sse4_2 ssse3"},
    KnownProcessor{"x86_64_v3", "x86_64_v2", "", "abm avx avx2 bmi1 bmi2 f16c fma movbe xsave"},
    KnownProcessor{"x86_64_v4", "x86_64_v3", "", "avx512bw avx512cd avx512dq avx512f avx512vl"},
    KnownProcessor{"nocona", "x86_64", "GenuineIntel", "mmx sse sse2 sse3"},
    KnownProcessor{"core2", "nocona", "GenuineIntel", "ssse3"},
    KnownProcessor{"nehalem", "core2 x86_64_v2", "GenuineIntel", ""},
    KnownProcessor{"westmere", "nehalem", "GenuineIntel", "aes pclmulqdq"},
    KnownProcessor{"sandybridge", "westmere", "GenuineIntel", "avx"},
    KnownProcessor{"ivybridge", "sandybridge", "GenuineIntel", "f16c rdrand"},
    KnownProcessor{"haswell", "ivybridge x86_64_v3", "GenuineIntel", ""},
    KnownProcessor{"broadwell", "haswell", "GenuineIntel", "adx rdseed"},
    KnownProcessor{"skylake", "broadwell", "GenuineIntel", "clflushopt xsavec xsaveopt"},
    KnownProcessor{"mic_knl", "broadwell", "GenuineIntel", "avx512cd avx512er avx512f avx512pf"},
    KnownProcessor{"skylake_avx512", "skylake x86_64_v4", "GenuineIntel", "clwb"},
    KnownProcessor{
        "cannonlake", "skylake x86_64_v4", "GenuineIntel", "avx512ifma avx512vbmi sha_ni"},
    KnownProcessor{"cascadelake", "skylake_avx512", "GenuineIntel", "avx512_vnni"},
    KnownProcessor{"icelake",
                   "cascadelake cannonlake",
                   "GenuineIntel",
                   "avx512_bitalg avx512_vbmi2 avx512_vpopcntdq gfni rdpid vaes vpclmulqdq"},
    KnownProcessor{
        "sapphirerapids",
        "icelake",
        "GenuineIntel",
        "amx_bf16 amx_int8 amx_tile avx512_bf16 cldemote movdir64b movdiri serialize waitpkg"},
    KnownProcessor{
        "alderlake",
        "skylake",
        "GenuineIntel",
        "avx_vnni clwb gfni movdir64b movdiri rdpid serialize sha_ni vaes vpclmulqdq waitpkg"},
    KnownProcessor{"arrowlake",
                   "alderlake",
                   "GenuineIntel",
                   "avx_ifma avx_ne_convert avx_vnni_int8 cmpccxadd"},
    KnownProcessor{"arrowlake_s", "arrowlake", "GenuineIntel", "avx_vnni_int16 sha512 sm3 sm4"},
    KnownProcessor{"k10", "x86_64", "AuthenticAMD", "3dnow 3dnowext abm cx16 mmx sse sse2 sse4a"},
    KnownProcessor{
        "bulldozer", "x86_64_v2", "AuthenticAMD", "abm aes avx fma4 pclmulqdq sse4a xop xsave"},
    KnownProcessor{"piledriver", "bulldozer", "AuthenticAMD", "bmi1 f16c fma tbm"},
    KnownProcessor{"steamroller", "piledriver", "AuthenticAMD", "fsgsbase"},
    KnownProcessor{"excavator", "steamroller x86_64_v3", "AuthenticAMD", ""},
    KnownProcessor{"zen",
                   "x86_64_v3",
                   "AuthenticAMD",
                   "aes clflushopt clzero fsgsbase pclmulqdq rdseed sse4a xsavec xsaveopt"},
    KnownProcessor{"zen2", "zen", "AuthenticAMD", "clwb"},
    KnownProcessor{"zen3", "zen2", "AuthenticAMD", "pku vaes vpclmulqdq"},
    KnownProcessor{"zen4",
                   "zen3 x86_64_v4",
                   "AuthenticAMD",
                   "avx512_bf16 avx512_bitalg avx512_vbmi2 avx512_vnni avx512_vpopcntdq avx512ifma "
                   "avx512vbmi flush_l1d gfni"},
    KnownProcessor{"zen5",
                   "zen4",
                   "AuthenticAMD",
                   "avx512_vp2intersect avx_vnni movdir64b movdiri tsc_adjust"},
    KnownProcessor{"ppc64", "", "", ""},
    KnownProcessor{"power7", "ppc64", "IBM", "", 7},
    KnownProcessor{"power8", "power7", "IBM", "", 8},
    KnownProcessor{"power9", "power8", "IBM", "", 9},
    KnownProcessor{"power10", "power9", "IBM", "", 10},
    KnownProcessor{"ppc64le", "", "", ""},
    KnownProcessor{"power8le", "ppc64le", "IBM", "", 8},
    KnownProcessor{"power9le", "power8le", "IBM", "", 9},
    KnownProcessor{"power10le", "power9le", "IBM", "", 10},
    KnownProcessor{"aarch64", "", "", ""},
    KnownProcessor{"armv8.1a", "aarch64", "", ""},
    KnownProcessor{"armv8.2a", "armv8.1a", "", ""},
    KnownProcessor{"armv8.3a", "armv8.2a", "", ""},
    KnownProcessor{"armv8.4a", "armv8.3a", "", ""},
    KnownProcessor{"armv8.5a", "armv8.4a", "", ""},
    KnownProcessor{"armv8.6a", "armv8.5a", "", ""},
    KnownProcessor{"armv9.0a", "armv8.5a", "", ""},
    KnownProcessor{"armv9.2a", "armv9.0a armv8.6a", "", ""},
    KnownProcessor{"thunderx2",
                   "armv8.1a",
                   "0x43",
                   "aes asimd asimdrdm atomics cpuid crc32 evtstrm fp pmull sha1 sha2",
                   0,
                   "0x0af"},
    KnownProcessor{
        "a64fx",
        "armv8.2a",
        "0x46",
        "asimd asimdhp asimdrdm atomics cpuid crc32 dcpop evtstrm fcma fp fphp sha1 sha2 sve",
        0,
        "0x001"},
    KnownProcessor{"cortex_a72",
                   "aarch64",
                   "0x41",
                   "aes asimd cpuid crc32 evtstrm fp pmull sha1 sha2",
                   0,
                   "0xd08"},
    KnownProcessor{"neoverse_n1",
                   "cortex_a72 armv8.2a",
                   "0x41",
                   "asimddp asimdhp asimdrdm atomics dcpop fphp lrcpc",
                   0,
                   "0xd0c"},
    KnownProcessor{"neoverse_v1",
                   "neoverse_n1 armv8.4a",
                   "0x41",
                   "asimdfhm bf16 dcpodp dgh dit fcma flagm i8mm ilrcpc jscvt rng sha3 sha512 sve "
                   "svebf16 svei8mm uscat",
                   0,
                   "0xd40"},
    KnownProcessor{"neoverse_v2",
                   "neoverse_n1 armv9.0a",
                   "0x41",
                   "asimdfhm bf16 dcpodp fcma flagm flagm2 frint i8mm ilrcpc jscvt sb sha3 sha512 "
                   "sve sve2 svebf16 svei8mm uscat",
                   0,
                   "0xd4f"},
    KnownProcessor{"neoverse_n2",
                   "neoverse_n1 armv9.0a",
                   "0x41",
                   "asimdfhm bf16 dcpodp fcma flagm flagm2 frint i8mm ilrcpc jscvt sb sha3 sha512 "
                   "sve sve2 svebf16 svei8mm uscat",
                   0,
                   "0xd49"},
    KnownProcessor{"ampere1",
                   "neoverse_n1 armv8.6a",
                   "0xc0",
                   "asimdfhm bf16 bti dcpodp dit ecv fcma flagm flagm2 frint i8mm ilrcpc jscvt "
                   "paca pacg rng sb sha3 sha512 ssbs uscat",
                   0,
                   "0xac3"},
    KnownProcessor{"ampere1a", "ampere1", "0xc0", "sm3 sm4", 0, "0xac4"},
    KnownProcessor{
        "neoverse_v3ae",
        "neoverse_v2 armv9.2a",
        "0x41",
        "afp bti dgh dit ecv paca pacg sm3 sm4 sveaes svebitperm svepmull svesha3 svesm4 wfxt",
        0,
        "0xd83"},
    KnownProcessor{"m1",
                   "armv8.4a",
                   "0x61",
                   "aes asimd asimddp asimdfhm asimdhp asimdrdm atomics cpuid crc32 dcpodp dcpop "
                   "dit evtstrm fcma flagm flagm2 fp fphp frint ilrcpc jscvt lrcpc paca pacg pmull "
                   "sb sha1 sha2 sha3 sha512 ssbs uscat",
                   0,
                   "0x022"},
    KnownProcessor{"m2", "m1 armv8.5a", "0x61", "bf16 bti ecv i8mm", 0, "0x032"},
    KnownProcessor{"m3", "m2 armv8.6a", "0x61", ""},
    KnownProcessor{"m4", "m3 armv8.6a", "0x61", "sme sme2"},
    KnownProcessor{"arm", "", "", ""},
    KnownProcessor{"ppc", "", "", ""},
    KnownProcessor{"ppcle", "", "", ""},
    KnownProcessor{"sparc", "", "", ""},
    KnownProcessor{"sparc64", "", "", ""},
    KnownProcessor{"riscv64", "", "", ""},
    KnownProcessor{"u74mc", "riscv64", "SiFive", ""},
    KnownProcessor{"x60", "riscv64", "SpacemiT", ""},
};

}  // namespace chm::conda
