// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/network/recipe_run.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <queue>
#include <tuple>

#include "base/buffer.hpp"
#include "base/format.hpp"
#include "base/index.hpp"
#include "global/formula/recipe_formula.hpp"
#include "global/line/line.hpp"
#include "global/recipe/placement.hpp"
#include "global/recipe/recipe_text.hpp"
#include "reshape/blocks.hpp"
#include "weft/error.hpp"

namespace weft::fabric {

using global::GlobalProblem;
using global::Recipe;
using reshape::ExchangeKind;
using reshape::ExchangeProblem;
using reshape::Memory;
using reshape::Piece;

namespace {

std::vector<std::vector<int>> ranks_by_node(const std::vector<int>& nodes) {
  std::vector<std::vector<int>> ranks(at(1 + *std::ranges::max_element(nodes)));
  for (int rank = 0; rank < std::ssize(nodes); ++rank) ranks[at(nodes[at(rank)])].push_back(rank);
  std::erase_if(ranks, [](const auto& members) { return members.empty(); });
  return ranks;
}

/// One message per pair of ranks and chunk.
std::vector<RankMessage> pair_messages(const ExchangeProblem& exchange, reshape::BytesOf bytes_of) {
  std::vector<RankMessage> messages;
  for (int from = 0; from < std::ssize(exchange.from); ++from) {
    const auto traffic = outgoing(exchange.from, exchange.to, from, exchange.chunking);
    for (int chunk = 0; chunk < std::ssize(traffic.counts); ++chunk)
      for (int to = 0; to < std::ssize(exchange.to); ++to)
        if (const Index count = traffic.counts[at(chunk)][at(to)]; count > 0 && to != from)
          messages.push_back(
              {from, to, bytes_of(count, exchange.element_bytes), chunk, {{from, to}}});
  }
  return messages;
}

/// MPI_Alltoall: every message of a group is as long as its longest, even what a rank keeps.
std::vector<RankMessage> padded_messages(const ExchangeProblem& exchange) {
  const std::vector<int> color = reshape::groups(exchange.from, exchange.to);
  const int ranks = static_cast<int>(color.size());
  const auto count = [&](int from, int to) {
    return reshape::count_between(exchange.from, exchange.to, from, to);
  };
  std::vector<Index> longest(color.size(), 0);
  for (int from = 0; from < ranks; ++from)
    for (int to = 0; to < ranks; ++to)
      if (color[at(from)] == color[at(to)])
        longest[at(color[at(from)])] = std::max(longest[at(color[at(from)])], count(from, to));
  std::vector<RankMessage> messages;
  for (int from = 0; from < ranks; ++from)
    for (int to = 0; to < ranks; ++to)
      if (const Index most = longest[at(color[at(from)])];
          from != to && color[at(from)] == color[at(to)] && most > 0)
        messages.push_back(
            {from, to, reshape::bytes_with_mark(most, exchange.element_bytes), 0, {{from, to}}});
  return messages;
}

/// One message per pair of nodes, in whole cache lines; the ranks of a node take turns to carry
/// them.
std::vector<RankMessage> node_messages(const ExchangeProblem& exchange,
                                       const std::vector<int>& nodes) {
  const auto members = ranks_by_node(nodes);
  std::vector<RankMessage> messages;
  for (std::size_t a = 0; a < members.size(); ++a)
    for (std::size_t b = 0; b < members.size(); ++b) {
      if (a == b) continue;
      RankMessage message{
          members[a][b % members[a].size()], members[b][a % members[b].size()], 0, 0, {}};
      for (const int from : members[a])
        for (const int to : members[b])
          if (const Index count = reshape::count_between(exchange.from, exchange.to, from, to);
              count > 0) {
            message.bytes += count * exchange.element_bytes;
            message.blocks.emplace_back(from, to);
          }
      message.bytes = round_up(message.bytes, 64);
      if (message.bytes > 0) messages.push_back(std::move(message));
    }
  return messages;
}

/// Messages on their way: who sends when, which link is free when.
class Traveller {
 public:
  explicit Traveller(const RankNetwork& network)
      : network_(network),
        free_(network.topology.links().size(), 0),
        bytes_(network.topology.links().size(), 0) {}

