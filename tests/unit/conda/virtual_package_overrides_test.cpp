// CONDA_OVERRIDE_*: which count for which platform, what an empty one means, which are refused.
#include "conda/virtual_package_overrides.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

using namespace chm::conda;

namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

VariableLookup lookup_in(Variables variables) {
    return [variables = std::move(variables)](std::string_view name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
}

/// "__cuda=12.4=0 (CONDA_OVERRIDE_CUDA) …", or the error's message.
std::string read(const Variables& variables, std::string_view platform = "linux-64") {
    const auto overrides = overrides_from(lookup_in(variables), platform);
    if (!overrides) {
        CHECK(overrides.error().kind == chm::ErrorKind::config);
        return overrides.error().message;
    }
    std::string text;
    for (const VariableOverride& one : *overrides) {
        text += (text.empty() ? "" : " ") + to_text(one.package) + " (" + one.variable + ")";
    }
    return text;
}

const Variables k_every = {{"CONDA_OVERRIDE_ARCHSPEC", "zen3"},
                           {"CONDA_OVERRIDE_CUDA", "12.4"},
                           {"CONDA_OVERRIDE_CUDA_ARCH", "9.0"},
                           {"CONDA_OVERRIDE_GLIBC", "2.17"},
                           {"CONDA_OVERRIDE_LINUX", "4.18"},
                           {"CONDA_OVERRIDE_OSX", "13.2"},
                           {"CONDA_OVERRIDE_UNIX", "1"},
                           {"CONDA_OVERRIDE_WIN", "10.0.19045"}};

}  // namespace

TEST_CASE("overrides: none set, none given") {
    CHECK(read({}).empty());
    CHECK(read({{"CONDA_OVERRIDE_FOO", "1"}, {"CONDA_OVERRIDE_UNIX", "1"}, {"CUDA", "9"}}).empty());
}

TEST_CASE("overrides: each system reads its own variables (CEP 30)") {
    CHECK(read(k_every, "linux-64") ==
          "__archspec=1=zen3 (CONDA_OVERRIDE_ARCHSPEC) __cuda=12.4=0 (CONDA_OVERRIDE_CUDA) "
          "__cuda_arch=9.0=0 (CONDA_OVERRIDE_CUDA_ARCH) __glibc=2.17=0 (CONDA_OVERRIDE_GLIBC) "
          "__linux=4.18=0 (CONDA_OVERRIDE_LINUX)");
    CHECK(read(k_every, "linux-aarch64") == read(k_every, "linux-64"));
    CHECK(read(k_every, "osx-arm64") ==
          "__archspec=1=zen3 (CONDA_OVERRIDE_ARCHSPEC) __cuda=12.4=0 (CONDA_OVERRIDE_CUDA) "
          "__cuda_arch=9.0=0 (CONDA_OVERRIDE_CUDA_ARCH) __osx=13.2=0 (CONDA_OVERRIDE_OSX)");
    CHECK(read(k_every, "win-64") ==
          "__archspec=1=zen3 (CONDA_OVERRIDE_ARCHSPEC) __cuda=12.4=0 (CONDA_OVERRIDE_CUDA) "
          "__cuda_arch=9.0=0 (CONDA_OVERRIDE_CUDA_ARCH) __win=10.0.19045=0 (CONDA_OVERRIDE_WIN)");
}

TEST_CASE("overrides: a wrong value of a variable that does not count is no matter") {
    CHECK(read({{"CONDA_OVERRIDE_OSX", "abc"}, {"CONDA_OVERRIDE_WIN", "%"}}, "linux-64").empty());
    CHECK(read({{"CONDA_OVERRIDE_GLIBC", "abc"}, {"CONDA_OVERRIDE_LINUX", "-"}}, "win-64").empty());
}

TEST_CASE("overrides: empty takes CUDA, CUDA_ARCH and GLIBC away and leaves the others") {
    Variables empty = k_every;
    for (auto& [name, value] : empty) {
        value = " ";  // conda strips
    }
    CHECK(read(empty, "linux-64") ==
          "__cuda= (CONDA_OVERRIDE_CUDA) __cuda_arch= (CONDA_OVERRIDE_CUDA_ARCH) "
          "__glibc= (CONDA_OVERRIDE_GLIBC)");
    CHECK(read({{"CONDA_OVERRIDE_OSX", ""}, {"CONDA_OVERRIDE_ARCHSPEC", ""}}, "osx-64").empty());
    CHECK(read({{"CONDA_OVERRIDE_WIN", ""}}, "win-64").empty());
}

TEST_CASE("overrides: values are trimmed, a kernel's release to its numbers") {
    CHECK(read({{"CONDA_OVERRIDE_CUDA", " 12.4\n"}}) == "__cuda=12.4=0 (CONDA_OVERRIDE_CUDA)");
    CHECK(read({{"CONDA_OVERRIDE_LINUX", "5.15.0-91-generic"}}) ==
          "__linux=5.15.0=0 (CONDA_OVERRIDE_LINUX)");
}

TEST_CASE("overrides: a value that the package cannot have names its variable") {
    const std::vector<std::pair<std::string, std::string>> wrong = {
        {"CONDA_OVERRIDE_CUDA", "abc"},
        {"CONDA_OVERRIDE_CUDA", "12.4=0"},
        {"CONDA_OVERRIDE_CUDA", "12 4"},
        {"CONDA_OVERRIDE_CUDA", ">=12"},
        {"CONDA_OVERRIDE_CUDA", std::string(65, '1')},
        {"CONDA_OVERRIDE_CUDA_ARCH", "9"},
        {"CONDA_OVERRIDE_CUDA_ARCH", "9.0a"},
        {"CONDA_OVERRIDE_CUDA_ARCH", "sm_90"},
        {"CONDA_OVERRIDE_GLIBC", "glibc"},
        {"CONDA_OVERRIDE_LINUX", "5"},
        {"CONDA_OVERRIDE_LINUX", "v5.15"},
        {"CONDA_OVERRIDE_ARCHSPEC", "x86_64 v3"},
        {"CONDA_OVERRIDE_ARCHSPEC", "1=zen3"},
        {"CONDA_OVERRIDE_ARCHSPEC", std::string(65, 'a')},
    };
    for (const auto& [variable, value] : wrong) {
        CAPTURE(variable);
        CAPTURE(value);
        const std::string message = read({{variable, value}});
        CHECK(message.starts_with(variable + ": '"));
        CHECK(message.find("unset it") != std::string::npos);
    }
    CHECK(read({{"CONDA_OVERRIDE_CUDA", "\x1b[2J"}}).find('\x1b') == std::string::npos);
}
