// SPDX-License-Identifier: BSD-3-Clause
// Shared memory within a node, one message per pair of nodes. Every rank writes what it has for
// ranks of other nodes into its node's shared memory, where all that goes to one node lies
// together; one rank of the node sends it, another node's rank receives it into that node's shared
// memory, and the owners read it there. What stays on the node is read where its sender wrote it.
#include <algorithm>
#include <map>

#include "base/index.hpp"
#include "reshape/blocks.hpp"

namespace weft::reshape {
namespace {

/// Where each block lies in a node's shared memory. The same on all ranks of the node.
struct NodePlan {
  struct NodeMessage {
    int node;      ///< the other one
    int by, peer;  ///< the rank here and the rank there that carry it
    Block block;
  };
  std::map<std::pair<int, int>, Index> blocks;  ///< (from, to) -> offset in its part of the memory
  std::vector<NodeMessage> sends, receives;
  NodeMemory bytes;
};

std::vector<int> members(const std::vector<int>& nodes, int node) {
  std::vector<int> ranks;
  for (int rank = 0; rank < static_cast<int>(nodes.size()); ++rank)
    if (nodes[static_cast<std::size_t>(rank)] == node) ranks.push_back(rank);
  return ranks;
}

std::vector<int> distinct(std::vector<int> nodes) {
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

/// Who of a node carries the message to or from the node with the given position: they take turns.
int carrier(const std::vector<int>& ranks, std::size_t position) {
  return ranks[position % ranks.size()];
}

class Planner {
 public:
  Planner(const std::vector<int>& nodes, const ExchangeProblem& problem, int rank)
      : nodes_(nodes),
        all_(distinct(nodes)),
        problem_(problem),
        mine_(nodes[static_cast<std::size_t>(rank)]),
        here_(members(nodes, mine_)) {}

  NodePlan plan() {
    add_blocks(here_, here_, plan_.bytes.local);
    for (std::size_t position = 0; position < all_.size(); ++position) {
      const int other = all_[position];
      if (other == mine_) continue;
      const std::vector<int> there = members(nodes_, other);
      const std::size_t own_position =
          static_cast<std::size_t>(std::ranges::find(all_, mine_) - all_.begin());
      const int by = carrier(here_, position), peer = carrier(there, own_position);
      add_message(plan_.sends, {other, by, peer, add_blocks(here_, there, plan_.bytes.send)});
      add_message(plan_.receives, {other, by, peer, add_blocks(there, here_, plan_.bytes.receive)});
    }
    return std::move(plan_);
  }

 private:
  /// Behind what is in that part of the memory already. Both ends walk the ranks in this order, so
  /// that a message's inner offsets agree.
  Block add_blocks(const std::vector<int>& from, const std::vector<int>& to, Index& bytes) {
    const Index begin = bytes;
    for (int sender : from)
      for (int receiver : to) {
        plan_.blocks[{sender, receiver}] = bytes;
        bytes +=
            count_between(problem_.from, problem_.to, sender, receiver) * problem_.element_bytes;
      }
    bytes = round_up(bytes, 64);
    return {begin, bytes - begin};
  }
  static void add_message(std::vector<NodePlan::NodeMessage>& messages,
                          const NodePlan::NodeMessage& message) {
    if (message.block.bytes > 0) messages.push_back(message);
  }

  const std::vector<int>& nodes_;
  std::vector<int> all_;
  const ExchangeProblem& problem_;
  int mine_;
  std::vector<int> here_;
  NodePlan plan_;
};

class NodeAware final : public Exchange {
 public:
  NodeAware(const Comm& comm, const ExchangeProblem& problem, std::shared_ptr<const Comm> node,
            const NodeMemory& offsets)
      : comm_(comm),
        node_(std::move(node)),
        nodes_(comm.nodes()),
        offsets_(offsets),
        element_bytes_(problem.element_bytes),
        plan_(Planner(comm.nodes(), problem, comm.rank()).plan()),
        outgoing_(reshape::outgoing(problem.from, problem.to, comm.rank())),
        incoming_(reshape::incoming(problem.from, problem.to, comm.rank())) {}

  std::vector<Piece> outgoing() const override {
    return pieces(outgoing_, offsets_.send,
                  [&](int peer) { return std::pair(comm_.rank(), peer); });
  }
  std::vector<Piece> incoming() const override {
    return pieces(incoming_, offsets_.receive,
                  [&](int peer) { return std::pair(peer, comm_.rank()); });
  }
  Index messages() const override {
    return std::ranges::count_if(plan_.sends, [&](const auto& m) { return m.by == comm_.rank(); });
  }
  Index message_bytes() const override {
    Index bytes = 0;
    for (const auto& message : plan_.sends)
      if (message.by == comm_.rank()) bytes += message.block.bytes;
    return bytes;
  }

  void complete(const Bases& bases) override {
    start(bases);
    while (phase_ != Phase::done) {
      for (auto& request : requests_) request->wait();
      advance();
    }
  }
  void start(const Bases& bases) override {
    memory_ = bases[static_cast<std::size_t>(Memory::shared)];
    phase_ = Phase::writing;
    requests_.clear();
    requests_.push_back(node_->start_barrier());
  }
  bool test() override {
    while (phase_ != Phase::done) {
      while (!requests_.empty() && requests_.back()->test()) requests_.pop_back();
      if (!requests_.empty()) return false;
      advance();
    }
    return true;
  }

 private:
  /// What is being waited for: all ranks of the node to have written, the messages, all of the node
  /// to have received.
  enum class Phase { writing, travelling, arriving, done };

  void advance() {
    requests_.clear();
    if (phase_ == Phase::writing) {
      for (const auto& message : plan_.receives)
        if (message.by == comm_.rank())
          requests_.push_back(comm_.start_receive(memory_ + offsets_.receive + message.block.offset,
                                                  message.block.bytes, message.peer, 0));
      for (const auto& message : plan_.sends)
        if (message.by == comm_.rank())
          requests_.push_back(comm_.start_send(memory_ + offsets_.send + message.block.offset,
                                               message.block.bytes, message.peer, 0));
      phase_ = Phase::travelling;
    } else if (phase_ == Phase::travelling) {
      requests_.push_back(node_->start_barrier());
      phase_ = Phase::arriving;
    } else {
      phase_ = Phase::done;
    }
  }

  /// `abroad`: where what goes to, or comes from, other nodes lies.
  template <class Pair>
  std::vector<Piece> pieces(const Traffic& traffic, Index abroad, const Pair& pair) const {
    const auto node_of = [&](int rank) { return nodes_[static_cast<std::size_t>(rank)]; };
    std::vector<Piece> pieces;
    for (const Part& part : traffic.parts) {
      const bool stays = node_of(part.peer) == node_of(comm_.rank());
      const Index block = (stays ? offsets_.local : abroad) + plan_.blocks.at(pair(part.peer));
      pieces.push_back({part.box, Memory::shared, block + part.offset * element_bytes_,
                        dense_strides(part.box)});
    }
    return pieces;
  }

  const Comm& comm_;
  std::shared_ptr<const Comm> node_;
  std::vector<int> nodes_;
  NodeMemory offsets_;
  Index element_bytes_;
  NodePlan plan_;
  Traffic outgoing_, incoming_;
  std::byte* memory_ = nullptr;
  Phase phase_ = Phase::done;
  std::vector<std::unique_ptr<Request>> requests_;
};

}  // namespace

std::unique_ptr<Exchange> make_node_aware(const Comm& comm, const ExchangeProblem& problem,
                                          std::shared_ptr<const Comm> node,
                                          const NodeMemory& offsets) {
  return std::make_unique<NodeAware>(comm, problem, std::move(node), offsets);
}

NodeMemory node_aware_bytes(const std::vector<int>& nodes, const ExchangeProblem& problem,
                            int rank) {
  return Planner(nodes, problem, rank).plan().bytes;
}

}  // namespace weft::reshape
