// Virtual packages: the texts users write, the fixed defaults, and overrides.
#include "conda/virtual_package.hpp"

#include "conda/platform.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace chm::conda;

namespace {

std::string joined(const std::vector<VirtualPackage>& packages) {
    std::string text;
    for (const VirtualPackage& package : packages) {
        text += (text.empty() ? "" : " ") + to_text(package);
    }
    return text;
}

}  // namespace

TEST_CASE("virtual package: parse and print") {
    CHECK((parse_virtual_package("__cuda=12.4") == VirtualPackage{"__cuda", "12.4", "0"}));
    CHECK((parse_virtual_package(" __cuda=12.4=0 ") == VirtualPackage{"__cuda", "12.4", "0"}));
    CHECK((parse_virtual_package("__archspec=1=x86_64_v3") ==
           VirtualPackage{"__archspec", "1", "x86_64_v3"}));
    CHECK((parse_virtual_package("__cuda_arch=8.6") == VirtualPackage{"__cuda_arch", "8.6", "0"}));
    CHECK((parse_virtual_package("__cuda=") == VirtualPackage{"__cuda", "", ""}));
    CHECK(to_text({"__cuda", "12.4", "0"}) == "__cuda=12.4=0");
    CHECK(to_text({"__cuda", "", ""}) == "__cuda=");
    for (const VirtualPackage& package : default_virtual_packages("linux-64")) {
        CHECK((parse_virtual_package(to_text(package)) == package));
    }
}

TEST_CASE("virtual package: other texts are refused, naming the text") {
    for (const std::string& text :
         std::vector<std::string>{"",
                                  "__cuda",
                                  "cuda=12",
                                  "_cuda=12",
                                  "__=1",
                                  "___x=1",
                                  "__CUDA=12",
                                  "__cu--da=1",
                                  "__cuda==12",
                                  "__cuda==0",
                                  "__cuda=12=",
                                  "__cuda=12=a b",
                                  "__cuda=12=0=1",
                                  "__cuda=1 2",
                                  "__cuda= 12",
                                  "__cuda=>=12",
                                  "__cuda=12.*",
                                  "__cuda=1..2",
                                  "__cuda=\x01",
                                  "__" + std::string(70, 'a') + "=1",
                                  "__cuda=" + std::string(65, '1'),
                                  "__archspec=1=" + std::string(65, 'a')}) {
        CAPTURE(text);
        const auto package = parse_virtual_package(text);
        REQUIRE_FALSE(package);
        CHECK(package.error().kind == chm::ErrorKind::usage);
        CHECK(package.error().message.find("__cuda=12.4") != std::string::npos);
    }
}

TEST_CASE("virtual package: defaults are the documented constants") {
    CHECK(joined(default_virtual_packages("linux-64")) ==
          "__archspec=1=x86_64 __glibc=2.28=0 __linux=5.15=0 __unix=0=0");
    CHECK(joined(default_virtual_packages("linux-aarch64")) ==
          "__archspec=1=aarch64 __glibc=2.28=0 __linux=5.15=0 __unix=0=0");
    CHECK(joined(default_virtual_packages("linux-s390x")) ==
          "__archspec=0=s390x __glibc=2.28=0 __linux=5.15=0 __unix=0=0");
    CHECK(joined(default_virtual_packages("osx-64")) ==
          "__archspec=1=x86_64 __osx=14.0=0 __unix=0=0");
    CHECK(joined(default_virtual_packages("osx-arm64")) ==
          "__archspec=1=m1 __osx=14.0=0 __unix=0=0");
    CHECK(joined(default_virtual_packages("win-64")) == "__archspec=1=x86_64 __win=10.0=0");
    CHECK(joined(default_virtual_packages("win-arm64")) == "__archspec=1=aarch64 __win=10.0=0");
    CHECK(joined(default_virtual_packages("win-32")) == "__archspec=1=x86 __win=10.0=0");
    CHECK(joined(default_virtual_packages("emscripten-wasm32")) ==
          "__archspec=0=wasm32 __unix=0=0");
    CHECK(default_virtual_packages("noarch").empty());
    CHECK(default_virtual_packages("linux-99").empty());
}

TEST_CASE("virtual package: every platform's defaults parse and never have __cuda") {
    for (const std::string_view platform : known_subdirs()) {
        for (const VirtualPackage& package : default_virtual_packages(platform)) {
            CHECK((parse_virtual_package(to_text(package)) == package));
            CHECK(package.name != "__cuda");
        }
    }
}

TEST_CASE("virtual package: overrides replace, add and remove") {
    const auto base = default_virtual_packages("linux-64");
    CHECK(joined(with_overrides(base, {{"__glibc", "2.17", "0"}, {"__cuda", "12.4", "0"}})) ==
          "__archspec=1=x86_64 __cuda=12.4=0 __glibc=2.17=0 __linux=5.15=0 __unix=0=0");
    CHECK(joined(with_overrides(base, {{"__glibc", "", ""}, {"__nothere", "", ""}})) ==
          "__archspec=1=x86_64 __linux=5.15=0 __unix=0=0");
    CHECK(with_overrides(base, {{"__cuda", "11", "0"}, {"__cuda", "12", "0"}}) ==
          with_overrides(base, {{"__cuda", "12", "0"}}));
    CHECK(with_overrides(base, {{"__cuda", "12", "0"}, {"__cuda", "", ""}}) == base);
}

TEST_CASE("virtual package: no __cuda_arch without __cuda (CEP 46)") {
    CHECK(joined(with_overrides({}, {{"__cuda_arch", "8.6", "0"}})).empty());
    CHECK(joined(with_overrides({}, {{"__cuda_arch", "8.6", "0"}, {"__cuda", "12.4", "0"}})) ==
          "__cuda=12.4=0 __cuda_arch=8.6=0");
}

TEST_CASE("virtual package: a version is what the package can have") {
    for (const char* text : {"__cuda=abc",
                             "__glibc=glibc2",
                             "__archspec=zen3",
                             "__linux=_5",
                             "__cuda_arch=9",
                             "__cuda_arch=9.0a",
                             "__cuda_arch=sm.90",
                             "__cuda_arch=9.0.1"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_virtual_package(text));
    }
    for (const char* text :
         {"__cuda=12", "__cuda=12.4.1", "__glibc=2.36", "__foo=abc", "__win=0"}) {
        CAPTURE(text);
        CHECK(parse_virtual_package(text));
    }
}

TEST_CASE("virtual package: a kernel's release without what the distribution adds") {
    CHECK(kernel_version("6.1") == "6.1");
    CHECK(kernel_version("5.15.0-91-generic") == "5.15.0");
    CHECK(kernel_version("4.18.0-553.el8_10.x86_64") == "4.18.0");
    CHECK(kernel_version("5.15.153.1-microsoft-standard-WSL2") == "5.15.153.1");
    CHECK(kernel_version("2.6.32.1.9") == "2.6.32.1");
    CHECK(kernel_version("6.8.rc1") == "6.8");
    CHECK(kernel_version("6.8-rc1.2") == "6.8");
    for (const char* text : {"", "6", "6.", "6-rc1", ".6.1", "v6.1", "6..1"}) {
        CAPTURE(text);
        CHECK(kernel_version(text).empty());
    }
}

TEST_CASE("virtual package: short texts leave out the build that is understood") {
    CHECK(to_short_text({"__cuda", "12.4", "0"}) == "__cuda=12.4");
    CHECK(to_short_text({"__archspec", "1", "zen3"}) == "__archspec=1=zen3");
    CHECK(to_short_text({"__cuda", "", ""}) == "__cuda=");
}
