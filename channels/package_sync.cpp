#include "channels/package_sync.hpp"

#include "base/ascii.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <sys/statvfs.h>
#include <utility>

namespace chm::channels {
namespace {

/// Left free beside what a sync needs: for indexes, for the file system's own use.
constexpr std::uint64_t k_reserve_bytes = 256'000'000;
/// Of one package. The largest of conda-forge's and pytorch's are 2 to 3 GB.
constexpr std::uint64_t k_max_package_bytes = 64ULL << 30;

/// The same bytes, as far as the index says.
bool promises(const WantedFile& wanted, const StoredFile& held) {
    if (wanted.size && *wanted.size != held.size) {
        return false;
    }
    if (wanted.sha256) {
        return *wanted.sha256 == held.sha256;
    }
    return !wanted.md5 || wanted.md5 == held.md5;  // without a digest there is nothing to compare
}

bool is_here(const PackageTask& task, const WantedFile& wanted, const ObjectStore& store) {
    const StoredFile* held = find(task.before, wanted.fn);
    if (held != nullptr && promises(wanted, *held)) {
        return true;
    }
    const auto size = wanted.sha256 ? store.size_of(*wanted.sha256) : std::nullopt;
    return size && (!wanted.size || *size == *wanted.size);
}

PlannedSubdir plan_of(const PackageTask& task) {
    PlannedSubdir plan{task.channel.name, task.subdir};
    plan.wanted_files = task.selection.files.size();
    plan.wanted_bytes = task.selection.bytes;
    plan.fetch_files = task.to_fetch.size();
    plan.left_out = task.selection.left_out;
    plan.refused = task.selection.refused;
    plan.licence = task.licence;
    for (const std::size_t i : task.to_fetch) {
        const WantedFile& file = task.selection.files[i];
        plan.fetch_bytes += file.size.value_or(0);
        plan.unsized_files += file.size ? 0U : 1U;
    }
    return plan;
}

PackageRequest request_for(const PackageTask& task, const WantedFile& file) {
    PackageRequest request;
    request.label = fmt::format("{}/{}/{}", task.channel.name, task.subdir, file.fn);
    for (const PackageSource& folder : task.folders) {
        request.sources.push_back(
            {fmt::format("{}/{}", folder.url, url_segment(file.fn)), folder.credentials});
    }
    request.sha256 = file.sha256;
    request.md5 = file.md5;
    request.size = file.size;
    return request;
}

/// What was stored before the fetch, under the name and bytes that are wanted now.
StoredFile already_stored(const PackageTask& task,
                          const WantedFile& wanted,
                          const ObjectStore& store) {
    const StoredFile* held = find(task.before, wanted.fn);
    if (held != nullptr && promises(wanted, *held)) {
        return *held;
    }
    StoredFile file{wanted.fn, wanted.sha256.value_or(Sha256{})};
    file.size = store.size_of(file.sha256).value_or(0);
    return file;
}

/// Takes the outcomes of one task's requests apart.
StoredPackages sort_outcomes(const PackageTask& task,
                             std::span<PackageOutcome> outcomes,
                             const ObjectStore& store) {
    StoredPackages result;
    std::size_t next = 0;  // of to_fetch, which is in the order of selection.files
    for (std::size_t i = 0; i < task.selection.files.size(); ++i) {
        const WantedFile& wanted = task.selection.files[i];
        if (next >= task.to_fetch.size() || task.to_fetch[next] != i) {
            result.stored.push_back(already_stored(task, wanted, store));
            continue;
        }
        PackageOutcome& outcome = outcomes[next++];
        if (const auto* fetched = std::get_if<FetchedPackage>(&outcome)) {
            StoredFile file{wanted.fn, fetched->sha256, fetched->size};
            file.md5 = wanted.sha256 ? std::nullopt : wanted.md5;
            result.stored.push_back(std::move(file));
            continue;
        }
        auto& missing = std::get<MissingPackage>(outcome);
        result.missing.push_back({task.channel.name,
                                  task.subdir,
                                  wanted.fn,
                                  std::move(missing.url),
                                  std::move(missing.expected),
                                  std::move(missing.got),
                                  missing.tries,
                                  {}});
    }
    return result;
}

}  // namespace

std::string policy_text(const config::PackageSettings& settings) {
    std::string text = settings.policy == config::PackagePolicy::all ? "all" : "matching";
    const auto add = [&](std::string_view key, const std::vector<conda::MatchSpec>& specs) {
        for (const conda::MatchSpec& spec : specs) {
            text += fmt::format(" {}:{}", key, spec.to_text());
        }
    };
    if (settings.policy == config::PackagePolicy::matching) {
        add("match", settings.match);
    }
    add("exclude", settings.exclude);
    return settings.prefer_conda ? text + " prefer_conda" : text;
}

void find_absent(PackageTask& task, const ObjectStore& store) {
    task.to_fetch.clear();
    for (std::size_t i = 0; i < task.selection.files.size(); ++i) {
        if (!is_here(task, task.selection.files[i], store)) {
            task.to_fetch.push_back(i);
        }
    }
}

Result<> PackagePlan::require_room() const {
    if (fetch_files == 0 || fetch_bytes + k_reserve_bytes <= free_bytes) {
        return {};
    }
    return fail(ErrorKind::io,
                fmt::format("the packages to be fetched need {} and {} must stay free, but {} are: "
                            "nothing was fetched; make room, or store less ('packages' in the "
                            "configuration)",
                            human_bytes(fetch_bytes),
                            human_bytes(k_reserve_bytes),
                            human_bytes(free_bytes)));
}

Result<PackagePlan> plan_packages(std::span<const PackageTask> tasks, const MirrorPaths& paths) {
    PackagePlan plan;
    for (const PackageTask& task : tasks) {
        plan.subdirs.push_back(plan_of(task));
        plan.fetch_files += plan.subdirs.back().fetch_files;
        plan.fetch_bytes += plan.subdirs.back().fetch_bytes;
    }
    struct statvfs disk {};
    if (::statvfs(paths.root().c_str(), &disk) != 0) {
        return fail(io_error("asking how much room " + paths.root().string() + " has", errno));
    }
    plan.free_bytes = std::uint64_t{disk.f_bavail} * disk.f_frsize;
    return plan;
}

Result<std::vector<StoredPackages>> store_packages(std::span<const PackageTask> tasks,
                                                   const MirrorPaths& paths,
                                                   const FetchEdges& edges) {
    const ObjectStore store(paths.root());
    std::vector<PackageRequest> requests;
    for (const PackageTask& task : tasks) {
        for (const std::size_t i : task.to_fetch) {
            requests.push_back(request_for(task, task.selection.files[i]));
        }
    }
    const PackageFetchOptions options{paths.partial(), k_max_package_bytes};
    CHM_TRY(std::vector<PackageOutcome> outcomes, fetch_packages(requests, store, options, edges));
    std::vector<StoredPackages> stored;
    std::span<PackageOutcome> rest(outcomes);
    for (const PackageTask& task : tasks) {
        stored.push_back(sort_outcomes(task, rest.first(task.to_fetch.size()), store));
        rest = rest.subspan(task.to_fetch.size());
    }
    return stored;
}

std::string url_segment(std::string_view fn) {
    std::string text;
    for (const char c : fn) {
        const bool plain = is_alphanumeric(c) ||
                           std::string_view("-._~!$&'()*+,;=:@").find(c) != std::string_view::npos;
        if (plain) {
            text.push_back(c);
        } else {
            fmt::format_to(std::back_inserter(text), "%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return text;
}

}  // namespace chm::channels
