// load.cpp: which file is read, what overrides what, and where each value says it comes from.
#include "config/load.hpp"

#include "config/keys.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

namespace chm::config {
namespace {

namespace fs = std::filesystem;

using Variables = std::map<std::string, std::string, std::less<>>;

/// A working directory, an environment and what load() makes of them.
struct Scene {
    test::TempDir dir;
    Variables variables = {{"HOME", "/home/joe"}};
    LoadRequest request = {std::nullopt, std::nullopt, dir.path()};

    void write(const fs::path& file, std::string_view text) const {
        fs::create_directories((dir.path() / file).parent_path());
        std::ofstream(dir.path() / file, std::ios::binary) << text;
    }
    [[nodiscard]] Result<Loaded> run() const {
        return load(request, [this](std::string_view name) -> std::optional<std::string> {
            const auto found = variables.find(name);
            return found != variables.end() ? std::optional(found->second) : std::nullopt;
        });
    }
    [[nodiscard]] Loaded loaded() const {
        auto result = run();
        REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
        return std::move(*result);
    }
    [[nodiscard]] std::string error() const {
        const auto result = run();
        REQUIRE(!result.has_value());
        CHECK(result.error().message.find('\n') == std::string::npos);
        return result.error().message;
    }
    [[nodiscard]] std::string at(std::string_view file, int line) const {
        return fmt::format("{}:{}: ", (dir.path() / file).string(), line);
    }
};

std::string origin_of(const Loaded& loaded, std::string_view key) {
    const auto found = std::find_if(loaded.origins.begin(),
                                    loaded.origins.end(),
                                    [&](const Origin& o) { return o.key == key; });
    REQUIRE(found != loaded.origins.end());
    return found->where;
}

}  // namespace

TEST_CASE("load: without file, variable or flag the defaults hold") {
    const Loaded loaded = Scene().loaded();
    CHECK(!loaded.config_file.has_value());
    CHECK(loaded.settings.root == "/home/joe/.local/share/chanmirror");
    CHECK(loaded.settings.channels == std::vector<std::string>{"pytorch", "nvidia", "conda-forge"});
    CHECK(loaded.settings.jobs == 8);
    CHECK(loaded.settings.channel_priority == ChannelPriority::strict);
    REQUIRE(loaded.origins.size() == keys().size());
    for (std::size_t i = 0; i < keys().size(); ++i) {
        CHECK(loaded.origins[i].key == keys()[i].name);
        CHECK(loaded.origins[i].where == "default");
    }
}

TEST_CASE("load: flag over variable over file over default") {
    Scene scene;
    scene.write("chanmirror.yml", "# mine\nroot: /from/file\njobs: 3\nretries: 7\n");
    scene.variables["CHANMIRROR_JOBS"] = "5";
    Loaded loaded = scene.loaded();
    CHECK(loaded.settings.root == "/from/file");
    CHECK(loaded.settings.jobs == 5);
    CHECK(loaded.settings.retries == 7);
    CHECK(origin_of(loaded, "root") + ": " == scene.at("chanmirror.yml", 2));
    CHECK(origin_of(loaded, "retries") + ": " == scene.at("chanmirror.yml", 4));
    CHECK(origin_of(loaded, "jobs") == "CHANMIRROR_JOBS");
    CHECK(origin_of(loaded, "channels") == "default");

    scene.variables["CHANMIRROR_ROOT"] = "/from/variable";
    loaded = scene.loaded();
    CHECK(loaded.settings.root == "/from/variable");
    CHECK(origin_of(loaded, "root") == "CHANMIRROR_ROOT");

    scene.request.root = "/from/flag";
    loaded = scene.loaded();
    CHECK(loaded.settings.root == "/from/flag");
    CHECK(origin_of(loaded, "root") == "--root");
}

TEST_CASE("load: every variable of the table is read and an empty one is as none") {
    Scene scene;
    scene.variables = {{"CHANMIRROR_ROOT", "/r"},
                       {"CHANMIRROR_JOBS", "9"},
                       {"CHANMIRROR_LIMIT_RATE", "1M"},
                       {"CHANMIRROR_SSL_VERIFY", "/ca.pem"},
                       {"CHANMIRROR_CLIENT_SSL_CERT", "/c.pem"},
                       {"CHANMIRROR_CLIENT_SSL_CERT_KEY", "/c.key"},
                       {"CHANMIRROR_RETRIES", "1"},
                       {"CHANMIRROR_STALL_TIMEOUT", "33"},
                       {"CHANMIRROR_CHANNEL_PRIORITY", "disabled"}};
    const Loaded loaded = scene.loaded();
    std::size_t read = 0;
    for (const Key& key : keys()) {
        if (!key.environment.empty()) {
            CHECK(origin_of(loaded, key.name) == key.environment);
            ++read;
        }
    }
    CHECK(read == scene.variables.size());
    CHECK(loaded.settings.stall_timeout == std::chrono::seconds(33));
    CHECK(loaded.settings.channel_priority == ChannelPriority::disabled);
    scene.variables["CHANMIRROR_JOBS"] = "";
    CHECK(origin_of(scene.loaded(), "jobs") == "default");
}

TEST_CASE("load: a wrong variable is named") {
    Scene scene;
    scene.variables["CHANMIRROR_JOBS"] = "many";
    CHECK(scene.error() ==
          "CHANMIRROR_JOBS: jobs: expected a whole number from 1 to 256, got 'many'");
    CHECK(scene.run().error().kind == ErrorKind::config);
}

TEST_CASE("load: the first file that is named or exists is the only one") {
    Scene scene;
    scene.variables["XDG_CONFIG_HOME"] = (scene.dir / "xdg").string();
    scene.write("xdg/chanmirror/config.yml", "jobs: 1\nretries: 1\n");
    CHECK(scene.loaded().settings.jobs == 1);
    scene.write("chanmirror.yml", "jobs: 2\n");
    CHECK(scene.loaded().settings.jobs == 2);
    CHECK(scene.loaded().settings.retries == 4);  // files do not add up
    scene.write("named.yml", "jobs: 3\n");
    scene.variables["CHANMIRROR_CONFIG"] = "named.yml";
    CHECK(scene.loaded().settings.jobs == 3);
    scene.write("sub/flag.yml", "jobs: 4\n");
    scene.request.config_file = "sub/flag.yml";
    const Loaded loaded = scene.loaded();
    CHECK(loaded.settings.jobs == 4);
    REQUIRE(loaded.config_file.has_value());
    CHECK(*loaded.config_file == scene.dir.path() / "sub/flag.yml");
}

TEST_CASE("load: HOME/.config is where the user's file lies when XDG says nothing") {
    Scene scene;
    scene.variables["HOME"] = (scene.dir / "home").string();
    scene.variables["XDG_CONFIG_HOME"] = "relative/is/invalid";  // XDG base directory specification
    scene.write("home/.config/chanmirror/config.yml", "jobs: 6\n");
    CHECK(scene.loaded().settings.jobs == 6);
}

TEST_CASE("load: a named file that is not there is an error") {
    Scene scene;
    scene.request.config_file = "none.yml";
    CHECK(scene.error().find("none.yml") != std::string::npos);
    CHECK(scene.run().error().kind == ErrorKind::config);
}

TEST_CASE("load: an unknown key is an error with line and suggestion") {
    Scene scene;
    scene.write("chanmirror.yml", "jobs: 3\n\nchanels: [pytorch]\n");
    CHECK(scene.error() ==
          scene.at("chanmirror.yml", 3) + "unknown key 'chanels'; did you mean 'channels'?");
    scene.write("chanmirror.yml", "frobnicate: 3\n");
    CHECK(scene.error() == scene.at("chanmirror.yml", 1) + "unknown key 'frobnicate'");
}

TEST_CASE("load: a wrong value is an error with file, line and key") {
    Scene scene;
    scene.write("chanmirror.yml", "root: /x\njobs: [1, 2]\n");
    CHECK(scene.error() == scene.at("chanmirror.yml", 2) + "jobs: expected a text");
    scene.write("chanmirror.yml", "jobs: 1\njobs: 2\n");
    CHECK(scene.error() == scene.at("chanmirror.yml", 2) + "key 'jobs' is given twice");
    scene.write("chanmirror.yml", "\n- jobs\n");
    CHECK(scene.error() ==
          scene.at("chanmirror.yml", 2) + "expected keys, such as 'root: /srv/chanmirror'");
    scene.write("chanmirror.yml", "{jobs: 1");
    CHECK(scene.error().find("not valid YAML") != std::string::npos);
    CHECK(scene.run().error().kind == ErrorKind::config);
}

TEST_CASE("load: an empty file changes nothing but is the file") {
    Scene scene;
    scene.write("chanmirror.yml", "# nothing yet\n");
    CHECK(scene.loaded().config_file.has_value());
    CHECK(scene.loaded().settings.jobs == 8);
}

TEST_CASE("load: a file above 1 MiB is refused") {
    Scene scene;
    const std::string head = "jobs: 3\n#";
    scene.write("chanmirror.yml", head + std::string((1 << 20) - head.size(), 'x'));
    CHECK(scene.loaded().settings.jobs == 3);
    scene.write("chanmirror.yml", head + std::string((1 << 20) - head.size() + 1, 'x'));
    CHECK(scene.error().find("chanmirror.yml") != std::string::npos);
}

TEST_CASE("load: a relative root starts where it was written") {
    Scene scene;
    scene.write("etc/c.yml", "root: data/../mirror/\n");
    scene.request.config_file = "etc/c.yml";
    CHECK(scene.loaded().settings.root == scene.dir.path() / "etc/mirror");
    scene.variables["CHANMIRROR_ROOT"] = "m";
    CHECK(scene.loaded().settings.root == scene.dir.path() / "m");
    scene.request.root = "./n/";
    CHECK(scene.loaded().settings.root == scene.dir.path() / "n");
}

TEST_CASE("load: a relative certificate starts where it was written") {
    Scene scene;
    scene.write("conf/c.yml", "ssl_verify: ca.pem\nclient_ssl_cert: /etc/mirror.pem\n");
    scene.request.config_file = "conf/c.yml";
    scene.variables["CHANMIRROR_CLIENT_SSL_CERT_KEY"] = "mirror.key";
    const Settings settings = scene.loaded().settings;
    CHECK(settings.ca_bundle == scene.dir.path() / "conf/ca.pem");
    CHECK(settings.client_ssl_cert == "/etc/mirror.pem");
    CHECK(settings.client_ssl_cert_key == scene.dir.path() / "mirror.key");
}

TEST_CASE("load: SSL_CERT_FILE counts where nothing else is said") {
    Scene scene;
    scene.variables["SSL_CERT_FILE"] = "/etc/common.pem";
    CHECK(scene.loaded().settings.ca_bundle == "/etc/common.pem");
    CHECK(origin_of(scene.loaded(), "ssl_verify") == "SSL_CERT_FILE");
    scene.write("chanmirror.yml", "ssl_verify: true\n");
    CHECK(scene.loaded().settings.ca_bundle.empty());
}

TEST_CASE("load: ~/ in a root is the home folder") {
    Scene scene;
    scene.write("chanmirror.yml", "root: ~/mirror\n");
    CHECK(scene.loaded().settings.root == "/home/joe/mirror");
    scene.write("chanmirror.yml", "root: '~'\n");
    CHECK(scene.loaded().settings.root == "/home/joe");
    scene.write("chanmirror.yml", "root: ~joe/mirror\n");  // only a shell knows other users' homes
    CHECK(scene.loaded().settings.root == scene.dir.path() / "~joe/mirror");
    scene.write("chanmirror.yml", "root: ~/mirror\n");
    scene.variables.erase("HOME");
    CHECK(scene.error() == "root '~/mirror': HOME is not set; give an absolute path");
}

TEST_CASE("load: without HOME a root must be given") {
    Scene scene;
    scene.variables = {};
    CHECK(scene.error() == "no mirror root: give --root DIR, or set CHANMIRROR_ROOT");
    CHECK(scene.run().error().kind == ErrorKind::usage);
    scene.variables["HOME"] = "not/absolute";
    CHECK(scene.run().error().kind == ErrorKind::usage);
    scene.variables["XDG_DATA_HOME"] = "/data";
    CHECK(scene.loaded().settings.root == "/data/chanmirror");
    scene.variables = {};
    scene.request.root = "/srv/m/";
    CHECK(scene.loaded().settings.root == "/srv/m");
}

TEST_CASE("load: the commented file gives its root and else the defaults") {
    for (const std::string_view root : {"/srv/m", "/srv/a b: #c \"d\" \\e", "/srv/\xc3\xa9"}) {
        Scene scene;
        scene.write("chanmirror.yml", commented_file(root));
        const Loaded loaded = scene.loaded();
        CHECK(loaded.settings.root == root);
        for (const Key& key : keys()) {
            CAPTURE(key.name);
            Settings defaults;
            defaults.root = root;
            CHECK(key.show(loaded.settings) == key.show(defaults));
            CHECK((origin_of(loaded, key.name) == "default") == (key.name != "root"));
        }
    }
}

TEST_CASE("load: every commented key of the commented file can be uncommented") {
    Scene scene;
    std::string text = commented_file("/srv/m");
    for (const Key& key : keys()) {
        const std::string commented = fmt::format("\n# {}: ", key.name);
        if (const auto at = text.find(commented); at != std::string::npos) {
            text.erase(at + 1, 2);
        }
        CHECK(text.find(key.help) != std::string::npos);
    }
    scene.write("chanmirror.yml", text);
    const Loaded loaded = scene.loaded();
    for (const Key& key : keys()) {
        CHECK(origin_of(loaded, key.name) != "default");
    }
}

}  // namespace chm::config
