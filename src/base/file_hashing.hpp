// Digests of whole files about as fast as the processor hashes memory, by many threads at once, at a
// rate that leaves the disk to others if asked, and without pushing other files out of the page cache.
#pragma once

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <stop_token>

namespace chm {

/// Holds all threads that share it to one rate.
class Pace {
public:
    /// `bytes_per_second` 0: as fast as it goes.
    Pace(std::uint64_t bytes_per_second, const Clock& clock);

    /// Accounts for bytes that were read, and sleeps as long as they were too early. Returns soon once
    /// `stop` is requested.
    void spend(std::uint64_t bytes, const std::stop_token& stop);

private:
    std::uint64_t bytes_per_second_;
    const Clock& clock_;
    std::mutex mutex_;
    SteadyTime due_;  // when what was spent so far is paid for
};

struct HashingOptions {
    Pace* pace = nullptr;  // none: as fast as it goes
    std::function<void(std::uint64_t bytes)> progress =
        {};  // called with each piece's size, from the hashing thread
    std::stop_token stop = {};
};

template <class D>
struct HashedFile {
    D digest;
    std::uint64_t size = 0;
};

/// D is Sha256 or Md5. Pages that were not in the page cache before are dropped from it again.
/// ErrorKind::not_found, ErrorKind::io (what the disk said), ErrorKind::interrupted.
template <class D>
Result<HashedFile<D>> hash_file(const std::filesystem::path& path, const HashingOptions& options);

}  // namespace chm
