// Finds the configuration file and lays its values, the environment's and the flags' over the
// defaults.
#include "config/load.hpp"

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "config/keys.hpp"
#include "config/yaml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace chm::config {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t k_max_file_bytes = 1 << 20;
constexpr std::size_t k_longest_path = 4096;

class Loader {
public:
    Loader(const LoadRequest& request, const Environment& environment)
        : request_(request), environment_(environment) {
        for (const Key& key : keys()) {
            loaded_.origins.push_back({std::string(key.name), "default"});
        }
    }

    Result<Loaded> run() {
        CHM_CHECK(read_config_file());
        CHM_CHECK(read_environment());
        CHM_CHECK(read_flags());
        CHM_CHECK(settle_root());
        settle_network_files();
        return std::move(loaded_);
    }

private:
    [[nodiscard]] std::optional<std::string> variable(std::string_view name) const {
        auto value = environment_(name);
        return value && !value->empty() ? value : std::nullopt;
    }

    [[nodiscard]] std::optional<fs::path> home_folder(std::string_view xdg_variable,
                                                      std::string_view below_home) const {
        if (const auto xdg = variable(xdg_variable); xdg && fs::path(*xdg).is_absolute()) {
            return fs::path(*xdg);
        }
        if (const auto home = variable("HOME"); home && fs::path(*home).is_absolute()) {
            return fs::path(*home) / below_home;
        }
        return std::nullopt;
    }

    /// A named file must exist; an unnamed one may.
    [[nodiscard]] std::optional<fs::path> choose_config_file() const {
        if (request_.config_file) {
            return request_.working_directory / *request_.config_file;
        }
        if (const auto named = variable("CHANMIRROR_CONFIG")) {
            return request_.working_directory / *named;
        }
        std::error_code ignored;
        const fs::path here = request_.working_directory / "chanmirror.yml";
        if (fs::exists(here, ignored)) {
            return here;
        }
        if (const auto folder = home_folder("XDG_CONFIG_HOME", ".config")) {
            const fs::path users = *folder / "chanmirror" / "config.yml";
            if (fs::exists(users, ignored)) {
                return users;
            }
        }
        return std::nullopt;
    }

    Result<> read_config_file() {
        const auto path = choose_config_file();
        if (!path) {
            return {};
        }
        auto text = read_file(*path, k_max_file_bytes);
        if (!text) {
            return fail(ErrorKind::config, std::move(text).error().message);
        }
        const std::string name = printable(path->string(), k_longest_path);
        CHM_TRY(const YamlNode document, parse_yaml(*text, name));
        loaded_.config_file = *path;
        if (const YamlList* list = document.list(); list != nullptr && list->empty()) {
            return {};  // an empty file, or only comments
        }
        if (document.map() == nullptr) {
            return fail(
                ErrorKind::config,
                fmt::format(
                    "{}:{}: expected keys, such as 'root: /srv/chanmirror'", name, document.line));
        }
        for (const YamlMember& member : *document.map()) {
            CHM_CHECK(apply(member, fmt::format("{}:{}", name, member.line)));
        }
        return {};
    }

    Result<> apply(const YamlMember& member, const std::string& where) {
        const Key* key = find_key(member.key);
        if (key == nullptr) {
            std::vector<std::string> names;
            for (const Key& known : keys()) {
                names.emplace_back(known.name);
            }
            return fail(ErrorKind::config,
                        fmt::format("{}: unknown key '{}'{}",
                                    where,
                                    printable(member.key),
                                    did_you_mean(member.key, names)));
        }
        return set(*key, member.node, where);
    }

    Result<> set(const Key& key, const YamlNode& node, const std::string& where) {
        if (auto result = key.set(loaded_.settings, node); !result) {
            return fail(ErrorKind::config,
                        fmt::format("{}: {}: {}", where, key.name, result.error().message));
        }
        origin_of(key.name).where = where;
        return {};
    }