  /// Returns when the last has arrived; calls `arrived` for each, in the order of arrival.
  template <class Arrived>
  double carry(const std::vector<RankMessage>& messages, const Arrived& arrived) {
    std::vector<Trip> trips = departures(messages);
    // Time, number of the message, next hop: earliest first, ties by number.
    using Event = std::tuple<double, std::size_t, std::size_t>;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
    for (std::size_t i = 0; i < trips.size(); ++i) events.emplace(trips[i].start, i, 0);
    double last = 0;
    while (!events.empty()) {
      const auto [time, i, hop] = events.top();
      events.pop();
      Trip& trip = trips[i];
      if (hop == trip.path.size()) {
        if (time < trip.end) {
          events.emplace(trip.end, i, hop);
          continue;
        }
        arrived(messages[i]);
        last = std::max(last, time);
        continue;
      }
      const auto link = static_cast<std::size_t>(trip.path[hop]);
      const double begin = std::max(time, free_[link]);
      free_[link] = begin + static_cast<double>(messages[i].bytes) / speed(link);
      bytes_[link] += messages[i].bytes;
      trip.end = std::max(trip.end, free_[link]);
      events.emplace(begin, i, hop + 1);
    }
    return last;
  }

  double speed(std::size_t link) const {
    return network_.machine.link_bytes_per_s * network_.topology.links()[link].words_per_cycle;
  }
  const std::vector<Index>& bytes() const { return bytes_; }

 private:
  struct Trip {
    Path path;
    double start = 0, end = 0;
  };

  /// Every rank starts its messages one after another, the next higher rank's first, so that not
  /// all speak to one; within a node it copies them.
  std::vector<Trip> departures(const std::vector<RankMessage>& messages) const {
    const int ranks = static_cast<int>(network_.nodes.size());
    std::vector<std::size_t> order(messages.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
      const RankMessage& m = messages[i];
      return std::tuple(m.from, m.chunk, (m.to - m.from + ranks) % ranks);
    });
    const MachineRanks& machine = network_.machine;
    const double copy_bytes_per_s = machine.memory_bytes_per_s / machine.ranks_per_node;
    std::vector<double> clock(at(ranks), 0);
    std::vector<Trip> trips(messages.size());
    for (const std::size_t i : order) {
      const RankMessage& m = messages[i];
      const int from = network_.nodes[at(m.from)], to = network_.nodes[at(m.to)];
      double& now = clock[at(m.from)];
      now += from == to ? 2 * static_cast<double>(m.bytes) / copy_bytes_per_s : machine.message_s;
      trips[i] = {network_.topology.path(from, to), now, now};
    }
    return trips;
  }

  const RankNetwork& network_;
  std::vector<double> free_;  // of every link, seconds
  std::vector<Index> bytes_;
};

std::string stage_name(const global::Stage& stage) {
  if (stage.axes.empty()) return "copy on " + place_text(stage);
  return "transform " + joined(stage.axes, " ") + " on " + place_text(stage);
}

class Runner {
 public:
  Runner(const GlobalProblem& problem, const Recipe& recipe, const RankNetwork& network)
      : problem_(problem), recipe_(recipe), network_(network) {
    if (recipe.strategy == Recipe::Strategy::chirp)
      throw Error(ErrorCode::unsupported,
                  "a chirp is two transforms of a longer line; simulate a length with factors");
    if (recipe.exchange == ExchangeKind::shared && recipe.stages.size() > 1 &&
        ranks_by_node(network.nodes).size() > 1)
      throw Error(ErrorCode::unsupported, "the recipe '" + to_text(recipe) +
                                              "' needs all ranks on one node; use node_aware "
                                              "between nodes");
    staged_ = staged_problem(problem, recipe);
    if (recipe.stages.size() > 1) placement_ = place(staged_, recipe, network.nodes, 0);
    cost_ = predict(problem, recipe, network.nodes, false, model_of(network.machine));
  }

  RecipeRun run(const RankMemory* in, RankMemory* out) {
    RecipeRun result;
    for (std::size_t i = 0; i < recipe_.stages.size(); ++i) {
      const bool is_last = i + 1 == recipe_.stages.size();
      if (!is_last) prepare(i, in != nullptr);
      if (in != nullptr) run_stage(i, *in, *out);
      result.stages.push_back({stage_name(recipe_.stages[i]), cost_.stages[i].compute_s});
      if (is_last) return result;
      result.exchanges.push_back(run_exchange(i, in != nullptr));
    }
    return result;
  }

