// One solve on real records (tests/data/README.md), compared with what micromamba and conda
// answered.
#include "base/file.hpp"
#include "base/text.hpp"
#include "base/zstd.hpp"
#include "channel_builder.hpp"
#include "solver/solve.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace chm::solver {
namespace {

constexpr std::uint64_t k_limit = std::uint64_t{256} << 20;

test::Indexes real_channels() {
    test::Indexes indexes;
    for (const std::string_view channel : {"pytorch", "nvidia", "conda-forge"}) {
        for (const std::string_view subdir : {"linux-64", "noarch"}) {
            const auto file = std::filesystem::path(CHM_TEST_DATA) / "channels" / channel / subdir /
                              "repodata.json.zst";
            const auto compressed = read_file(file, k_limit);
            REQUIRE_MESSAGE(compressed.has_value(), file.string());
            auto json = zstd_decompress(*compressed, {.max_output = k_limit});
            REQUIRE(json.has_value());
            auto index = channels::SubdirIndex::open(
                std::move(*json), *conda::parse_channel(channel), std::string(subdir));
            REQUIRE(index.has_value());
            indexes.push_back(std::move(*index));
        }
    }
    return indexes;
}

std::vector<std::string> expected_packages() {
    const auto text = read_file(
        std::filesystem::path(CHM_TEST_DATA) / "oracle/pt-torch-2.1.0-cu12.1-py3.11.txt", k_limit);
    REQUIRE(text.has_value());
    std::vector<std::string> lines;
    for (const std::string_view line : split(*text, '\n')) {
        if (!line.empty()) {
            lines.emplace_back(line);
        }
    }
    return lines;
}

}  // namespace

TEST_CASE("real channels: torch 2.1.0 with CUDA 12.1 is what micromamba and conda install") {
    const std::vector<std::string> specs = {"pytorch=2.1.0", "pytorch-cuda=12.1", "python=3.11"};
    SolveRequest request = test::ask(specs,
                                     {{"__archspec", "1", "x86_64"},
                                      {"__cuda", "12.4", "0"},
                                      {"__glibc", "2.28", "0"},
                                      {"__linux", "5.15.0", "0"},
                                      {"__unix", "0", "0"}});
    request.add_pip_as_python_dependency = true;
    const auto indexes = real_channels();
    std::vector<std::string> packages = test::answer(request, indexes);
    SolveRequest reversed = request;
    std::reverse(reversed.specs.begin(), reversed.specs.end());
    CHECK(test::answer(reversed, indexes) == packages);
    std::sort(packages.begin(), packages.end());
    CHECK(packages == expected_packages());
}

}  // namespace chm::solver
