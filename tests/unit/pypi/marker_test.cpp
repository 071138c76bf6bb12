// Markers evaluated: the answers of pypa/packaging (tests/data/pypi) but for the differences that
// docs/pypi-semantics.md lists, and the rules one by one.
#include "pypi/marker.hpp"

#include "unit/pypi/vectors.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

using chm::pypi::Marker;
using chm::pypi::MarkerEnvironment;
using V = chm::pypi::MarkerVariable;

namespace {

Marker marker(std::string_view text) {
    auto parsed = Marker::parse(text);
    REQUIRE_MESSAGE(parsed.has_value(), text);
    return std::move(*parsed);
}

MarkerEnvironment environment(std::string_view platform, std::string_view python) {
    return *MarkerEnvironment::for_target(platform, python);
}

bool on_linux(std::string_view text, const std::vector<std::string>& extras = {}) {
    static const MarkerEnvironment linux_64 = environment("linux-64", "3.12.1");
    return marker(text).evaluate(linux_64, extras);
}

/// docs/pypi-semantics.md, "Differences from packaging".
bool differs_from_packaging(std::string_view text) {
    const auto has = [&](std::string_view piece) {
        return text.find(piece) != std::string_view::npos;
    };
    const bool is_star_bound = has(".*") && (has(">=") || has("<"));
    const bool is_not_equal_to_no_version = has("!=");
    const bool is_compatible_with_no_version = has("~=") && !Marker::parse(text).has_value();
    const bool is_same_as_nothing =
        has("===''") || has("=== ''") || has("===\"\"") || has("=== \"\"");
    return is_star_bound || is_not_equal_to_no_version || is_compatible_with_no_version ||
           is_same_as_nothing;
}

}  // namespace

TEST_CASE("pypi marker: the answers are packaging's") {
    const std::string table = chm::test::read_data("pypi/marker.tsv");
    std::map<std::string, MarkerEnvironment, std::less<>> environments;
    std::size_t compared = 0;
    std::size_t different = 0;
    for (const auto& row : chm::test::rows_of(table, 5)) {
        CAPTURE(row[0]);
        CAPTURE(row[1]);
        CAPTURE(row[2]);
        auto found = environments.find(row[1]);
        if (found == environments.end()) {
            const std::size_t space = row[1].find(' ');
            found =
                environments
                    .emplace(row[1], environment(row[1].substr(0, space), row[1].substr(space + 1)))
                    .first;
        }
        const auto parsed = Marker::parse(row[0]);
        const std::vector<std::string> extras(row[2].empty() ? 0 : 1, std::string(row[2]));
        const std::string answer = !parsed                                   ? "ERR"
                                   : parsed->evaluate(found->second, extras) ? "1"
                                                                             : "0";
        if (answer != row[3]) {
            ++different;
            CHECK(differs_from_packaging(row[0]));
        }
        if (parsed) {
            ++compared;
            const auto again = Marker::parse(parsed->to_text());
            REQUIRE(again.has_value());
            CHECK(again->to_text() == parsed->to_text());
            CHECK(again->evaluate(found->second, extras) ==
                  parsed->evaluate(found->second, extras));
        }
    }
    CHECK(compared > 2000);
    CHECK(different < 60);
}

TEST_CASE("pypi marker: versions are compared as versions") {
    CHECK(on_linux("python_version >= '3.9'"));
    CHECK(on_linux("python_version < '3.13'"));
    CHECK_FALSE(on_linux("python_version < '3.2'"));
    CHECK(on_linux("python_version == '3.12.*'"));
    CHECK(on_linux("python_full_version == '3.12.*'"));
    CHECK(on_linux("python_full_version > '3.12'"));
    CHECK(on_linux("python_version ~= '3.10'"));
    CHECK(on_linux("python_version >= '3.9.*'"));
    CHECK(on_linux("'3.9' <= python_version"));
    CHECK_FALSE(on_linux("'3.13' <= python_version"));
    CHECK(on_linux("python_version in '3.11 3.12'"));
    CHECK(on_linux("python_version not in '2.7'"));
    CHECK(
        marker("python_full_version >= '3.13.0a1'").evaluate(environment("linux-64", "3.13.0rc1")));
    CHECK_FALSE(
        marker("python_full_version >= '3.13'").evaluate(environment("linux-64", "3.13.0rc1")));
}