    Result<> read_environment() {
        for (const Key& key : keys()) {
            CHM_CHECK(read_variable(key));
        }
        return {};
    }

    Result<> read_variable(const Key& key) {
        const auto value = key.environment.empty() ? std::nullopt : variable(key.environment);
        if (!value) {
            return {};
        }
        root_is_from_file_ = root_is_from_file_ && key.name != "root";
        return set(key, YamlNode{0, *value}, std::string(key.environment));
    }

    /// A file that is named in the configuration file starts at that file's folder, like the root.
    /// SSL_CERT_FILE is where programs that use OpenSSL look when they are told nothing else.
    void settle_network_files() {
        Settings& settings = loaded_.settings;
        for (const auto& [key, file] :
             {std::pair{"ssl_verify", &settings.ca_bundle},
              std::pair{"client_ssl_cert", &settings.client_ssl_cert},
              std::pair{"client_ssl_cert_key", &settings.client_ssl_cert_key}}) {
            if (!file->empty() && file->is_relative()) {
                const bool from_file =
                    loaded_.config_file && origin_of(key).where != find_key(key)->environment;
                *file =
                    (from_file ? loaded_.config_file->parent_path() : request_.working_directory) /
                    *file;
            }
        }
        const auto common = variable("SSL_CERT_FILE");
        if (Origin& origin = origin_of("ssl_verify"); common && origin.where == "default") {
            settings.ca_bundle = request_.working_directory / *common;
            origin.where = "SSL_CERT_FILE";
        }
    }

    Origin& origin_of(std::string_view key) {
        return *std::ranges::find(loaded_.origins, key, &Origin::key);
    }

    Result<> read_flags() {
        if (!request_.root) {
            return {};
        }
        root_is_from_file_ = false;
        return set(*find_key("root"), YamlNode{0, request_.root->string()}, "--root");
    }

    /// Makes the root absolute: a relative one starts at the file that names it, or at the working
    /// directory when a flag or variable does; "~/" is the home folder, which no shell has expanded
    /// in a file.
    Result<> settle_root() {
        fs::path& root = loaded_.settings.root;
        if (root.empty()) {
            const auto data = home_folder("XDG_DATA_HOME", ".local/share");
            if (!data) {
                return fail(ErrorKind::usage,
                            "no mirror root: give --root DIR, or set CHANMIRROR_ROOT");
            }
            root = *data / "chanmirror";
            return {};
        }
        if (const std::string text = root.string(); text == "~" || text.starts_with("~/")) {
            const auto home = variable("HOME");
            if (!home) {
                return fail(ErrorKind::config,
                            fmt::format("root '{}': HOME is not set; give an absolute path",
                                        printable(text)));
            }
            root = fs::path(*home) / text.substr(std::min<std::size_t>(2, text.size()));
        }
        if (root.is_relative()) {
            const bool from_file = root_is_from_file_ && loaded_.config_file;
            root = (from_file ? loaded_.config_file->parent_path() : request_.working_directory) /
                   root;
        }
        root = root.lexically_normal();
        if (!root.has_filename() && root.has_relative_path()) {
            root = root.parent_path();  // "/srv/m/" and "/srv/m" are one root
        }
        return {};
    }

    const LoadRequest& request_;
    const Environment& environment_;
    Loaded loaded_;
    bool root_is_from_file_ = true;  // until a variable or flag names it
};

}  // namespace

Result<Loaded> load(const LoadRequest& request, const Environment& environment) {
    return Loader(request, environment).run();
}

std::string commented_file(const fs::path& root) {
    std::string text =
        "# chanmirror configuration. Every key is optional; a commented one shows its default or "
        "an example.\n";
    for (const Key& key : keys()) {
        text += fmt::format("\n# {}\n", key.help);
        if (key.name == "root") {
            text +=
                fmt::format("root: {}\n", to_json(Json(root.string())));  // JSON strings are YAML
        } else {
            text += fmt::format("# {}: {}\n", key.name, key.example);
        }
    }
    return text;
}

}  // namespace chm::config
