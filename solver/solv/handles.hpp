// libsolv's objects as owners. Only files of solver/solv/ may include this or libsolv.
#pragma once

#include <solv/pool.h>
#include <solv/queue.h>
#include <solv/solver.h>

#include <memory>

namespace chm::solver::solv {

struct PoolDeleter {
    void operator()(::Pool* pool) const { pool_free(pool); }
};
struct SolverDeleter {
    void operator()(::Solver* solver) const { solver_free(solver); }
};
using PoolHandle = std::unique_ptr<::Pool, PoolDeleter>;
using SolverHandle = std::unique_ptr<::Solver, SolverDeleter>;

class IdQueue {
public:
    IdQueue() { queue_init(&queue_); }
    IdQueue(const IdQueue&) = delete;
    IdQueue& operator=(const IdQueue&) = delete;
    ~IdQueue() { queue_free(&queue_); }

    void push(Id id) { queue_push(&queue_, id); }
    void push(Id first, Id second) { queue_push2(&queue_, first, second); }
    [[nodiscard]] int size() const { return queue_.count; }
    [[nodiscard]] Id operator[](int i) const { return queue_.elements[i]; }
    [[nodiscard]] ::Queue* raw() { return &queue_; }

private:
    ::Queue queue_{};
};

}  // namespace chm::solver::solv
