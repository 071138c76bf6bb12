// chanmirror solve: an environment's packages from the mirror's indexes, as a lock.
#include "base/text.hpp"
#include "channels/open_indexes.hpp"
#include "channels/snapshot.hpp"
#include "cli/command.hpp"
#include "cli/current_snapshot.hpp"
#include "cli/product.hpp"
#include "cli/related_channels.hpp"
#include "cli/solve_target.hpp"
#include "conda/platform.hpp"
#include "config/channel_list.hpp"
#include "config/keys.hpp"
#include "emit/explicit.hpp"
#include "emit/solution_json.hpp"
#include "solver/solve.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace chm::cli {
namespace {

constexpr std::size_t k_longest_line = 500;

struct SolveOptions {
    std::vector<std::string> specs;
    std::vector<std::string> channels;
    std::string platform{conda::host_platform()};
    bool this_machine = false;
    std::vector<std::string> virtual_packages;
    std::string channel_priority;
    std::string format = "explicit";
    std::string output;
};

/// Everything a solve is made of, read from flags and settings.
struct Prepared {
    solver::SolveRequest request;
    std::vector<conda::Channel> channels;
    emit::LockHeader header;
};

/// conda matches "NAME::x" with every member of a multichannel; here a spec's channel is one.
Result<> require_single_channel(const conda::MatchSpec& spec, const config::Settings& settings) {
    const auto& multichannels = settings.custom_multichannels;
    const auto found = std::ranges::find(multichannels, spec.channel, &config::Multichannel::name);
    if (found == multichannels.end()) {
        return {};
    }
    return fail(ErrorKind::usage,
                fmt::format("--spec {}: '{}' stands for several channels: pin one of them, such as "
                            "{}::{}",
                            spec.to_text(),
                            found->name,
                            found->channels.front(),
                            spec.name.text()));
}

Result<> read_specs(const SolveOptions& options,
                    const config::Settings& settings,
                    Prepared& prepared) {
    if (options.specs.empty()) {
        return fail(
            ErrorKind::usage,
            "nothing to solve: give --spec, for example --spec 'pytorch=2.1.0'; presets are not in "
            "this version yet");
    }
    for (const std::string& text : options.specs) {
        auto spec = conda::MatchSpec::parse(text);
        if (!spec) {
            return fail(ErrorKind::usage, fmt::format("--spec: {}", spec.error().message));
        }
        CHM_CHECK(require_single_channel(*spec, settings));
        prepared.header.specs.push_back(spec->to_text());
        prepared.request.specs.push_back(std::move(*spec));
    }
    auto& texts = prepared.header.specs;  // their order on the command line means nothing
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    return {};
}

Result<> read_target(const SolveOptions& options,
                     const config::Settings& settings,
                     Services& services,
                     Prepared& prepared) {
    solver::SolveRequest& request = prepared.request;
    CHM_TRY(request.platform, conda::parse_subdir(options.platform));
    if (options.this_machine && request.platform != conda::host_platform()) {
        return fail(ErrorKind::usage,
                    fmt::format("--this-machine is {}, --platform says {}: leave one of them away",
                                conda::host_platform(),
                                request.platform));
    }
    TargetLayers layers;
    CHM_TRY(layers.flags, parse_virtual_flags(options.virtual_packages));
    CHM_TRY(layers.variables, conda::overrides_from(services.environment, request.platform));
    layers.configured = settings.virtual_packages;
    layers.base = options.this_machine
                      ? packages_of_this_machine(look_at_this_machine(services), services.reporter)
                      : conda::default_virtual_packages(request.platform);
    request.virtual_packages = target_packages(layers);
    if (std::string used = describe(variables_in_effect(layers)); !used.empty()) {
        services.reporter.note(std::move(used));
    }
    if (auto doubt = doubtful_microarchitecture(request.virtual_packages)) {
        services.reporter.warn(std::move(*doubt));
    }
    prepared.header.platform = request.platform;
    for (const conda::VirtualPackage& package : request.virtual_packages) {
        prepared.header.virtual_packages.push_back(conda::to_text(package));
    }
    return {};
}

Result<> read_channels(const SolveOptions& options,
                       const config::Settings& settings,
                       Prepared& prepared) {
    const auto& texts = options.channels.empty() ? settings.channels : options.channels;
    CHM_TRY(prepared.channels,
            config::expand_channels(texts, settings, {prepared.request.platform}));
    for (const conda::Channel& channel : prepared.channels) {
        prepared.header.channels.push_back(channel.name);
    }
    prepared.request.channel_priority = settings.channel_priority;
    if (!options.channel_priority.empty()) {
        auto priority = config::parse_channel_priority(options.channel_priority);
        if (!priority) {
            return fail(with_context(std::move(priority).error(), "--channel-priority"));
        }
        prepared.request.channel_priority = *priority;
    }
    return {};
}

Result<Prepared> prepare(const SolveOptions& options,
                         const config::Settings& settings,
                         Services& services) {
    Prepared prepared;
    CHM_CHECK(read_specs(options, settings, prepared));
    CHM_CHECK(read_target(options, settings, services, prepared));
    CHM_CHECK(read_channels(options, settings, prepared));
    prepared.request.add_pip_as_python_dependency = settings.add_pip_as_python_dependency;
    return prepared;
}

void note_solution(const solver::Solution& solution, const Prepared& prepared, Reporter& reporter) {
    std::uint64_t bytes = 0;
    std::string requested;
    for (const solver::SolvedPackage& package : solution.packages) {
        bytes += package.size.value_or(0);
        for (const conda::MatchSpec& spec : prepared.request.specs) {
            if (spec.name.text() == package.name) {
                requested +=
                    fmt::format(", {} {} {}", package.name, package.version, package.build);
                break;
            }
        }
    }
    reporter.note(fmt::format("solved: {} packages, {} to download{}",
                              solution.packages.size(),
                              human_bytes(bytes),
                              requested));
}

Result<ExitCode> finish(const solver::Outcome& outcome,
                        const Prepared& prepared,
                        const SolveOptions& options,
                        Services& services) {
    const auto* solution = std::get_if<solver::Solution>(&outcome);
    const bool json = services.global.json || options.format == "json";
    if (json) {
        CHM_CHECK(
            write_product(options.output, emit::outcome_json(outcome, prepared.header), services));
    }
    if (solution == nullptr) {
        if (services.global.json) {  // the document has it, and standard error is JSON lines
            return ExitCode::unsolvable;
        }
        std::string text = "chanmirror: no set of packages satisfies the request:\n";
        for (const std::string& line : std::get<solver::Unsolvable>(outcome).explanation) {
            text += "  " + printable(line, k_longest_line) + "\n";  // it quotes foreign records
        }
        services.complain(text);
        return ExitCode::unsolvable;
    }
    note_solution(*solution, prepared, services.reporter);
    if (!json) {
        const emit::ExplicitLock lock = emit::explicit_lock(*solution, prepared.header);
        if (!lock.unhashed.empty()) {
            services.reporter.warn(
                fmt::format("{} package(s) have no hash in their channel, such as {}: installers "
                            "cannot check them",
                            lock.unhashed.size(),
                            lock.unhashed.front()));
        }
        CHM_CHECK(write_product(options.output, lock.text, services));
    }
    return ExitCode::whole;
}

Result<ExitCode> run_solve(const SolveOptions& options, Services& services) {
    CHM_TRY(const config::Loaded loaded, services.load_settings());
    CHM_TRY(Prepared prepared, prepare(options, loaded.settings, services));
    CHM_CHECK(require_output_folder(options.output, services));
    const channels::MirrorPaths paths(loaded.settings.root);
    CHM_TRY(const channels::Manifest manifest, current_snapshot(paths));
    prepared.header.snapshot = manifest.id;
    const ChannelsOfSolve wanted{
        prepared.channels, prepared.request.platform, loaded.settings.channel_relations_max_depth};
    CHM_TRY(const auto read_from, with_relations(wanted, manifest, services.reporter));
    services.reporter.report(PhaseBegan{"reading indexes"});
    auto indexes = channels::open_indexes(paths, manifest, read_from, prepared.request.platform);
    services.reporter.report(PhaseEnded{});
    CHM_TRY(const auto opened, std::move(indexes));
    if (services.stop.stop_requested()) {
        return fail(ErrorKind::interrupted, "interrupted");
    }
    services.reporter.report(PhaseBegan{"solving"});
    auto outcome = solver::solve(prepared.request, opened, services.reporter);
    services.reporter.report(PhaseEnded{});
    CHM_TRY(const solver::Outcome solved, std::move(outcome));
    return finish(solved, prepared, options, services);
}

}  // namespace

