// CEP 42: discovery from the heads outwards, then a depth-first topological sort that puts a
// channel's predecessors right before it, so that related channels stand together.
#include "conda/channel_relations.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace chm::conda {

namespace {

constexpr std::size_t k_max_channels = 64;  // real chains have two or three
constexpr std::string_view k_up = "../";

tl::unexpected<Error> refuse(const Channel& declaring, std::string_view what) {
    return fail(ErrorKind::integrity,
                fmt::format("channel '{}': its channel_relations (CEP 42) {}; set "
                            "channel_relations_max_depth to 0 to solve without them",
                            declaring.name,
                            what));
}

struct Node {
    RelatedChannel related;
    unsigned depth = 0;
    std::vector<std::size_t> before;  // nodes of higher priority
};

class Graph {
public:
    Graph(const RelationsOf& relations_of, unsigned max_depth)
        : relations_of_(relations_of), max_depth_(max_depth) {}

    Result<> build(const std::vector<Channel>& heads) {
        for (const Channel& head : heads) {
            if (!find(head)) {
                nodes_.push_back({{head, ""}, 0, {}});
            }
        }
        heads_ = nodes_.size();
        for (std::size_t i = 1; i < heads_; ++i) {
            nodes_[i].before.push_back(i - 1);
        }
        for (std::size_t i = 0; max_depth_ > 0 && i < nodes_.size(); ++i) {  // grows as it goes
            CHM_CHECK(discover(i));
        }
        return {};
    }

    Result<std::vector<RelatedChannel>> sort() {
        states_.assign(nodes_.size(), State::untouched);
        for (std::size_t head = 0; head < heads_; ++head) {
            CHM_CHECK(visit(head));
            for (std::size_t i = heads_; i < nodes_.size(); ++i) {  // what this head led to
                if (root_of(i) == head) {
                    CHM_CHECK(visit(i));
                }
            }
        }
        return std::move(sorted_);
    }

private:
    enum class State { untouched, open, done };

    [[nodiscard]] std::optional<std::size_t> find(const Channel& channel) const {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].related.channel.name == channel.name) {
                return i;
            }
        }
        return std::nullopt;
    }

    Result<> discover(std::size_t declaring) {
        const Channel channel = nodes_[declaring].related.channel;
        for (const ChannelRelations& relations : relations_of_(channel)) {
            std::optional<Channel> base;
            if (!relations.base.empty()) {
                CHM_TRY(base, related_channel(channel, relations.base));
                CHM_TRY(const std::size_t node, node_of(*base, declaring, "base of"));
                add_edge(node, declaring);
            }
            if (!relations.overrides.empty()) {
                CHM_TRY(Channel overridden, related_channel(channel, relations.overrides));
                if (base && base->name == overridden.name) {
                    return refuse(channel, "name one channel both as base and as overrides");
                }
                CHM_TRY(const std::size_t node, node_of(overridden, declaring, "overridden by"));
                add_edge(declaring, node);
            }
        }
        return {};
    }

    Result<std::size_t> node_of(const Channel& channel,
                                std::size_t declaring,
                                std::string_view relation) {
        if (const auto known = find(channel)) {
            return *known;
        }
        const Node& from = nodes_[declaring];
        if (from.depth >= max_depth_) {
            return refuse(
                from.related.channel,
                fmt::format("lead more than {} channels away from the ones asked for", max_depth_));
        }
        if (nodes_.size() >= k_max_channels) {
            return refuse(from.related.channel,
                          fmt::format("lead to more than {} channels", k_max_channels));
        }
        Node node{{channel, fmt::format("{} {}", relation, from.related.channel.name)},
                  from.depth + 1,
                  {}};
        nodes_.push_back(std::move(node));
        roots_.push_back(root_of(declaring));
        return nodes_.size() - 1;
    }

    /// The head whose relations brought the node.
    [[nodiscard]] std::size_t root_of(std::size_t node) const {
        return node < heads_ ? node : roots_[node - heads_];
    }

    /// `before` has the higher priority, unless the user said otherwise.
    void add_edge(std::size_t before, std::size_t after) {
        const bool both_asked_for = before < heads_ && after < heads_;
        if (!both_asked_for) {
            nodes_[after].before.push_back(before);
        }
    }

    Result<> visit(std::size_t i) {  // at most k_max_channels deep
        if (states_[i] == State::done) {
            return {};
        }
        if (states_[i] == State::open) {
            return refuse(nodes_[i].related.channel, "form a cycle");
        }
        states_[i] = State::open;
        for (const std::size_t before : nodes_[i].before) {
            CHM_CHECK(visit(before));
        }
        states_[i] = State::done;
        sorted_.push_back(nodes_[i].related);
        return {};
    }

    const RelationsOf& relations_of_;
    unsigned max_depth_;
    std::vector<Node> nodes_;  // the heads first
    std::size_t heads_ = 0;
    std::vector<std::size_t> roots_;  // of nodes_ behind the heads
    std::vector<State> states_;
    std::vector<RelatedChannel> sorted_;
};

}  // namespace

Result<Channel> related_channel(const Channel& declaring, std::string_view reference) {
    const std::string shown = fmt::format("hold '{}'", printable(reference, 80));
    const bool is_upwards = reference == ".." || reference.starts_with(k_up);
    if (!is_upwards || reference.size() > 256) {
        return refuse(declaring, shown + ", which is no path that begins with '../'");
    }
    const std::size_t authority = declaring.url.find("://") + 3;
    std::string url = declaring.url;
    for (const std::string_view segment : split(reference, '/')) {
        if (segment.empty()) {
            continue;
        }
        if (segment != "..") {
            url += fmt::format("/{}", segment);
            continue;
        }
        const std::size_t slash = url.rfind('/');
        if (slash == std::string::npos || slash < authority) {
            return refuse(declaring, shown + ", which leads out of its server");
        }
        url.resize(slash);
    }
    auto channel = parse_channel(url);
    if (!channel) {
        return refuse(declaring, shown + ", which names no channel");
    }
    return channel;
}

Result<std::vector<RelatedChannel>> with_related_channels(const std::vector<Channel>& heads,
                                                          const RelationsOf& relations_of,
                                                          unsigned max_depth) {
    Graph graph(relations_of, max_depth);
    CHM_CHECK(graph.build(heads));
    return graph.sort();
}

}  // namespace chm::conda
