// Result<T>: a value or an Error. Our code does not throw; third-party exceptions are turned into
// Errors in the one file that wraps the library. The class exists, rather than an alias, because
// tl::expected has no [[nodiscard]].
#pragma once

#include "base/error.hpp"

#include <tl/expected.hpp>

#include <utility>

namespace chm {

template <class T = void>
class [[nodiscard]] Result : public tl::expected<T, Error> {
public:
    using tl::expected<T, Error>::expected;
    Result(tl::expected<T, Error> other) : tl::expected<T, Error>(std::move(other)) {}
};

/// fail(ErrorKind::io, "…") in a return statement of any Result.
inline tl::unexpected<Error> fail(ErrorKind kind, std::string message) {
    return tl::unexpected<Error>(Error{kind, std::move(message)});
}

/// Passes an existing error on: `return fail(std::move(result).error());`
inline tl::unexpected<Error> fail(Error error) {
    return tl::unexpected<Error>(std::move(error));
}

}  // namespace chm

#define CHM_CONCAT_(a, b) a##b
#define CHM_CONCAT(a, b) CHM_CONCAT_(a, b)

/// CHM_TRY(auto value, expression): unwraps a Result or returns its error from the enclosing
/// function.
#define CHM_TRY(declaration, ...) CHM_TRY_(CHM_CONCAT(chm_try_, __LINE__), declaration, __VA_ARGS__)
#define CHM_TRY_(result, declaration, ...)             \
    auto result = (__VA_ARGS__);                       \
    if (!result) {                                     \
        return ::chm::fail(std::move(result).error()); \
    }                                                  \
    declaration = std::move(*result)

/// CHM_CHECK(expression): the same for a Result whose value is of no interest.
#define CHM_CHECK(...)                                         \
    do {                                                       \
        if (auto chm_check_ = (__VA_ARGS__); !chm_check_) {    \
            return ::chm::fail(std::move(chm_check_).error()); \
        }                                                      \
    } while (false)