Run add_solve(CLI::App& app) {
    const auto options = std::make_shared<SolveOptions>();
    app.add_option("--spec",
                   options->specs,
                   "What must be in the environment, as conda writes it; may be repeated")
        ->type_name("MATCHSPEC");
    app.add_option("-c,--channel",
                   options->channels,
                   "Channels in order of priority; default: the configured ones")
        ->type_name("CHANNEL");
    app.add_option("--platform", options->platform, "Platform to solve for")
        ->type_name("SUBDIR")
        ->capture_default_str();
    app.add_flag("--this-machine",
                 options->this_machine,
                 "Start from what this machine has (chanmirror doctor shows it) instead of the "
                 "platform's defaults");
    app.add_option("--virtual",
                   options->virtual_packages,
                   "What the target machine offers (__cuda=12.4); 'NAME=' takes one away. Counts "
                   "more than a CONDA_OVERRIDE_* variable")
        ->type_name("NAME=V[=BUILD]");
    app.add_option("--channel-priority", options->channel_priority, "strict, flexible or disabled")
        ->type_name("MODE");
    app.add_option("--format", options->format, "What to write")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"explicit", "json"}))
        ->capture_default_str();
    app.add_option("-o,--output", options->output, "Write to FILE instead of standard output")
        ->type_name("FILE");
    for (CLI::Option* option : app.get_options()) {
        option->allow_extra_args(false);  // '--spec a b' must not take b; repeat the flag
    }
    app.footer(
        "Example:\n  chanmirror solve --spec pytorch=2.1.0 --spec pytorch-cuda=12.1 --spec "
        "python=3.11 "
        "-c pytorch -c nvidia -c conda-forge --platform linux-64 --virtual __cuda=12.4 -o "
        "torch.lock");
    return [options](Services& services) { return run_solve(*options, services); };
}

}  // namespace chm::cli
