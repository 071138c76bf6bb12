// A torch-like solution: sha256 and md5, md5 only, and no hash at all.
#include "sample_solution.hpp"

#include <string>
#include <utility>

namespace chm::emit::test {
namespace {

solver::SolvedPackage package(std::string channel,
                              std::string name,
                              std::string version,
                              std::string build) {
    solver::SolvedPackage made;
    made.channel = std::move(channel);
    made.subdir = "linux-64";
    made.name = std::move(name);
    made.version = std::move(version);
    made.build = std::move(build);
    made.fn = made.name + "-" + made.version + "-" + made.build + ".conda";
    made.url = "https://conda.anaconda.org/" + made.channel + "/" + made.subdir + "/" + made.fn;
    return made;
}

}  // namespace

solver::Solution sample_solution() {
    solver::Solution solution;
    solver::SolvedPackage zlib = package("conda-forge", "libzlib", "1.3.1", "h4ab18f5_1");
    zlib.build_number = 1;
    zlib.sha256 = sha256("libzlib");
    zlib.md5 = md5("libzlib");
    zlib.size = 61'574;
    zlib.depends = {"libgcc-ng >=12"};
    zlib.constrains = {"zlib 1.3.1 *_1"};
    solver::SolvedPackage cudart =
        package("nvidia/label/cuda-12.1.0", "cuda-cudart", "12.1.55", "0");
    cudart.md5 = md5("cuda-cudart");
    solver::SolvedPackage torch = package("pytorch", "pytorch", "1!2.1.0", "py3.11_cuda12.1_0");
    torch.depends = {"cuda-cudart >=12.1,<12.2", "libzlib"};
    solution.packages = {std::move(zlib), std::move(cudart), std::move(torch)};
    return solution;
}

LockHeader sample_header() {
    return {"linux-64",
            {"pytorch=2.1.0", "python=3.11"},
            {"pytorch", "nvidia/label/cuda-12.1.0", "conda-forge"},
            {"__cuda=12.4=0", "__glibc=2.28=0"},
            "2026-08-22T10-00-00Z-1"};
}

}  // namespace chm::emit::test
