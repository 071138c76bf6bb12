// yaml-cpp behind a fence: its exceptions become Errors with a line, its shared nodes become a
// bounded tree.
#include "config/yaml.hpp"

#include "base/text.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>
#include <string>
#include <unordered_set>

namespace chm::config {
namespace {

constexpr int k_max_depth = 64;
constexpr int k_max_nodes = 100'000;

class TreeBuilder {
public:
    explicit TreeBuilder(std::string_view name) : name_(name) {}

    Result<YamlNode> build(const YAML::Node& node, int depth) {
        if (depth > k_max_depth) {
            return error(line_of(node), "nested too deeply");
        }
        if (++nodes_ > k_max_nodes) {
            return error(line_of(node), "too many values (aliases expanded)");
        }
        switch (node.Type()) {
            case YAML::NodeType::Scalar:
                return YamlNode{line_of(node), node.Scalar()};
            case YAML::NodeType::Sequence:
                return build_list(node, depth);
            case YAML::NodeType::Map:
                return build_map(node, depth);
            default:
                return YamlNode{line_of(node), YamlList{}};
        }
    }

private:
    static int line_of(const YAML::Node& node) { return node.Mark().line + 1; }

    [[nodiscard]] tl::unexpected<Error> error(int line, std::string_view what) const {
        return fail(ErrorKind::config, fmt::format("{}:{}: {}", name_, line, what));
    }

    Result<YamlNode> build_list(const YAML::Node& node, int depth) {
        YamlList items;
        for (const auto& item : node) {
            CHM_TRY(YamlNode child, build(item, depth + 1));
            items.push_back(std::move(child));
        }
        return YamlNode{line_of(node), std::move(items)};
    }

    Result<YamlNode> build_map(const YAML::Node& node, int depth) {
        YamlMap members;
        std::unordered_set<std::string> seen;
        for (const auto& member : node) {
            if (!member.first.IsScalar()) {
                return error(line_of(member.first), "a key must be a plain text");
            }
            const std::string& key = member.first.Scalar();
            const int line = line_of(member.first);
            if (!seen.insert(key).second) {
                return error(line, fmt::format("key '{}' is given twice", printable(key)));
            }
            CHM_TRY(YamlNode child, build(member.second, depth + 1));
            members.push_back({key, line, std::move(child)});
        }
        return YamlNode{line_of(node), std::move(members)};
    }

    std::string_view name_;
    int nodes_ = 0;
};

/// Notes where each document begins and drops everything else.
class DocumentStarts : public YAML::EventHandler {
public:
    void OnDocumentStart(const YAML::Mark& mark) override { line = mark.line + 1; }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
    void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
    void OnScalar(const YAML::Mark&,
                  const std::string&,
                  YAML::anchor_t,
                  const std::string&) override {}
    void OnSequenceStart(const YAML::Mark&,
                         const std::string&,
                         YAML::anchor_t,
                         YAML::EmitterStyle::value) override {}
    void OnSequenceEnd() override {}
    void OnMapStart(const YAML::Mark&,
                    const std::string&,
                    YAML::anchor_t,
                    YAML::EmitterStyle::value) override {}
    void OnMapEnd() override {}

    int line = 0;
};

/// The line where a second document begins; 0: there is none. Not YAML::LoadAll: for ",a" (and all
/// that begins with a lone flow character) yaml-cpp finds empty documents for ever.
int second_document(const std::string& text) {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    DocumentStarts starts;
    const bool has_second = parser.HandleNextDocument(starts) && parser.HandleNextDocument(starts);
    return has_second ? starts.line : 0;
}

}  // namespace

Result<YamlNode> parse_yaml(std::string_view text, std::string_view name) {
    try {
        const std::string document(text);
        if (const int line = second_document(document); line > 0) {
            return fail(
                ErrorKind::config,
                fmt::format("{}:{}: a second document begins; only one is read", name, line));
        }
        return TreeBuilder(name).build(YAML::Load(document), 0);
    } catch (const YAML::Exception& exception) {
        return fail(
            ErrorKind::config,
            fmt::format("{}:{}: not valid YAML: {}", name, exception.mark.line + 1, exception.msg));
    }
}

}  // namespace chm::config
