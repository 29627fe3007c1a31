// SPDX-License-Identifier: BSD-3-Clause
#include "global/model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/index.hpp"
#include "global/line.hpp"
#include "global/placement.hpp"

namespace weft::global {
namespace {

Index largest_count(const Layout& layout) {
  Index largest = 0;
  for (const auto& boxes : layout) {
    Index count = 0;
    for (const Box& box : boxes) count += box.count();
    largest = std::max(largest, count);
  }
  return largest;
}

struct Pricer {
  const GlobalProblem& problem;
  const Recipe& recipe;
  const std::vector<int>& nodes;
  const NetworkModel& model;

  int ranks() const { return problem.ranks(); }

  /// Reads its boxes and writes them, and computes.
  double compute_s(std::size_t index) const {
    const StageProblem stage = stage_problem(problem, recipe, index);
    const Layout layout = layout_of(problem, recipe.stages[index], stage.in_shape);
    const double count = static_cast<double>(largest_count(layout));
    double flops = 0;
    for (int axis : stage.axes) flops += point_flops(axis, stage);
    if (problem.transform.kind != Kind::c2c) flops /= 2;
    const double bytes =
        count * static_cast<double>(in_element_bytes(stage.kind, stage.precision) +
                                    out_element_bytes(stage.kind, stage.precision));
    // Cutting the axis that is adjacent in memory makes short runs.
    const int last = problem.ndim() - 1;
    const double runs = reshape::is_whole(layout, stage.in_shape, last) ? 1.0 : 1.15;
    return count * flops / model.flops_per_s + runs * bytes / model.memory_bandwidth;
  }

  /// Lengths with prime factors that have no kernel are convolutions of about twice the length.
  static double point_flops(int axis, const StageProblem& stage) {
    const Index n = std::max(stage.in_shape[static_cast<std::size_t>(axis)],
                             stage.out_shape[static_cast<std::size_t>(axis)]);
    const double plain = 5 * std::log2(std::max(2.0, static_cast<double>(n)));
    return largest_prime_factor(n) > 13 ? 5 * plain : plain;
  }

