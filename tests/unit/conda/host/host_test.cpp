// From a machine's facts to its virtual packages, with machines of plain values.
#include "conda/host/host.hpp"

#include "conda/version.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

using namespace chm::conda;

namespace {

HostFacts cluster_node() {
    HostFacts facts;
    facts.platform = "linux-64";
    facts.kernel = "5.14.0-427.el9.x86_64";
    facts.glibc = "2.34";
    facts.microarchitecture = "zen3";
    facts.cuda = CudaDriver{"12.4", 4, "8.0"};
    return facts;
}

std::string packages_of(const HostFacts& facts) {
    std::string text;
    for (const VirtualPackage& package : host_virtual_packages(facts)) {
        text += (text.empty() ? "" : " ") + to_text(package);
    }
    return text;
}

}  // namespace

TEST_CASE("host: the virtual packages of a GPU node") {
    CHECK(packages_of(cluster_node()) ==
          "__archspec=1=zen3 __cuda=12.4=0 __cuda_arch=8.0=0 __glibc=2.34=0 __linux=5.14.0=0 "
          "__unix=0=0");
}

TEST_CASE("host: no driver, one without devices, one that does not answer") {
    HostFacts facts = cluster_node();
    facts.cuda = CudaDriver{"12.4", 0, std::nullopt};
    CHECK(packages_of(facts) ==
          "__archspec=1=zen3 __cuda=12.4=0 __glibc=2.34=0 __linux=5.14.0=0 __unix=0=0");
    const std::string without = "__archspec=1=zen3 __glibc=2.34=0 __linux=5.14.0=0 __unix=0=0";
    facts.cuda = NoCudaDriver{};
    CHECK(packages_of(facts) == without);
    facts.cuda = BrokenCudaDriver{"it crashes"};
    CHECK(packages_of(facts) == without);
}

TEST_CASE("host: another C library, an odd kernel, an unknown processor") {
    HostFacts facts = cluster_node();
    facts.cuda = NoCudaDriver{};
    facts.glibc = std::nullopt;
    facts.kernel = "custom";
    facts.microarchitecture = "";
    CHECK(packages_of(facts) == "__archspec=1=x86_64 __linux=5.15=0 __unix=0=0");
    facts.platform = "linux-s390x";
    CHECK(packages_of(facts) == "__archspec=0=s390x __linux=5.15=0 __unix=0=0");
}

TEST_CASE("host: on other systems the defaults stand") {
    HostFacts facts;
    facts.platform = "osx-arm64";
    facts.kernel = "23.1.0";
    CHECK(packages_of(facts) == "__archspec=1=m1 __osx=14.0=0 __unix=0=0");
}

TEST_CASE("host: facts come from where the probe points") {
    const chm::test::TempDir root;
    std::ofstream(root / "cpuinfo") << "vendor_id : AuthenticAMD\nflags : mmx sse sse2 sse4a abm "
                                       "cx16 3dnow 3dnowext\n";
    std::filesystem::create_directories(root / "sys/module/amdgpu");
    HostProbe probe;
    probe.platform = "linux-64";
    probe.kernel = "6.1.0-18-amd64";
    probe.glibc = "2.36";
    probe.cpuinfo = root / "cpuinfo";
    probe.cuda.libraries = {CHM_FAKE_DRIVERS "/good/libcuda.so.1"};
    probe.amd.root = root.path();
    const HostFacts facts = detect_host(probe);
    CHECK(packages_of(facts) ==
          "__archspec=1=k10 __cuda=12.4=0 __cuda_arch=8.6=0 __glibc=2.36=0 __linux=6.1.0=0 "
          "__unix=0=0");
    CHECK(facts.amd.has_driver);
    probe.cpuinfo = root / "missing";
    CHECK(detect_host(probe).microarchitecture.empty());
}

TEST_CASE("host: this machine has a kernel, and numbers for its C library") {
    CHECK_FALSE(running_kernel().empty());
    if (const auto glibc = running_glibc()) {
        const auto version = Version::parse(*glibc);
        REQUIRE(version);
        CHECK(*version >= *Version::parse("2.17"));
        CHECK(*version < *Version::parse("3"));
    }
    HostProbe probe;
    probe.cuda.libraries.clear();
    for (const VirtualPackage& package : host_virtual_packages(detect_host(probe))) {
        CAPTURE(package.name);
        CHECK((parse_virtual_package(to_text(package)) == package));
    }
}
