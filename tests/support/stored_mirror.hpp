// A mirror whose channels are closed: a few packages of a few bytes, stored, linked and published as a
// sync does it.
#pragma once

#include "base/atomic_file.hpp"
#include "base/digest.hpp"
#include "base/file.hpp"
#include "channels/object_store.hpp"
#include "channels/publish.hpp"
#include "channels/snapshot.hpp"
#include "support/fake_clock.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fcntl.h>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace chm::test {

/// "name-version-build" → the file's bytes.
using Packages = std::map<std::string, std::string>;

inline std::string stored_index(std::string_view subdir, const Packages& packages) {
    std::string records;
    for (const auto& [package, bytes] : packages) {
        const auto build = package.rfind('-');
        const auto version = package.rfind('-', build - 1);
        records += fmt::format(
            R"({}"{}.conda":{{"name":"{}","version":"{}","build":"{}","build_number":0,"depends":[],"sha256":"{}","size":{}}})",
            records.empty() ? "" : ",",
            package,
            package.substr(0, version),
            package.substr(version + 1, build - version - 1),
            package.substr(build + 1),
            sha256(bytes).hex(),
            bytes.size());
    }
    return fmt::format(
        R"({{"info":{{"subdir":"{}"}},"packages":{{}},"packages.conda":{{{}}},"removed":[],"repodata_version":1}})",
        subdir,
        records);
}

class StoredMirror {
public:
    explicit StoredMirror(const std::filesystem::path& root) : paths(root) {}

    [[nodiscard]] std::filesystem::path object(const std::string& bytes) const {
        return channels::ObjectStore(paths.root()).path_of(sha256(bytes));
    }
    [[nodiscard]] std::filesystem::path name(const std::string& package,
                                             const std::string& place = "c/linux-64") const {
        return paths.published() / place / (package + ".conda");
    }

    /// An object as old as the clock says.
    void store(const std::string& bytes) {
        const std::filesystem::path file = object(bytes);
        REQUIRE(make_directories(file.parent_path()));
        if (!std::filesystem::exists(file)) {
            REQUIRE(write_file_atomically(file, bytes));
            set_time(file);
        }
    }

    /// The next snapshot: the channel's linux-64 with these packages, all of them stored.
    channels::Manifest publish(const Packages& packages, const std::string& channel = "c") {
        channels::NewIndex index{{channel, "https://conda.anaconda.org/" + channel},
                                 "linux-64",
                                 stored_index("linux-64", packages),
                                 packages.size(),
                                 {},
                                 "https://u/" + channel + "/linux-64/repodata.json",
                                 "https://u/" + channel + "/linux-64"};
        index.index_sha256 = sha256(index.json);
        index.packages = channels::NewPackages{"all", {}, 0};
        for (const auto& [package, bytes] : packages) {
            store(bytes);
            index.packages->stored.push_back({package + ".conda", sha256(bytes), bytes.size()});
        }
        return publish_index(std::move(index));
    }
    channels::Manifest publish_index(channels::NewIndex index) {
        std::vector<channels::NewIndex> indexes;
        indexes.push_back(std::move(index));
        const auto current = channels::read_current(paths);
        REQUIRE_MESSAGE(current, current.error().message);
        const auto made = channels::publish(paths, *current, std::move(indexes), clock, {});
        REQUIRE_MESSAGE(made, made.error().message);
        set_time(paths.snapshot(made->id));
        clock.advance(std::chrono::seconds(1));
        return *made;
    }

    [[nodiscard]] std::string current() const {
        return std::filesystem::read_symlink(paths.current()).filename().string();
    }
    [[nodiscard]] bool has_snapshot(const std::string& id) const {
        return std::filesystem::exists(paths.snapshot(id) / "manifest.json");
    }
    [[nodiscard]] bool has_object(const std::string& bytes) const {
        return std::filesystem::exists(object(bytes));
    }
    /// What a client that asks for the package gets; "(none)" where there is nothing.
    [[nodiscard]] std::string served(const std::string& package,
                                     const std::string& place = "c/linux-64") const {
        return read_file(name(package, place), 1U << 20U).value_or("(none)");
    }

    /// Gives a file the clock's time.
    void set_time(const std::filesystem::path& file) const {
        timespec now{};
        now.tv_sec = clock.wall().time_since_epoch().count();
        const timespec times[2] = {now, now};  // NOLINT(modernize-avoid-c-arrays): utimensat's
        REQUIRE(::utimensat(AT_FDCWD, file.c_str(), times, 0) == 0);
    }

    channels::MirrorPaths paths;
    FakeClock clock;
};

/// Overwrites a file's bytes in place, as a failing disk does: its name and links stay.
inline void damage(const std::filesystem::path& file, const std::string& bytes) {
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    const FileDescriptor open(::open(file.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    REQUIRE(open.is_open());
    REQUIRE(write_all(open, std::as_bytes(std::span(bytes)), file));
}

}  // namespace chm::test
