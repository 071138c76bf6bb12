// Package files by content: <root>/objects/sha256/ab/<hex>. Immutable; a name that exists holds the
// bytes that it names, since a file gets its name only once it was hashed and is on the disk.
#pragma once

#include "base/digest.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

namespace chm::channels {

struct StoredObject {
    Sha256 sha256;
    std::uint64_t size = 0;
};

class ObjectStore {
public:
    /// `root` is the mirror's.
    explicit ObjectStore(const std::filesystem::path& root);

    [[nodiscard]] std::filesystem::path path_of(const Sha256& digest) const;
    /// Its size; none when it is not here.
    [[nodiscard]] std::optional<std::uint64_t> size_of(const Sha256& digest) const;

    /// A file whose bytes have been hashed, on its way in.
    struct Incoming {
        std::filesystem::path file;  // on the store's file system
        Sha256 sha256;
    };
    /// Moves files in: all are brought to the disk first (one syncfs), then renamed, then the
    /// folders are synced; so a power cut leaves no name with other bytes. One that is here already
    /// is removed. Consumes the files.
    Result<> adopt(std::span<const Incoming> files) const;

    /// Everything that is here, sorted; names that are no digest are left out.
    [[nodiscard]] Result<std::vector<StoredObject>> list() const;
    /// A missing object is fine.
    Result<> remove(const Sha256& digest) const;

private:
    std::filesystem::path folder_;  // <root>/objects/sha256
};

}  // namespace chm::channels
