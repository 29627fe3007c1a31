// SPDX-License-Identifier: BSD-3-Clause
// Shared memory within a node, one message per pair of nodes. Every rank writes its data for other
// nodes into its node's shared memory, where all data for one node are contiguous. One rank of the
// node sends them as one message; one rank of the other node receives it into that node's shared
// memory, where the ranks read their parts. Data that stay on the node are read where the sender
// wrote them. A rank whose data are not valid says so in its node's memory; the node's messages are
// then void, and so the other nodes hear of it.
#include <algorithm>
#include <atomic>
#include <map>

#include "base/index.hpp"
#include "comm/agree.hpp"
#include "comm/transfers.hpp"
#include "reshape/blocks.hpp"

namespace weft::reshape {
namespace {

/// The place of each block in a node's shared memory. The same on all ranks of the node.
struct NodePlan {
  struct NodeMessage {
    int node;      ///< the other node
    int by, peer;  ///< the ranks of this and of the other node that send and receive the message
    Block block;
  };
  std::map<std::pair<int, int>, Index> blocks;  ///< (from, to) -> offset in its area of the memory
  std::vector<NodeMessage> sends, receives;
  NodeMemory bytes;
};

std::vector<int> members(const std::vector<int>& nodes, int node) {
  std::vector<int> ranks;
  for (int rank = 0; rank < static_cast<int>(nodes.size()); ++rank)
    if (nodes[static_cast<std::size_t>(rank)] == node) ranks.push_back(rank);
  return ranks;
}

/// The ranks of every node, by its number.
std::map<int, std::vector<int>> ranks_by_node(const std::vector<int>& nodes) {
  std::map<int, std::vector<int>> ranks;
  for (int rank = 0; rank < static_cast<int>(nodes.size()); ++rank)
    ranks[nodes[static_cast<std::size_t>(rank)]].push_back(rank);
  return ranks;
}

/// The rank of a node that sends or receives the message for the node with the given position; the
/// ranks take turns.
int carrier(const std::vector<int>& ranks, std::size_t position) {
  return ranks[position % ranks.size()];
}

class Planner {
 public:
  Planner(const std::vector<int>& nodes, const ExchangeProblem& problem, int rank)
      : all_(ranks_by_node(nodes)),
        problem_(problem),
        mine_(nodes[static_cast<std::size_t>(rank)]),
        here_(all_.at(mine_)) {}

  NodePlan plan() {
    add_blocks(here_, here_, plan_.bytes.local);
    const auto own_position =
        static_cast<std::size_t>(std::distance(all_.begin(), all_.find(mine_)));
    std::size_t next = 0;
    for (const auto& [other, there] : all_) {
      const std::size_t position = next++;
      if (other == mine_) continue;
      const int by = carrier(here_, position), peer = carrier(there, own_position);
      add_message(plan_.sends, {other, by, peer, add_blocks(here_, there, plan_.bytes.send)});
      add_message(plan_.receives, {other, by, peer, add_blocks(there, here_, plan_.bytes.receive)});
    }
    return std::move(plan_);
  }

 private:
  /// Appends blocks to that area of the memory. Sender and receiver visit the ranks in the same
  /// order, so that the offsets within a message agree.
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

  std::map<int, std::vector<int>> all_;  ///< ranks by node
  const ExchangeProblem& problem_;
  int mine_;
  const std::vector<int>& here_;
  NodePlan plan_;
};

class NodeAware final : public Exchange {
 public:
  NodeAware(const Comm& comm, const ExchangeProblem& problem, const NodeMemory& offsets)
      : comm_(comm),
        nodes_(comm.nodes()),
        offsets_(offsets),
        element_bytes_(problem.element_bytes),
        plan_(Planner(comm.nodes(), problem, comm.rank()).plan()),
        outgoing_(reshape::outgoing(problem.from, problem.to, comm.rank())),
        incoming_(reshape::incoming(problem.from, problem.to, comm.rank())) {
    for (const auto& message : plan_.receives)
      if (message.by == comm.rank())
        receives_.add(comm.prepare_receive(message.block.bytes, message.peer, 0),
                      offsets_.receive + message.block.offset);
    for (const auto& message : plan_.sends)
      if (message.by == comm.rank())
        sends_.add(comm.prepare_send(message.block.bytes, message.peer, 0),
                   offsets_.send + message.block.offset);
  }

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

