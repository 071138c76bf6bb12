// Which layer of virtual packages counts, and what is said of it.
#include "cli/solve_target.hpp"

#include "support/recording_reporter.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace chm::cli;
using chm::conda::VariableOverride;
using chm::conda::VirtualPackage;

namespace {

const VirtualPackage k_unix{"__unix", "0", "0"};

VirtualPackage cuda(const std::string& version) {
    return {"__cuda", version, version.empty() ? "" : "0"};
}

VariableOverride variable(const VirtualPackage& package) {
    return {package, "CONDA_OVERRIDE_X"};
}

std::string target(const TargetLayers& layers) {
    std::string text;
    for (const VirtualPackage& package : target_packages(layers)) {
        text += (text.empty() ? "" : " ") + to_short_text(package);
    }
    return text;
}

std::string said(const TargetLayers& layers) {
    return describe(variables_in_effect(layers));
}

}  // namespace

TEST_CASE("solve target: a flag beats a variable beats the file beats the base") {
    TargetLayers layers;
    layers.base = {cuda("11.1"), k_unix};
    CHECK(target(layers) == "__cuda=11.1 __unix=0");
    layers.configured = {cuda("11.2")};
    CHECK(target(layers) == "__cuda=11.2 __unix=0");
    layers.variables = {variable(cuda("11.3"))};
    CHECK(target(layers) == "__cuda=11.3 __unix=0");
    CHECK(said(layers) == "using __cuda=11.3 from CONDA_OVERRIDE_X");
    layers.flags = {cuda("11.4")};
    CHECK(target(layers) == "__cuda=11.4 __unix=0");
    CHECK(said(layers).empty());
    layers.flags = {cuda("")};
    CHECK(target(layers) == "__unix=0");
}

TEST_CASE("solve target: an empty variable takes away, and is named only where something was") {
    TargetLayers layers;
    layers.base = {k_unix};
    layers.variables = {variable(cuda(""))};
    CHECK(target(layers) == "__unix=0");
    CHECK(said(layers).empty());
    layers.configured = {cuda("12.4")};
    CHECK(target(layers) == "__unix=0");
    CHECK(said(layers) == "using no __cuda from CONDA_OVERRIDE_X");
}

TEST_CASE("solve target: a __cuda_arch may belong to the __cuda of another layer (CEP 46)") {
    const VirtualPackage arch{"__cuda_arch", "9.0", "0"};
    TargetLayers layers;
    layers.variables = {variable(arch)};
    CHECK(target(layers).empty());
    CHECK(said(layers).empty());
    layers.flags = {cuda("12.4")};
    CHECK(target(layers) == "__cuda=12.4 __cuda_arch=9.0");
    CHECK(said(layers) == "using __cuda_arch=9.0 from CONDA_OVERRIDE_X");
    layers = {};
    layers.configured = {arch};
    layers.variables = {variable(cuda("12.4"))};
    CHECK(target(layers) == "__cuda=12.4 __cuda_arch=9.0");
    layers.variables = {variable(cuda(""))};
    layers.base = {cuda("12.4")};
    CHECK(target(layers).empty());
}

TEST_CASE("solve target: several variables make one line") {
    TargetLayers layers;
    layers.base = {{"__glibc", "2.28", "0"}};
    layers.variables = {{cuda("12.4"), "CONDA_OVERRIDE_CUDA"},
                        {{"__glibc", "", ""}, "CONDA_OVERRIDE_GLIBC"}};
    CHECK(said(layers) ==
          "using __cuda=12.4 from CONDA_OVERRIDE_CUDA, no __glibc from CONDA_OVERRIDE_GLIBC");
}

TEST_CASE("solve target: flags are virtual packages, one of a name") {
    const auto packages = parse_virtual_flags({"__cuda=12.4", "__glibc=", "__cuda_arch=9.0"});
    REQUIRE(packages);
    CHECK(packages->size() == 3);
    for (const std::vector<std::string>& texts :
         std::vector<std::vector<std::string>>{{"__cuda=abc"},
                                               {"__cuda=12.4", "__cuda=12.6"},
                                               {"__cuda=12.4", "__cuda="},
                                               {"__cuda=12.4", "__glibc=2.28", "__cuda=12.4"}}) {
        const auto wrong = parse_virtual_flags(texts);
        REQUIRE_FALSE(wrong);
        CHECK(wrong.error().kind == chm::ErrorKind::usage);
        CHECK(wrong.error().message.find("__cuda") != std::string::npos);
    }
}

TEST_CASE("solve target: a microarchitecture that nobody knows is doubtful") {
    CHECK_FALSE(doubtful_microarchitecture({}));
    CHECK_FALSE(doubtful_microarchitecture({{"__archspec", "1", "zen3"}}));
    CHECK_FALSE(doubtful_microarchitecture({{"__archspec", "0", "s390x"}}));
    const auto doubt = doubtful_microarchitecture({{"__archspec", "1", "x86_64-v3"}});
    REQUIRE(doubt);
    CHECK(doubt->find("did you mean 'x86_64_v3'?") != std::string::npos);
    const auto first_level = doubtful_microarchitecture({{"__archspec", "1", "x86_64_v1"}});
    REQUIRE(first_level);
    CHECK(first_level->find("did you mean 'x86_64'?") != std::string::npos);
}

TEST_CASE("solve target: a driver that does not answer is warned of") {
    chm::test::RecordingReporter reporter;
    chm::conda::HostFacts facts;
    facts.platform = "linux-64";
    CHECK(packages_of_this_machine(facts, reporter) == host_virtual_packages(facts));
    CHECK(reporter.warnings().empty());
    facts.cuda = chm::conda::BrokenCudaDriver{"it crashes (signal 11)"};
    CHECK(packages_of_this_machine(facts, reporter) == host_virtual_packages(facts));
    REQUIRE(reporter.warnings().size() == 1);
    CHECK(reporter.warnings().front().find("it crashes (signal 11)") != std::string::npos);
}
