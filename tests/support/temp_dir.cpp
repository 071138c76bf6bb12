#include "support/temp_dir.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace chm::test {

TempDir::TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "chm-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
        throw std::runtime_error("cannot create " + pattern);
    }
    path_ = pattern;
}

TempDir::~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace chm::test
