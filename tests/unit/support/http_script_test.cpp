// The text form of fault scripts: what is read, what is refused, and which rule takes a request.
#include "support/http_script.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using chm::ErrorKind;
using chm::test::glob_matches;
using chm::test::parse_script;
using chm::test::Rule;
using chm::test::Script;
using chm::test::ScriptPlayer;

namespace {

Rule only_rule(std::string_view text) {
    chm::Result<Script> script = parse_script(text);
    REQUIRE_MESSAGE(script.has_value(), script.error().message);
    REQUIRE(script->rules.size() == 1);
    return script->rules[0];
}

std::string error_of(std::string_view text) {
    const chm::Result<Script> script = parse_script(text);
    REQUIRE_FALSE(script.has_value());
    CHECK(script.error().kind == ErrorKind::parse);
    return script.error().message;
}

}  // namespace

TEST_CASE("http_script: comments and empty lines make no rules") {
    const auto script = parse_script("\n  # only words\r\n\t\n/a close # at the end\n");
    REQUIRE(script.has_value());
    REQUIRE(script->rules.size() == 1);
    CHECK(script->rules[0].glob == "/a");
    CHECK(script->rules[0].close);
}

TEST_CASE("http_script: every action sets its field") {
    const Rule a = only_rule(
        "/x times=2 after=3 status=503 retry-after=4 delay=200ms cut=5 drip=6/s flip=7 truncate=8 "
        "type=text/html no-etag no-range header=X-A:1 header=\"X-B: two words\" body=hi");
    CHECK(a.times == 2);
    CHECK(a.after == 3);
    CHECK(a.status == 503);
    CHECK(a.retry_after == 4);
    CHECK(a.delay.count() == 200);
    CHECK(a.cut == 5);
    CHECK(a.drip == 6);
    CHECK(a.flip == 7);
    CHECK(a.truncate == 8);
    CHECK(a.type == "text/html");
    CHECK(a.no_etag);
    CHECK(a.no_range);
    CHECK(a.headers == std::vector<chm::test::HttpHeader>{{"X-A", "1"}, {"X-B", "two words"}});
    CHECK(a.body == "hi");
    CHECK(only_rule("* reset=9").reset == 9);
    CHECK(only_rule("* body-file=/a/b").body_file == "/a/b");
    CHECK(only_rule("* stale=old").stale == "old");
    CHECK(only_rule("* redirect=http://h/?a=b").redirect == "http://h/?a=b");
    CHECK(only_rule("* hang delay=2s").delay.count() == 2000);
    CHECK(only_rule("* hang").hang);
}

TEST_CASE("http_script: quotes keep spaces, hashes and escapes") {
    CHECK(only_rule(R"(/a body="<p class=\"x\"> # \\ \n</p>")").body ==
          "<p class=\"x\"> # \\ \n</p>");
    CHECK(only_rule("\"/with space\" close").glob == "/with space");
    CHECK(only_rule("/a body=a#b").body == "a#b");
    CHECK(only_rule("/a body=\"\"").body == "");
}

TEST_CASE("http_script: errors name the line and what was expected") {
    CHECK(error_of("/a close\n/b statsu=503") ==
          "line 2: unknown action 'statsu'; did you mean 'status'?");
    CHECK(error_of("/a status=abc") ==
          "line 1: 'status=abc' is wrong: expected status=a code from 200 to 599");
    CHECK(error_of("/a cut=1 cut=2") == "line 1: 'cut' is given twice");
    CHECK(error_of("\n\n/a times=1") == "line 3: rule '/a' has no action");
    CHECK(error_of("a close").starts_with("line 1: 'a' is no path glob"));
}

TEST_CASE("http_script: malformed rules are refused") {
    for (const char* const text :
         {"/a delay=200",   "/a delay=xs",      "/a delay=s",        "/a drip=0/s",
          "/a drip=10",     "/a cut=-1",        "/a cut=1x",         "/a cut=99999999999999999999",
          "/a cut",         "/a cut=",          "/a status=99",      "/a status=600",
          "/a close=1",     "/a header=none",   "/a header=:x",      "/a =x",
          "/a body=\"open", "/a body=\"\\z\"",  "/a \"\" close",     "\"\" close",
          "/a hang close",  "/a cut=1 reset=1", "/a body=x stale=d", "/a"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_script(text).has_value());
    }
}

TEST_CASE("http_script: a star matches any text, slashes included") {
    CHECK(glob_matches("*", ""));
    CHECK(glob_matches("/a/*/c.json", "/a/b/b/c.json"));
    CHECK(glob_matches("/a*", "/a"));
    CHECK(glob_matches("*b*b", "/abab"));
    CHECK(glob_matches("/a", "/a"));
    CHECK_FALSE(glob_matches("/a", "/ab"));
    CHECK_FALSE(glob_matches("/ab", "/a"));
    CHECK_FALSE(glob_matches("/a/*/c", "/a/c"));
    CHECK_FALSE(glob_matches("", "/"));
    const std::string many(20'000, 'a');
    CHECK_FALSE(glob_matches("*a*a*a*b", many));
}

TEST_CASE("http_script: after and times count the requests that reach a rule") {
    ScriptPlayer player;
    player.set(
        *parse_script("/a after=1 times=2 status=503\n"
                      "/a times=2 status=404\n"
                      "* status=410\n"));
    const auto status = [&](std::string_view path) { return player.next(path).status; };
    CHECK(status("/b") == 410);
    CHECK(status("/a") == 404);
    CHECK(status("/a") == 503);
    CHECK(status("/a") == 503);
    CHECK(status("/a") == 404);
    CHECK(status("/a") == 410);
}

TEST_CASE("http_script: setting a script starts the counts over") {
    ScriptPlayer player;
    const Script script = *parse_script("* times=1 close");
    player.set(script);
    CHECK(player.next("/").close);
    CHECK_FALSE(player.next("/").close);
    player.set(script);
    CHECK(player.next("/").close);
    player.add({.glob = "/late", .hang = true});
    CHECK(player.next("/late").hang);
    CHECK_FALSE(player.next("/").hang);
}