  void connect(const std::shared_ptr<const Comm>& node, const Bases&) override {
    agree(comm_, [&] { barrier_ = node->prepare_barrier(); });
  }
  /// The ranks of this node, and of those that send it messages.
  Tells tells() const override { return comm_.can_send_void() ? Tells::peers : Tells::nobody; }
  std::vector<int> heard_peers() const override {
    std::vector<int> peers;
    for (int rank = 0; rank < comm_.size(); ++rank) {
      const int node = nodes_[at(rank)];
      if (node == nodes_[at(comm_.rank())] ||
          std::ranges::any_of(plan_.receives, [&](const auto& m) { return m.node == node; }))
        peers.push_back(rank);
    }
    return peers;
  }
  bool has_heard_void() const override { return node_is_void(); }
  void complete(const Bases& bases) override {
    start(bases);
    while (phase_ != Phase::done) {
      if (phase_ == Phase::travelling) {
        receives_.wait();
        sends_.wait();
      } else {
        barrier_->wait();
      }
      advance();
    }
  }
  void start(const Bases& bases) override {
    memory_ = bases[static_cast<std::size_t>(Memory::shared)];
    phase_ = Phase::writing;
    if (is_void_) void_execution().store(execution_);
    barrier_->start(nullptr, nullptr);
  }
  bool test() override {
    while (phase_ != Phase::done) {
      if (!is_over()) return false;
      advance();
    }
    return true;
  }

 private:
  /// What the exchange waits for: until all ranks of the node have written; until the messages have
  /// arrived; until all ranks of the node have received theirs.
  enum class Phase { writing, travelling, arriving, done };

  bool is_over() {
    if (phase_ != Phase::travelling) return barrier_->test();
    const bool have_come = receives_.test();
    return sends_.test() && have_come;
  }
  /// The last execution in which a rank of this node was void, or has heard of one. All ranks of
  /// the node have read it before the next exchange's messages arrive.
  std::atomic_ref<std::uint64_t> void_execution() const {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(memory_ - shared_head));
  }
  bool node_is_void() const { return void_execution().load() == execution_; }

  void advance() {
    if (phase_ == Phase::writing) {
      receives_.start(memory_, memory_);
      if (node_is_void() && comm_.can_send_void())
        sends_.start_void();
      else
        sends_.start(memory_, memory_);
      phase_ = Phase::travelling;
    } else if (phase_ == Phase::travelling) {
      if (receives_.is_void()) void_execution().store(execution_);
      barrier_->start(nullptr, nullptr);
      phase_ = Phase::arriving;
    } else {
      phase_ = Phase::done;
    }
  }

  /// `abroad`: the place of data that go to, or come from, other nodes.
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
  std::vector<int> nodes_;
  NodeMemory offsets_;
  Index element_bytes_;
  NodePlan plan_;
  Traffic outgoing_, incoming_;
  std::byte* memory_ = nullptr;
  Phase phase_ = Phase::done;
  Transfers receives_, sends_;
  std::unique_ptr<Transfer> barrier_;  ///< of the ranks of this node
};

}  // namespace

std::unique_ptr<Exchange> make_node_aware(const Comm& comm, const ExchangeProblem& problem,
                                          const NodeMemory& offsets) {
  return std::make_unique<NodeAware>(comm, problem, offsets);
}

namespace {

/// `count` of the ranks, evenly spread over them; all if there are fewer.
std::vector<int> some_of(const std::vector<int>& ranks, int count) {
  const auto all = static_cast<Index>(ranks.size());
  if (all <= count) return ranks;
  std::vector<int> some;
  for (Index i = 0; i < count; ++i)
    some.push_back(ranks[static_cast<std::size_t>(i * all / count)]);
  return some;
}

/// Bytes that the ranks `some`, which speak for `all` of their node, send to the ranks of each
/// node.
std::map<int, Index> bytes_by_node(const std::vector<int>& nodes, const ArrayDistribution& from,
                                   const ArrayDistribution& to, Index element_bytes,
                                   const std::vector<int>& some, std::size_t all) {
  std::map<int, Index> bytes;
  for (const int rank : some)
    for (const auto& [peer, elements] : outgoing_counts(from, to, rank))
      bytes[nodes[at(peer)]] += elements * element_bytes;
  if (some.size() < all)
    for (auto& [node, sum] : bytes)
      sum = static_cast<Index>(static_cast<double>(sum) * static_cast<double>(all) /
                               static_cast<double>(some.size()));
  return bytes;
}

}  // namespace

NodeMemory node_aware_bytes(const std::vector<int>& nodes, const ExchangeProblem& problem, int rank,
                            int looked_at) {
  const int mine = nodes[at(rank)];
  const std::vector<int> here = members(nodes, mine), some = some_of(here, looked_at);
  NodeMemory memory;
  for (const auto& [node, bytes] :
       bytes_by_node(nodes, problem.from, problem.to, problem.element_bytes, some, here.size()))
    (node == mine ? memory.local : memory.send) += round_up(bytes, 64);
  for (const auto& [node, bytes] :
       bytes_by_node(nodes, problem.to, problem.from, problem.element_bytes, some, here.size()))
    if (node != mine) memory.receive += round_up(bytes, 64);
  return memory;
}

}  // namespace weft::reshape
