#include "channels/package_links.hpp"

#include "base/atomic_file.hpp"
#include "base/file.hpp"
#include "channels/object_store.hpp"
#include "channels/shards.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <set>
#include <string>
#include <unistd.h>
#include <utility>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;

/// A second name for `object` beside `name`, then renamed over it.
Result<> replace_with_link(const fs::path& object, const fs::path& name) {
    const fs::path temporary = name.parent_path() / fmt::format(".{}.link.tmp", ::getpid());
    ::unlink(temporary.c_str());
    if (::link(object.c_str(), temporary.c_str()) != 0) {
        const bool has_no_hardlinks =
            errno == EPERM || errno == ENOTSUP || errno == EMLINK || errno == EXDEV;
        if (!has_no_hardlinks) {
            return fail(io_error("linking " + name.string(), errno));
        }
        return replace_symlink(name, fs::relative(object, name.parent_path()));
    }
    if (::rename(temporary.c_str(), name.c_str()) != 0) {
        const int error = errno;
        ::unlink(temporary.c_str());
        return fail(io_error("linking " + name.string(), error));
    }
    ::unlink(temporary.c_str());  // rename leaves it where both names are one file already
    return {};
}

/// One subdir's names during a transition.
class Linker {
public:
    Linker(const MirrorPaths& paths, const PackageTransition& transition)
        : store_(paths.root()),
          transition_(transition),
          folder_(paths.published() / transition.channel / transition.subdir),
          below_(fs::path("public") / transition.channel / transition.subdir) {
        for (auto it = below_.begin(); it != below_.end(); ++it) {
            up_ /= "..";
        }
    }

    Result<> run() {
        CHM_CHECK(make_directories(folder_));
        list_moving();
        for (const StoredFile& file : transition_.now) {
            CHM_CHECK(link(file));
        }
        return changed_ ? sync_directory(folder_) : Result<>();
    }

private:
    /// Names that may lead through `current`: those that the current snapshot has links for.
    void list_moving() {
        if (transition_.from.empty()) {
            return;
        }
        std::error_code ignored;
        for (const fs::directory_entry& entry :
             fs::directory_iterator(transition_.from / below_, ignored)) {
            const std::string name = entry.path().filename().string();
            if (!name.starts_with("repodata") && name != k_shard_folder) {
                moving_.insert(name);
            }
        }
    }

    Result<> link(const StoredFile& file) {
        const fs::path object = store_.path_of(file.sha256);
        const fs::path name = folder_ / file.fn;
        if (moving_.contains(file.fn) && is_moving(name, file.fn)) {
            return link_in(transition_.to, object, file.fn);
        }
        const StoredFile* held = find(transition_.before, file.fn);
        if (held != nullptr && held->sha256 == file.sha256) {
            return {};
        }
        std::error_code error;
        const fs::file_type type = fs::symlink_status(name, error).type();
        if (type == fs::file_type::regular && fs::equivalent(name, object, error)) {
            return {};
        }
        if (held != nullptr || is_moving(name, file.fn)) {
            return make_moving(held, object, file.fn);
        }
        changed_ = true;
        return replace_with_link(object, name);
    }

    [[nodiscard]] fs::path through_current(const std::string& fn) const {
        return up_ / "current" / below_ / fn;
    }
    [[nodiscard]] bool is_moving(const fs::path& name, const std::string& fn) const {
        std::error_code ignored;
        return fs::read_symlink(name, ignored) == through_current(fn);
    }

    /// First both snapshots get a link of their own, then the name is led through `current`.
    Result<> make_moving(const StoredFile* held, const fs::path& object, const std::string& fn) {
        if (held != nullptr) {
            CHM_CHECK(link_in(transition_.from, store_.path_of(held->sha256), fn));
        }
        CHM_CHECK(link_in(transition_.to, object, fn));
        changed_ = true;
        return replace_symlink(folder_ / fn, through_current(fn));
    }

    Result<> link_in(const fs::path& snapshot, const fs::path& object, const std::string& fn) {
        const fs::path folder = snapshot / below_;
        CHM_CHECK(make_directories(folder));
        return replace_with_link(object, folder / fn);
    }

    ObjectStore store_;
    const PackageTransition& transition_;
    fs::path folder_;
    fs::path below_;  // "public/<channel>/<subdir>"
    fs::path up_;     // from there to the root
    std::set<std::string> moving_;
    bool changed_ = false;
};

}  // namespace

Result<> link_packages(const MirrorPaths& paths, const PackageTransition& transition) {
    return Linker(paths, transition).run();
}

}  // namespace chm::channels
