// AMD GPUs in trees as the kernel and ROCm's installer make them, and in trees that lie.
#include "conda/host/amd_gpu.hpp"

#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <vector>

using namespace chm::conda;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view k_nodes = "sys/class/kfd/kfd/topology/nodes";

void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

void add_node(const chm::test::TempDir& root, const std::string& id, const std::string& text) {
    write((root / k_nodes) / id / "properties", text);
}

/// The lines around those that count, as the kernel writes them.
std::string properties(unsigned simd_count, unsigned target) {
    return "cpu_cores_count 0\nsimd_count " + std::to_string(simd_count) +
           "\nmem_banks_count 1\ngfx_target_version " + std::to_string(target) +
           "\nvendor_id 4098\nunique_id 13410867293186433793\n";
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("amd gpu: the kernel's numbers are LLVM's names") {
    CHECK(gfx_target(90402) == "gfx942");
    CHECK(gfx_target(90010) == "gfx90a");
    CHECK(gfx_target(90008) == "gfx908");
    CHECK(gfx_target(90012) == "gfx90c");
    CHECK(gfx_target(80003) == "gfx803");
    CHECK(gfx_target(100300) == "gfx1030");
    CHECK(gfx_target(110000) == "gfx1100");
    CHECK(gfx_target(110501) == "gfx1151");
    CHECK(gfx_target(120001) == "gfx1201");
    CHECK(gfx_target(90500) == "gfx950");
    for (const unsigned wrong : {0U, 7U, 402U, 91600U, 90016U, 1000000U, 4294967295U}) {
        CHECK(gfx_target(wrong).empty());
    }
}

TEST_CASE("amd gpu: a node of a cluster") {
    const chm::test::TempDir root;
    add_node(root, "0", properties(0, 0));  // the CPU
    add_node(root, "10", properties(440, 90010));
    add_node(root, "2", properties(1216, 90402));
    write(root / "sys/module/amdgpu/version", "6.8.5\n");
    write(root / "opt/rocm/.info/version", "6.2.4-120\n");
    CHECK(find_amd_gpus({root.path()}) == AmdFacts{{"gfx942", "gfx90a"}, true, "6.8.5", "6.2.4"});
}

TEST_CASE("amd gpu: nothing here") {
    const chm::test::TempDir root;
    CHECK(find_amd_gpus({root.path()}) == AmdFacts{});
    CHECK(find_amd_gpus({root / "missing"}) == AmdFacts{});
}

TEST_CASE("amd gpu: the kernel's own driver has no version") {
    const chm::test::TempDir root;
    fs::create_directories(root / "sys/module/amdgpu");
    CHECK(find_amd_gpus({root.path()}) == AmdFacts{{}, true, std::nullopt, std::nullopt});
}

TEST_CASE("amd gpu: ROCm where ROCM_PATH says") {
    const chm::test::TempDir root;
    write(root / "opt/rocm/.info/version", "6.2.4-120\n");
    write(root / "opt/rocm-7.0.0/.info/version", "7.0.0\n");
    CHECK(find_amd_gpus({root.path(), "/opt/rocm-7.0.0"}).rocm == "7.0.0");
    CHECK(find_amd_gpus({root.path(), "/opt/none"}).rocm == std::nullopt);
    write(root / "opt/rocm/.info/version", "-120\n");
    CHECK(find_amd_gpus({root.path()}).rocm == std::nullopt);
}

TEST_CASE("amd gpu: garbage is not known, and harms nothing") {
    const chm::test::TempDir root;
    add_node(root, "0", "simd_count many\ngfx_target_version 90402\n");
    add_node(root, "1", "simd_count -1\ngfx_target_version 90402\n");
    add_node(root, "2", "simd_count 99999999999999999999\ngfx_target_version 90402\n");
    add_node(root, "3", "\n\n \nsimd_count\n gfx_target_version 90402");
    add_node(root, "4", std::string(1 << 20, 'x') + "\n" + properties(1, 90402));
    add_node(root, "5", properties(1, 999999));
    add_node(root, "six", properties(1, 90402));
    add_node(root, "8", properties(1, 110000));
    fs::create_directories((root / k_nodes) / "7" / "properties");
    fs::create_symlink("9", (root / k_nodes) / "9");
    fs::create_directories((root / k_nodes) / "11");
    REQUIRE(::mkfifo(((root / k_nodes) / "11" / "properties").c_str(), 0600) == 0);
    write(root / "sys/module/amdgpu/version", "\x1b[2J");
    CHECK(find_amd_gpus({root.path()}) == AmdFacts{{"gfx1100"}, true, std::nullopt, std::nullopt});
}