 private:
  struct Side {
    reshape::Traffic traffic;
    std::vector<std::vector<Block>> blocks;  ///< [chunk][peer]
  };
  struct Sides {
    Side leaving, coming;
    std::vector<std::byte> send, receive;
  };

  int ranks() const { return problem_.ranks(); }
  static std::size_t bytes_of(const reshape::Traffic& traffic, const ExchangeProblem& exchange) {
    return static_cast<std::size_t>(traffic.count() * exchange.element_bytes);
  }

  /// Blocks of the exchange after stage i; what came by the one before is still being read.
  void prepare(std::size_t i, bool with_numbers) {
    before_ = std::move(now_);
    now_.clear();
    if (!with_numbers) return;
    const ExchangeProblem& e = placement_.exchanges[i];
    for (int rank = 0; rank < ranks(); ++rank) {
      Sides sides;
      sides.leaving.traffic = outgoing(e.from, e.to, rank, e.chunking);
      sides.coming.traffic = incoming(e.from, e.to, rank, e.chunking);
      sides.leaving.blocks = dense_blocks(sides.leaving.traffic, e.element_bytes);
      sides.coming.blocks = dense_blocks(sides.coming.traffic, e.element_bytes);
      sides.send.resize(bytes_of(sides.leaving.traffic, e));
      sides.receive.resize(bytes_of(sides.coming.traffic, e));
      now_.push_back(std::move(sides));
    }
  }

  std::vector<Piece> user_pieces(const std::vector<Box>& boxes, Memory memory, Kind kind) const {
    LocalBoxes local;
    for (const Box& box : boxes) local.push_back({.box = box});
    const Precision precision = problem_.precision;
    const Index bytes = memory == Memory::input ? in_element_bytes(kind, precision)
                                                : out_element_bytes(kind, precision);
    const std::vector<Piece> pieces = reshape::pieces_of(local, memory, bytes);
    if (!recipe_.is_matrix()) return pieces;
    const LineSplit split{problem_.axes.front(), recipe_.rows, recipe_.columns};
    return memory == Memory::input ? matrix_input(problem_, split, pieces)
                                   : matrix_output(problem_, split, pieces);
  }

  void run_stage(std::size_t i, const RankMemory& in, RankMemory& out) {
    const Kind kind = problem_.kind;
    const bool is_last = i + 1 == recipe_.stages.size();
    global::StageProblem stage = stage_problem(staged_, recipe_, i);
    const auto distribution = distribution_of(staged_, recipe_.stages[i], stage.in_shape());
    Buffer<std::byte> scratch;
    for (int rank = 0; rank < ranks(); ++rank) {
      const std::size_t r = at(rank);
      stage.in_boxes = distribution[r];
      stage.sources = i == 0 ? user_pieces(problem_.input[r], Memory::input, kind)
                             : pieces_in(before(i)[r].coming.traffic, before(i)[r].coming.blocks,
                                         Memory::receive, element_bytes(i - 1));
      stage.targets = is_last ? user_pieces(problem_.output[r], Memory::output, kind)
                              : pieces_in(now_[r].leaving.traffic, now_[r].leaving.blocks,
                                          Memory::send, element_bytes(i));
      const global::StagePlan plan(stage, {.executor = serial_executor()});
      if (scratch.size() < plan.scratch_bytes()) scratch = Buffer<std::byte>(plan.scratch_bytes());
      reshape::Bases bases{};
      bases[at(static_cast<int>(Memory::input))] = const_cast<std::byte*>(in[r].data());
      bases[at(static_cast<int>(Memory::output))] = out[r].data();
      if (i > 0) bases[at(static_cast<int>(Memory::receive))] = before(i)[r].receive.data();
      if (!is_last) bases[at(static_cast<int>(Memory::send))] = now_[r].send.data();
      plan.run(bases, scratch.data());
    }
  }

  Index element_bytes(std::size_t exchange) const {
    return placement_.exchanges[exchange].element_bytes;
  }
  /// What the exchange before stage i brought.
  std::vector<Sides>& before(std::size_t i) {
    return i + 1 == recipe_.stages.size() ? now_ : before_;
  }

