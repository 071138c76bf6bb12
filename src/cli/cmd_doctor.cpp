// chanmirror doctor: what this machine has, what of it a solve would use, and whether the
// configuration loads.
#include "cli/command.hpp"
#include "cli/doctor_report.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <utility>

namespace chm::cli {
namespace {

void examine_configuration(const Services& services, Examination& examination) {
    auto loaded = services.load_settings();
    if (!loaded) {
        examination.problems.push_back(loaded.error().message);
        return;
    }
    examination.root = loaded->settings.root.string();
    if (loaded->config_file) {
        examination.config_file = loaded->config_file->string();
    }
    examination.layers.configured = loaded->settings.virtual_packages;
    for (const config::Origin& origin : loaded->origins) {
        if (origin.key == "virtual_packages") {
            examination.configured_where = origin.where;
        }
    }
}

Result<ExitCode> run_doctor(Services& services) {
    Examination examination;
    examination.facts = look_at_this_machine(services);
    if (const auto rocm = services.environment("ROCM_PATH"); rocm && !rocm->empty()) {
        examination.rocm_path = *rocm;
    }
    examination.layers.base = conda::host_virtual_packages(examination.facts);
    examine_configuration(services, examination);
    auto variables = conda::overrides_from(services.environment, examination.facts.platform);
    if (variables) {
        examination.layers.variables = std::move(*variables);
    } else {
        examination.problems.push_back(variables.error().message);
    }
    if (auto doubt = doubtful_microarchitecture(target_packages(examination.layers))) {
        services.reporter.warn(std::move(*doubt));
    }
    CHM_CHECK(
        services.print(services.global.json ? doctor_json(examination) : doctor_text(examination)));
    return examination.problems.empty() ? ExitCode::whole : ExitCode::usage;
}

}  // namespace

Run add_doctor(CLI::App& app) {
    app.footer(
        "Exits with 2 when the configuration or a CONDA_OVERRIDE_* variable is wrong.\n\n"
        "Example:\n  chanmirror doctor");
    return run_doctor;
}

}  // namespace chm::cli