TEST_CASE("pypi marker: texts are only equal or not, without an order") {
    CHECK(on_linux("sys_platform == 'linux'"));
    CHECK(on_linux("sys_platform != 'win32'"));
    CHECK(on_linux("sys_platform >= 'linux'"));
    CHECK_FALSE(on_linux("sys_platform > 'a'"));
    CHECK_FALSE(on_linux("sys_platform < 'z'"));
    CHECK(on_linux("'lin' in sys_platform"));
    CHECK(on_linux("sys_platform in 'linux darwin'"));
    CHECK(on_linux("'win' not in sys_platform"));
    CHECK_FALSE(on_linux("python_version == 'x'"));
    CHECK(on_linux("python_version != 'x'"));
    CHECK_FALSE(on_linux("python_version > 'x'"));
    CHECK(on_linux("platform_release != '5'"));
    CHECK_FALSE(on_linux("platform_release >= '5'"));
    CHECK(on_linux("platform_release == ''"));
    CHECK(marker("platform_release >= '5'").evaluate([] {
        MarkerEnvironment with_kernel = environment("linux-64", "3.12");
        with_kernel.set(V::platform_release, "5.15");
        return with_kernel;
    }()));
}

TEST_CASE("pypi marker: and binds tighter than or") {
    CHECK(on_linux("os_name == 'posix' or os_name == 'nt' and os_name == 'java'"));
    CHECK_FALSE(on_linux("(os_name == 'posix' or os_name == 'nt') and os_name == 'java'"));
    CHECK(on_linux("os_name == 'nt' and os_name == 'nt' or os_name == 'posix'"));
    CHECK_FALSE(on_linux("os_name == 'nt' or (os_name == 'posix' and (os_name == 'java'))"));
}

TEST_CASE("pypi marker: extras are a set of normalized names") {
    CHECK_FALSE(on_linux("extra == 'dev'"));
    CHECK(on_linux("extra != 'dev'"));
    CHECK(on_linux("extra == 'Dev_Test'", {"dev-test"}));
    CHECK(on_linux("'Dev.Test' == extra", {"dev-test"}));
    CHECK(on_linux("extra == 'a' and extra == 'b'", {"a", "b"}));
    CHECK_FALSE(on_linux("extra == 'a' and extra != 'b'", {"a", "b"}));
    CHECK_FALSE(on_linux("extra != 'a'", {"a", "b"}));
    CHECK(on_linux("extra == '2'", {"2"}));
    CHECK(marker("extra == 'a' or os_name == 'nt'").mentions_extra());
    CHECK_FALSE(marker("os_name == 'nt'").mentions_extra());
}

TEST_CASE("pypi marker: canonical text") {
    CHECK(marker("( os.name=='nt' )").to_text() == "os_name == \"nt\"");
    CHECK(marker("'3'<python_version").to_text() == "\"3\" < python_version");
    CHECK(marker("os_name == 'a\"b'").to_text() == "os_name == 'a\"b'");
    CHECK(marker("extra=='A_b'").to_text() == "extra == \"a-b\"");
    CHECK(marker("os_name not   in 'x'").to_text() == "os_name not in \"x\"");
    CHECK(
        marker("(os_name=='a' or os_name=='b') and (os_name=='c' and (os_name=='d'))").to_text() ==
        "(os_name == \"a\" or os_name == \"b\") and os_name == \"c\" and os_name == \"d\"");
    CHECK(marker("os_name=='a' and (os_name=='b' or os_name=='c') or os_name=='d'").to_text() ==
          "os_name == \"a\" and (os_name == \"b\" or os_name == \"c\") or os_name == \"d\"");
    CHECK(marker("os_name=='a'") == marker("(os_name  ==\"a\")"));
    CHECK_FALSE(marker("os_name=='a'") == marker("os_name=='b'"));
}

TEST_CASE("pypi marker: the deepest nesting that is read is evaluated") {
    std::string text;
    for (std::size_t i = 0; i < 64; ++i) {
        text += "os_name == 'nt' or os_name == 'posix' and (";
    }
    text += "os_name == 'nt' or os_name == 'posix' and os_name == 'posix'";
    text += std::string(64, ')');
    CHECK(on_linux(text));
    CHECK(marker(marker(text).to_text()).to_text() == marker(text).to_text());
}
