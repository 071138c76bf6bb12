// chanmirror verify: proves what is stored and published.
#include "base/json.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "channels/verify_mirror.hpp"
#include "cli/command.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <linux/ioprio.h>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace chm::cli {
namespace {

struct VerifyOptions {
    std::vector<std::string> locks;
    unsigned jobs = 0;
    std::string limit_rate;
    bool background = false;
    bool repair = false;
};

/// Threads that are started later inherit both. Refusals change nothing but the speed.
void step_back() {
    static_cast<void>(::setpriority(PRIO_PROCESS, 0, 19));
    static_cast<void>(
        ::syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0)));
}

std::string fault_text(const channels::Fault& fault) {
    std::string text = fmt::format("{}\n  expected  {}\n  got       {}\n",
                                   printable(fault.file, 5000),
                                   printable(fault.expected, 500),
                                   printable(fault.got, 500));
    for (const std::string& name : fault.published_as) {
        text += fmt::format("  named     {}\n", name);
    }
    return text + fmt::format("  to do     {}\n", fault.advice);
}

Json::Array texts(const std::vector<std::string>& items) {
    return {items.begin(), items.end()};
}

std::string report_json(const channels::VerifyReport& report) {
    Json::Array faults;
    for (const channels::Fault& fault : report.faults) {
        faults.push_back(Json::Object{{"file", fault.file},
                                      {"expected", fault.expected},
                                      {"got", fault.got},
                                      {"named", texts(fault.published_as)},
                                      {"to_do", fault.advice}});
    }
    const Json document = Json::Object{{"whole", report.faults.empty()},
                                       {"snapshot", report.snapshot},
                                       {"snapshots", report.snapshots},
                                       {"objects", report.objects},
                                       {"bytes", report.bytes},
                                       {"missing_files", report.missing},
                                       {"faults", std::move(faults)},
                                       {"quarantined", texts(report.repaired)},
                                       {"taken_out", texts(report.published)}};
    return to_json(document, 2) + "\n";
}

void note_report(const channels::VerifyReport& report, Reporter& reporter) {
    for (const std::string& file : report.repaired) {
        reporter.note(fmt::format("moved to quarantine: {}", file));
    }
    for (const std::string& name : report.published) {
        reporter.note(fmt::format("taken out of the mirror: {}", name));
    }
    if (!report.published.empty()) {
        reporter.note(
            fmt::format("published snapshot {} without them; the next 'chanmirror sync' "
                        "fetches them anew",
                        report.snapshot));
    }
    const std::string checked =
        report.snapshots > 0 ? ", " + counted(report.snapshots, "snapshot") + " checked" : "";
    reporter.note(fmt::format("{} read ({}){}: {}",
                              counted(report.objects, "stored file"),
                              human_bytes(report.bytes),
                              checked,
                              report.faults.empty() ? std::string("all is as it should be")
                                                    : counted(report.faults.size(), "fault")));
    if (report.missing > 0) {
        reporter.note(fmt::format("known to be missing, named in missing.json: {}",
                                  counted(report.missing, "file")));
    }
}

Result<channels::VerifyRequest> make_request(const VerifyOptions& options,
                                             const Services& services) {
    channels::VerifyRequest request;
    request.jobs = options.jobs;
    request.repair = options.repair;
    if (!options.limit_rate.empty()) {
        auto rate = parse_byte_count(options.limit_rate);
        if (!rate) {
            return fail(with_context(std::move(rate).error(), "--limit-rate"));
        }
        request.limit_rate = *rate;
    }
    if (options.repair && !options.locks.empty()) {
        return fail(ErrorKind::usage,
                    "--repair is for the whole mirror: give it without lockfiles");
    }
    for (const std::string& lock : options.locks) {
        request.locks.push_back(services.working_directory / lock);
    }
    return request;
}

Result<ExitCode> run_verify(const VerifyOptions& options, Services& services) {
    CHM_TRY(const channels::VerifyRequest request, make_request(options, services));
    CHM_TRY(const config::Loaded loaded, services.load_settings());
    if (options.background) {
        step_back();
    }
    CHM_TRY(const channels::VerifyReport report,
            channels::verify_mirror(channels::MirrorPaths(loaded.settings.root),
                                    request,
                                    {services.clock, services.reporter, services.stop}));
    note_report(report, services.reporter);
    std::string text;
    for (const channels::Fault& fault : report.faults) {
        text += fault_text(fault);
    }
    CHM_CHECK(services.print(services.global.json ? report_json(report) : text));
    if (!report.faults.empty()) {
        return ExitCode::integrity;
    }
    return report.published.empty() ? ExitCode::whole : ExitCode::incomplete;
}

}  // namespace

Run add_verify(CLI::App& app) {
    const auto options = std::make_shared<VerifyOptions>();
    app.add_option("LOCK",
                   options->locks,
                   "Only what these @EXPLICIT lockfiles name: is it stored, and right?");
    app.add_option("--jobs", options->jobs, "Files read at once; default: one per processor")
        ->type_name("N")
        ->check(CLI::Range(1U, 1024U));
    app.add_option("--limit-rate", options->limit_rate, "Read no faster (50M: 50 MB a second)")
        ->type_name("BYTES/S");
    app.add_flag(
        "--background", options->background, "Leave processors and disks to others (nice, ionice)");
    app.add_flag("--repair",
                 options->repair,
                 "Move damaged files to ROOT/quarantine and publish without them");
    app.footer(
        "Exit codes: 0 all is right, 5 something is not, 6 it was repaired and files are "
        "missing now.\n\nExample:\n  chanmirror verify --background\n  chanmirror verify "
        "torch.lock");
    return [options](Services& services) { return run_verify(*options, services); };
}

}  // namespace chm::cli
