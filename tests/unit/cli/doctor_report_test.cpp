// The report on machines of plain values; tests/cli/doctor.t runs it on a real one.
#include "cli/doctor_report.hpp"

#include "base/json.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace chm::cli;
namespace conda = chm::conda;

namespace {

/// A cluster's login node, without any GPU.
Examination login_node() {
    Examination examination;
    examination.facts.platform = "linux-64";
    examination.facts.kernel = "5.14.0-427.el9.x86_64";
    examination.facts.glibc = "2.34";
    examination.facts.microarchitecture = "zen3";
    examination.layers.base = conda::host_virtual_packages(examination.facts);
    examination.root = "/srv/chanmirror";
    return examination;
}

Examination gpu_node(const conda::CudaAnswer& answer) {
    Examination examination = login_node();
    examination.facts.cuda = answer;
    examination.layers.base = conda::host_virtual_packages(examination.facts);
    return examination;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("doctor report: a machine without a GPU") {
    CHECK(doctor_text(login_node()) ==
          "platform           linux-64\n"
          "kernel             5.14.0-427.el9.x86_64\n"
          "glibc              2.34\n"
          "microarchitecture  zen3\n"
          "NVIDIA driver      no NVIDIA driver found (libcuda.so.1)\n"
          "AMD GPU            no AMD GPU found (/sys/class/kfd)\n"
          "AMD driver         amdgpu is not loaded\n"
          "ROCm               not found (/opt/rocm)\n"
          "\n"
          "virtual packages of this machine\n"
          "  __archspec=1=zen3\n"
          "  __glibc=2.34\n"
          "  __linux=5.14.0\n"
          "  __unix=0\n"
          "\n"
          "to solve for this machine here:  chanmirror solve --this-machine ...\n"
          "and elsewhere:                   chanmirror solve --platform linux-64 --virtual "
          "__archspec=1=zen3 --virtual __glibc=2.34 --virtual __linux=5.14.0 ...\n"
          "To solve for a machine with an NVIDIA GPU, say what its driver supports:  --virtual "
          "__cuda=12.4\n"
          "\n"
          "configuration      no file, built-in defaults\n"
          "mirror root        /srv/chanmirror\n");
}

TEST_CASE("doctor report: NVIDIA drivers") {
    const std::string eight = doctor_text(gpu_node(conda::CudaDriver{"12.4", 8, "9.0"}));
    CHECK(has(eight, "CUDA 12.4, 8 devices, the least of compute capability 9.0\n"));
    CHECK(has(eight, "  __cuda=12.4\n  __cuda_arch=9.0\n"));
    CHECK(has(eight, "--virtual __cuda=12.4 --virtual __cuda_arch=9.0"));
    CHECK_FALSE(has(eight, "To solve for a machine with"));
    CHECK(has(doctor_text(gpu_node(conda::CudaDriver{"13.0", 1, "12.0"})),
              "CUDA 13.0, 1 device of compute capability 12.0\n"));
    CHECK(has(doctor_text(gpu_node(conda::CudaDriver{"12.4", 0, std::nullopt})),
              "CUDA 12.4, no device\n"));
    const std::string broken = doctor_text(gpu_node(conda::BrokenCudaDriver{"it crashes"}));
    CHECK(has(broken, "driver does not answer (it crashes)\n"));
    CHECK(has(broken, "To solve for a machine with"));
}

TEST_CASE("doctor report: AMD GPUs are named, and enter no solve") {
    Examination examination = login_node();
    examination.facts.amd = {{"gfx942", "gfx90a", "gfx942"}, true, "6.8.5", "6.2.4"};
    const std::string text = doctor_text(examination);
    CHECK(has(text, "AMD GPU            gfx942 (2), gfx90a\n"));
    CHECK(has(text, "AMD driver         amdgpu 6.8.5\nROCm               6.2.4\n"));
    CHECK(has(text, "AMD GPUs have no virtual package"));
    CHECK_FALSE(has(text, "NVIDIA GPU, say"));
    examination.facts.amd.driver.reset();
    CHECK(has(doctor_text(examination), "amdgpu of the kernel\n"));
}

TEST_CASE("doctor report: each override is named with where it comes from") {
    Examination examination = gpu_node(conda::CudaDriver{"12.4", 1, "8.0"});
    examination.layers.configured = {{"__linux", "4.18", "0"}};
    examination.configured_where = "/etc/chanmirror.yml:3";
    examination.config_file = "/etc/chanmirror.yml";
    examination.layers.variables = {{{"__cuda", "11.8", "0"}, "CONDA_OVERRIDE_CUDA"},
                                    {{"__glibc", "", ""}, "CONDA_OVERRIDE_GLIBC"}};
    const std::string text = doctor_text(examination);
    CHECK(has(text, "  __cuda=11.8                  from CONDA_OVERRIDE_CUDA\n"));
    CHECK(has(text, "  __linux=4.18                 from /etc/chanmirror.yml:3\n"));
    CHECK(has(text, "  no __glibc                   from CONDA_OVERRIDE_GLIBC\n"));
    CHECK(has(text, "--virtual __linux=4.18 --virtual __glibc= ...\n"));
    CHECK(has(text, "configuration      /etc/chanmirror.yml\n"));
}

TEST_CASE("doctor report: what is not known, and foreign text, is told in one plain line") {
    Examination examination = login_node();
    examination.facts.kernel = "5.1\x1b[2J";
    examination.facts.glibc.reset();
    examination.facts.microarchitecture = "";
    examination.layers.base = conda::host_virtual_packages(examination.facts);
    examination.rocm_path = "/opt/\nrocm";
    examination.root.reset();
    examination.problems = {"/x\n:1: unknown key"};
    const std::string text = doctor_text(examination);
    CHECK_FALSE(has(text, "\x1b"));
    CHECK_FALSE(has(text, "/opt/\n"));
    CHECK(has(text, "glibc              none (another C library)\nmicroarchitecture  not known\n"));
    CHECK(
        has(text, "configuration      does not load, see below\nproblem: /x\\x0a:1: unknown key"));
    examination.facts.kernel = "";
    CHECK(has(doctor_text(examination), "kernel             not known\n"));
}

TEST_CASE("doctor report: JSON says the same") {
    Examination examination = gpu_node(conda::CudaDriver{"12.4", 2, "8.0"});
    examination.facts.amd = {{"gfx90a"}, true, std::nullopt, "6.2.4"};
    examination.layers.variables = {{{"__cuda", "11.8", "0"}, "CONDA_OVERRIDE_CUDA"}};
    examination.problems = {"one"};
    const auto document = chm::parse_json(doctor_json(examination));
    REQUIRE(document);
    CHECK(document->text("platform") == "linux-64");
    CHECK(document->text("microarchitecture") == "zen3");
    CHECK(document->find("nvidia")->text("cuda") == "12.4");
    CHECK(document->find("nvidia")->text("compute_capability") == "8.0");
    CHECK(*document->find("nvidia")->find("devices")->as_integer() == 2);
    CHECK(document->find("amd")->find("driver")->is_null());
    CHECK(document->find("amd")->text("rocm") == "6.2.4");
    CHECK(document->find("config_file")->is_null());
    CHECK(document->find("problems")->as_array()->size() == 1);
    const auto& packages = *document->find("virtual_packages")->as_array();
    REQUIRE(packages.size() == 6);
    CHECK(packages[0].text("name") == "__archspec");
    CHECK(packages[0].text("origin") == "machine");
    CHECK(packages[1].text("version") == "11.8");
    CHECK(packages[1].text("origin") == "CONDA_OVERRIDE_CUDA");
    CHECK(*document->find("solve_flags")->as_array()->front().as_string() == "--platform");

    examination = gpu_node(conda::BrokenCudaDriver{"it crashes"});
    examination.facts.glibc.reset();
    const auto broken = chm::parse_json(doctor_json(examination));
    REQUIRE(broken);
    CHECK(broken->find("nvidia")->text("state") == "broken");
    CHECK(broken->find("nvidia")->text("why") == "it crashes");
    CHECK(broken->find("glibc")->is_null());
    const auto none = chm::parse_json(doctor_json(login_node()));
    REQUIRE(none);
    CHECK(none->find("nvidia")->text("state") == "absent");
}
