#include "channels/object_check.hpp"

#include "base/file_hashing.hpp"
#include "base/workers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

namespace chm::channels {

Result<HashedObjects> hash_objects(const ObjectStore& store,
                                   std::vector<StoredObject> objects,
                                   const VerifyRequest& request,
                                   const VerifyEdges& edges) {
    std::ranges::sort(objects, std::greater<>(), &StoredObject::size);
    std::uint64_t total = 0;
    for (const StoredObject& object : objects) {
        total += object.size;
    }
    HashedObjects result;
    std::mutex mutex;
    std::atomic<std::uint64_t> done{0};
    Pace pace(request.limit_rate, edges.clock);
    const HashingOptions options{
        &pace,
        [&](std::uint64_t bytes) {
            edges.reporter.report(PhaseAdvanced{done.fetch_add(bytes) + bytes});
        },
        edges.stop};
    const auto hash_one = [&](std::size_t i) -> Result<> {
        const Sha256& name = objects[i].sha256;
        auto hashed = hash_file<Sha256>(store.path_of(name), options);
        if (!hashed && hashed.error().kind == ErrorKind::interrupted) {
            return fail(ErrorKind::interrupted, "interrupted; nothing was changed");
        }
        if (!hashed && hashed.error().kind == ErrorKind::not_found) {
            return {};
        }
        const std::scoped_lock guard(mutex);
        ++result.objects;
        if (!hashed) {
            result.corrupt.emplace(name, std::move(hashed).error().message);
            return {};
        }
        result.bytes += hashed->size;
        if (hashed->digest != name) {
            result.corrupt.emplace(
                name, fmt::format("sha256 {}, {} bytes", hashed->digest.hex(), hashed->size));
        }
        return {};
    };
    const unsigned threads = request.jobs > 0 ? request.jobs : default_threads();
    edges.reporter.report(PhaseBegan{"hashing stored files", total, Unit::bytes});
    auto outcome = for_each_parallel(objects.size(), threads, hash_one);
    edges.reporter.report(PhaseEnded{});
    CHM_CHECK(std::move(outcome));
    return result;
}

}  // namespace chm::channels
