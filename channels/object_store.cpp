// One syncfs for many files, then renames: an fsync for each of a thousand small packages would
// take longer than fetching them. See the header.
#include "channels/object_store.hpp"

#include "base/atomic_file.hpp"
#include "base/file.hpp"
#include "base/file_descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <set>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace chm::channels {
namespace {

namespace fs = std::filesystem;

/// Size of a regular file; none for anything else, a symlink too.
std::optional<std::uint64_t> size_of_file(const fs::path& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
        return std::nullopt;
    }
    return static_cast<std::uint64_t>(status.st_size);
}

/// Clients get hardlinks of objects, and must not edit them by accident.
Result<> make_read_only(const fs::path& file) {
    struct stat status {};
    if (::lstat(file.c_str(), &status) != 0 || ::chmod(file.c_str(), status.st_mode & 0444U) != 0) {
        return fail(io_error("changing the mode of " + file.native(), errno));
    }
    return {};
}

/// Leaves an object that is here alone, unless the disk has lost some of it.
Result<> move_in(const fs::path& file, const fs::path& object) {
    const auto here = size_of_file(object);
    if (here && here == size_of_file(file)) {
        return ::unlink(file.c_str()) == 0
                   ? Result<>()
                   : Result<>(fail(io_error("removing " + file.native(), errno)));
    }
    if (::rename(file.c_str(), object.c_str()) != 0) {
        return fail(io_error("moving " + file.native() + " to " + object.native(), errno));
    }
    return {};
}

/// False when it is there already.
Result<bool> make_folder(const fs::path& folder) {
    if (::mkdir(folder.c_str(), 0755) == 0) {
        return true;
    }
    if (errno == EEXIST) {
        return false;
    }
    return fail(io_error("creating folder " + folder.native(), errno));
}

/// Names in `folder`, in no order. A missing folder has none; what is no folder neither.
Result<std::vector<std::string>> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
        names.push_back(entry->path().filename().native());
    }
    if (error && error != std::errc::no_such_file_or_directory &&
        error != std::errc::not_a_directory) {
        return fail(io_error("reading folder " + folder.native(), error.value()));
    }
    return names;
}

std::string folder_name(const Sha256& digest) {
    return digest.hex().substr(0, 2);
}

}  // namespace

ObjectStore::ObjectStore(const fs::path& root) : folder_(root / "objects" / "sha256") {}

fs::path ObjectStore::path_of(const Sha256& digest) const {
    return folder_ / folder_name(digest) / digest.hex();
}

std::optional<std::uint64_t> ObjectStore::size_of(const Sha256& digest) const {
    return size_of_file(path_of(digest));
}

Result<> ObjectStore::adopt(std::span<const Incoming> files) const {
    if (files.empty()) {
        return {};
    }
    CHM_CHECK(make_directories(folder_));
    std::set<fs::path> touched;
    bool new_folder = false;
    for (const Incoming& incoming : files) {
        const fs::path folder = folder_ / folder_name(incoming.sha256);
        if (touched.insert(folder).second) {
            CHM_TRY(const bool made, make_folder(folder));
            new_folder = new_folder || made;
        }
        CHM_CHECK(make_read_only(incoming.file));
    }
    CHM_CHECK(sync_file_system(folder_));
    for (const Incoming& incoming : files) {
        CHM_CHECK(move_in(incoming.file, path_of(incoming.sha256)));
    }
    for (const fs::path& folder : touched) {
        CHM_CHECK(sync_directory(folder));
    }
    return new_folder ? sync_directory(folder_) : Result<>();
}

Result<std::vector<StoredObject>> ObjectStore::list() const {
    std::vector<StoredObject> objects;
    CHM_TRY(const std::vector<std::string> folders, names_in(folder_));
    for (const std::string& folder : folders) {
        CHM_TRY(const std::vector<std::string> names, names_in(folder_ / folder));
        for (const std::string& name : names) {
            const auto digest = Sha256::from_hex(name);
            // Where path_of() would look, letter by letter: no capitals, no other folder.
            if (!digest || path_of(*digest) != folder_ / folder / name) {
                continue;
            }
            if (const auto size = size_of(*digest)) {
                objects.push_back({*digest, *size});
            }
        }
    }
    std::sort(objects.begin(), objects.end(), [](const StoredObject& a, const StoredObject& b) {
        return a.sha256 < b.sha256;
    });
    return objects;
}

Result<> ObjectStore::remove(const Sha256& digest) const {
    const fs::path object = path_of(digest);
    if (::unlink(object.c_str()) != 0 && errno != ENOENT && errno != ENOTDIR) {
        return fail(io_error("removing " + object.native(), errno));
    }
    return {};
}

}  // namespace chm::channels
