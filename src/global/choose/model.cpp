// SPDX-License-Identifier: BSD-3-Clause
#include "global/choose/model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/index.hpp"
#include "global/line/line.hpp"
#include "global/recipe/placement.hpp"

namespace weft::global {
namespace {

constexpr int looked_at_per_node = 16;  // ranks whose traffic tells how much memory a node shares

struct Pricer {
  const GlobalProblem& problem;
  const Recipe& recipe;
  const std::vector<int>& nodes;
  const NetworkModel& model;
  const PointFlops& flops_of;

  int ranks() const { return problem.ranks(); }

  /// Whether a stage that only copies finds its data where they are wanted.
  bool is_in_place(std::size_t index) const {
    const std::size_t stages = recipe.stages.size();
    if (recipe.exchange != ExchangeKind::shared || stages == 1 ||
        !recipe.stages[index].axes.empty())
      return false;
    const std::vector<Home> places = homes(problem, recipe);
    return (index == 0 && places.front() == Home::input) ||
           (index + 1 == stages && places.back() == Home::output);
  }

  /// Reads its boxes and writes them, and computes.
  double compute_s(std::size_t index) const {
    if (is_in_place(index)) return 0;
    const StageProblem stage = stage_problem(problem, recipe, index);
    const ArrayDistribution distribution =
        distribution_of(problem, recipe.stages[index], stage.in_shape());
    const double count = static_cast<double>(distribution.largest_count());
    double flops = 0;
    for (int axis : stage.axes) flops += flops_of(stage.dimension(axis).n, stage.precision);
    if (problem.kind != Kind::c2c) flops /= 2;
    const double bytes =
        count * static_cast<double>(in_element_bytes(stage.kind, stage.precision) +
                                    out_element_bytes(stage.kind, stage.precision));
    // Cutting the axis that is adjacent in memory makes short runs.
    const int last = problem.ndim() - 1;
    const double runs = reshape::is_whole(distribution, stage.in_shape(), last) ? 1.0 : 1.15;
    return count * flops / model.flops_per_s + runs * bytes / model.memory_bandwidth;
  }

  StageCost exchange(const reshape::ExchangeProblem& p, int rank) const {
    StageCost cost;
    const auto me = static_cast<std::size_t>(rank);
    double near = 0, far = 0, own = 0;
    Index most = 0;
    std::vector<int> far_nodes;
    for (const auto& [peer, elements] : reshape::outgoing_counts(p.from, p.to, rank)) {
      const auto i = static_cast<std::size_t>(peer);
      const Index bytes = elements * p.element_bytes;
      most = std::max(most, bytes);
      if (peer == rank) {
        own = static_cast<double>(bytes);
        continue;
      }
      ++cost.messages;
      cost.message_bytes += bytes;
      if (nodes[i] == nodes[me]) {
        near += static_cast<double>(bytes);
      } else {
        far += static_cast<double>(bytes);
        far_nodes.push_back(nodes[i]);
      }
    }
    const double barrier_s = model.node_latency_s * std::log2(ranks() + 1.0);
    const double all = static_cast<double>(cost.messages);
    const double far_s = far / model.bandwidth, near_s = near / model.node_bandwidth;
    switch (recipe.exchange) {
      case ExchangeKind::shared: cost = {.exchange_s = 2 * barrier_s}; break;
      case ExchangeKind::node_aware: {
        // The ranks of a node take turns to carry the messages, one per other node.
        const double here = static_cast<double>(std::ranges::count(nodes, nodes[me]));
        std::ranges::sort(far_nodes);
        const auto others =
            static_cast<double>(std::ranges::unique(far_nodes).begin() - far_nodes.begin());
        cost.messages = static_cast<Index>(std::ceil(others / here));
        cost.message_bytes =
            others > 0 ? static_cast<Index>(far * here / others) * cost.messages : 0;
        cost.exchange_s =
            2 * barrier_s + far_s + static_cast<double>(cost.messages) * model.latency_s;
        break;
      }
      case ExchangeKind::all_to_all: {
        const double padded = static_cast<double>(most) * (all + 1);
        const double sent = std::max(1.0, near + far + own);
        cost.exchange_s = (far_s + near_s + 2 * own / model.memory_bandwidth) * padded / sent +
                          all * latency_s(far > 0);
        break;
      }
      case ExchangeKind::pipelined:  // mostly overlapped with computation
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

double nominal_point_flops(Index n, Precision) {
  const double plain = 5 * std::log2(std::max(2.0, static_cast<double>(n)));
  return largest_prime_factor(n) > 13 ? 5 * plain : plain;
}

double RecipeCost::total_s() const {
  double total = 0;
  for (const StageCost& stage : stages) total += stage.compute_s + stage.exchange_s;
  return total;
}

namespace {

RecipeCost predict_stages(const GlobalProblem& problem, const Recipe& recipe,
                          const std::vector<int>& nodes, bool in_place, const NetworkModel& model,
                          const PointFlops& flops_of) {
  const Pricer pricer{problem, recipe, nodes, model, flops_of};
  RecipeCost cost;
  const std::set<int> looked_at{0, problem.ranks() / 2, problem.ranks() - 1};
  Placement placement;
  if (recipe.stages.size() > 1) placement = place(problem, recipe, nodes, 0, looked_at_per_node);
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
      send = std::max(send, exchange.from.largest_count() * exchange.element_bytes);
      receive = std::max(receive, exchange.to.largest_count() * exchange.element_bytes);
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
                         const std::vector<int>& nodes, const NetworkModel& model,
                         const PointFlops& flops_of) {
  const GlobalProblem matrix = staged_problem(problem, recipe);
  RecipeCost cost = predict_stages(matrix, recipe, nodes, false, model, flops_of);
  const Index bytes = out_element_bytes(Kind::c2c, problem.precision);
  const Index elements = matrix.input.largest_count();
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
                   const std::vector<int>& nodes, bool in_place, const NetworkModel& model,
                   const PointFlops& flops_of) {
  if (recipe.strategy == Recipe::Strategy::chirp)
    return predict_chirp(problem, recipe, nodes, model, flops_of);
  return predict_stages(staged_problem(problem, recipe), recipe, nodes, in_place, model, flops_of);
}

}  // namespace weft::global