  StageCost exchange(const reshape::ExchangeProblem& p, int rank) const {
    StageCost cost;
    const auto traffic = reshape::outgoing(p.from, p.to, rank);
    const auto me = static_cast<std::size_t>(rank);
    double near = 0, far = 0;
    std::set<int> far_nodes;
    for (int peer = 0; peer < ranks(); ++peer) {
      const auto i = static_cast<std::size_t>(peer);
      const Index bytes = traffic.counts[0][i] * p.element_bytes;
      if (bytes == 0 || peer == rank) continue;
      ++cost.messages;
      cost.message_bytes += bytes;
      if (nodes[i] == nodes[me]) {
        near += static_cast<double>(bytes);
      } else {
        far += static_cast<double>(bytes);
        far_nodes.insert(nodes[i]);
      }
    }
    const double barrier_s = model.node_latency_s * std::log2(ranks() + 1.0);
    const double all = static_cast<double>(cost.messages);
    const double own = static_cast<double>(traffic.counts[0][me] * p.element_bytes);
    const double far_s = far / model.bandwidth, near_s = near / model.node_bandwidth;
    switch (recipe.exchange) {
      case ExchangeKind::shared: cost = {.exchange_s = 2 * barrier_s}; break;
      case ExchangeKind::node_aware: {
        // The ranks of a node take turns to carry the messages, one per other node.
        const double here = static_cast<double>(std::ranges::count(nodes, nodes[me]));
        const double others = static_cast<double>(far_nodes.size());
        cost.messages = static_cast<Index>(std::ceil(others / here));
        cost.message_bytes =
            others > 0 ? static_cast<Index>(far * here / others) * cost.messages : 0;
        cost.exchange_s = 2 * barrier_s + far_s + others * model.latency_s / here;
        break;
      }
      case ExchangeKind::all_to_all: {
        const Index most = *std::ranges::max_element(traffic.counts[0]) * p.element_bytes;
        const double padded = static_cast<double>(most) * (all + 1);
        const double sent = std::max(1.0, near + far + own);
        cost.exchange_s = (far_s + near_s + 2 * own / model.memory_bandwidth) * padded / sent +
                          all * latency_s(far > 0);
        break;
      }
      case ExchangeKind::pipelined:  // most of it behind the computation
        cost.exchange_s = 2 * own / model.memory_bandwidth + near_s + far_s / recipe.chunks +
                          recipe.chunks * all * latency_s(far > 0);
        break;
      default:
        cost.exchange_s =
            2 * own / model.memory_bandwidth + near_s + far_s + all * latency_s(far > 0);
    }
    return cost;
  }
  double latency_s(bool far) const { return far ? model.latency_s : model.node_latency_s; }
};

}  // namespace

double RecipeCost::total_s() const {
  double total = 0;
  for (const StageCost& stage : stages) total += stage.compute_s + stage.exchange_s;
  return total;
}

namespace {

RecipeCost predict_stages(const GlobalProblem& problem, const Recipe& recipe,
                          const std::vector<int>& nodes, bool in_place, const NetworkModel& model) {
  const Pricer pricer{problem, recipe, nodes, model};
  RecipeCost cost;
  const std::set<int> looked_at{0, problem.ranks() / 2, problem.ranks() - 1};
  Placement placement;
  if (recipe.stages.size() > 1) placement = place(problem, recipe, nodes, 0);
  Index send = 0, receive = 0;
  for (std::size_t i = 0; i < recipe.stages.size(); ++i) {
    StageCost stage;
    if (i < placement.exchanges.size()) {
      const auto& exchange = placement.exchanges[i];
      // What comes in takes as long as what goes out: one rank that gathers is the bottleneck.
      reshape::ExchangeProblem incoming = exchange;
      std::swap(incoming.from, incoming.to);
      for (int rank : looked_at) {
        const double in_s = pricer.exchange(incoming, rank).exchange_s;
        StageCost seen = pricer.exchange(exchange, rank);
        seen.exchange_s = std::max(seen.exchange_s, in_s);
        if (seen.exchange_s >= stage.exchange_s) stage = seen;
      }
      send = std::max(send, largest_count(exchange.from) * exchange.element_bytes);
      receive = std::max(receive, largest_count(exchange.to) * exchange.element_bytes);
    }
    stage.compute_s = pricer.compute_s(i);
    cost.stages.push_back(stage);
  }
  const Index ranks_here = std::ranges::count(nodes, nodes[0]);
  if (recipe.exchange == ExchangeKind::shared || recipe.exchange == ExchangeKind::node_aware)
    cost.workspace_bytes = placement.shared_bytes / std::max<Index>(1, ranks_here);
  else
    cost.workspace_bytes =
        (in_place ? send : 0) +
        receive * (recipe.exchange == ExchangeKind::pipelined && recipe.stages.size() > 2 ? 2 : 1);
  return cost;
}

/// There and back, three products on the way, and room for the line, its spectrum and the chirp's.
RecipeCost predict_chirp(const GlobalProblem& problem, const Recipe& recipe,
                         const std::vector<int>& nodes, const NetworkModel& model) {
  const GlobalProblem matrix = staged_problem(problem, recipe);
  RecipeCost cost = predict_stages(matrix, recipe, nodes, false, model);
  const Index bytes = out_element_bytes(Kind::c2c, problem.transform.precision);
  const Index elements = largest_count(matrix.input);
  for (StageCost& stage : cost.stages) {
    stage.compute_s =
        2 * stage.compute_s + 2 * static_cast<double>(elements * bytes) / model.memory_bandwidth;
    stage.exchange_s *= 2;
    stage.messages *= 2;
    stage.message_bytes *= 2;
  }
  cost.workspace_bytes = 2 * cost.workspace_bytes + 3 * elements * bytes;
  return cost;
}

}  // namespace

RecipeCost predict(const GlobalProblem& problem, const Recipe& recipe,
                   const std::vector<int>& nodes, bool in_place, const NetworkModel& model) {
  if (recipe.strategy == "chirp") return predict_chirp(problem, recipe, nodes, model);
  return predict_stages(staged_problem(problem, recipe), recipe, nodes, in_place, model);
}

}  // namespace weft::global