  /// Copies the blocks of a message from the sender's buffer into the receiver's.
  void deliver(int from, int to, int chunk) {
    const Block& source = now_[at(from)].leaving.blocks[at(chunk)][at(to)];
    const Block& target = now_[at(to)].coming.blocks[at(chunk)][at(from)];
    if (source.bytes > 0)
      std::memcpy(now_[at(to)].receive.data() + target.offset,
                  now_[at(from)].send.data() + source.offset,
                  static_cast<std::size_t>(source.bytes));
  }

  /// What no message brings: a rank's own, and what ranks of a node read where its sender wrote it.
  void deliver_at_home() {
    const bool share_memory =
        recipe_.exchange == ExchangeKind::shared || recipe_.exchange == ExchangeKind::node_aware;
    for (int from = 0; from < ranks(); ++from)
      for (int to = 0; to < ranks(); ++to)
        if (from == to || (share_memory && network_.nodes[at(from)] == network_.nodes[at(to)]))
          for (int chunk = 0; chunk < std::ssize(now_[at(from)].leaving.blocks); ++chunk)
            deliver(from, to, chunk);
  }

  ExchangeRun run_exchange(std::size_t i, bool with_numbers) {
    ExchangeRun result;
    result.what = place_text(recipe_.stages[i]) + " > " + place_text(recipe_.stages[i + 1]);
    const auto messages = messages_of(placement_.exchanges[i], recipe_.exchange, network_.nodes);
    for (const RankMessage& message : messages) {
      const bool leaves = network_.nodes[at(message.from)] != network_.nodes[at(message.to)];
      ++result.messages;
      result.bytes += message.bytes;
      result.node_messages += leaves;
      result.node_bytes += leaves ? message.bytes : 0;
    }
    Traveller traveller(network_);
    result.seconds = traveller.carry(messages, [&](const RankMessage& message) {
      if (!with_numbers) return;
      for (const auto& [from, to] : message.blocks) deliver(from, to, message.chunk);
    });
    if (with_numbers) deliver_at_home();
    result.link_bytes = traveller.bytes();
    for (std::size_t link = 0; link < result.link_bytes.size(); ++link) {
      const double seconds = static_cast<double>(result.link_bytes[link]) / traveller.speed(link);
      if (seconds <= result.bound_s) continue;
      result.bound_s = seconds;
      result.busiest = static_cast<LinkId>(link);
    }
    result.predicted_s = cost_.stages[i].exchange_s;
    return result;
  }

  const GlobalProblem& problem_;
  const Recipe& recipe_;
  const RankNetwork& network_;
  GlobalProblem staged_;
  global::Placement placement_;
  global::RecipeCost cost_;
  std::vector<Sides> before_, now_;  // by rank: the last exchange, and the one being written
};

}  // namespace

std::vector<RankMessage> messages_of(const ExchangeProblem& exchange, ExchangeKind kind,
                                     const std::vector<int>& nodes) {
  switch (kind) {
    case ExchangeKind::shared: return {};
    case ExchangeKind::all_to_all: return padded_messages(exchange);
    case ExchangeKind::node_aware: return node_messages(exchange, nodes);
    case ExchangeKind::all_to_all_v: return pair_messages(exchange, reshape::bytes_with_mark);
    default: return pair_messages(exchange, reshape::plain_bytes);
  }
}

double RecipeRun::compute_s() const {
  double sum = 0;
  for (const StageRun& stage : stages) sum += stage.seconds;
  return sum;
}
double RecipeRun::exchange_s() const {
  double sum = 0;
  for (const ExchangeRun& exchange : exchanges) sum += exchange.seconds;
  return sum;
}
std::vector<Index> RecipeRun::link_bytes() const {
  std::vector<Index> sum;
  for (const ExchangeRun& exchange : exchanges) {
    sum.resize(exchange.link_bytes.size());
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += exchange.link_bytes[i];
  }
  return sum;
}

RecipeRun run_recipe(const GlobalProblem& problem, const Recipe& recipe, const RankNetwork& network,
                     const RankMemory& in, RankMemory& out) {
  return Runner(problem, recipe, network).run(&in, &out);
}
RecipeRun count_recipe(const GlobalProblem& problem, const Recipe& recipe,
                       const RankNetwork& network) {
  return Runner(problem, recipe, network).run(nullptr, nullptr);
}

}  // namespace weft::fabric
