// Golden files: the exact text a function must give, in tests/golden. With CHM_ACCEPT=1 a run
// rewrites them and fails, so that an accepting run is never taken for a passing one.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace chm::test::golden {

/// What is wrong with `text` as the content of `file`; empty when it is the same.
std::string complaint(std::string_view text, const std::filesystem::path& file);

#ifdef CHM_TEST_GOLDEN  // the folder: chm_test() tells it to test binaries, and only they check
/// `name` is relative to tests/golden: "emit/torch.lock".
inline void check(std::string_view text, std::string_view name) {
    const std::string wrong = complaint(text, std::filesystem::path(CHM_TEST_GOLDEN) / name);
    CHECK_MESSAGE(wrong.empty(), wrong);
}
#endif

}  // namespace chm::test::golden
