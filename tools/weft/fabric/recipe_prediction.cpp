// SPDX-License-Identifier: BSD-3-Clause
#include "recipe_prediction.hpp"

#include <fmt/format.h>

#include <cmath>

#include "../mpi/distributed_problem.hpp"
#include "../text.hpp"
#include "fabric/network/global_fft.hpp"
#include "global/planner.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace {

global::NetworkModel model_of(const MachineRanks& machine) {
  const double ranks = machine.ranks_per_node;
  return {.latency_s = machine.message_s,
          .bandwidth = machine.node_bytes_per_s / ranks,
          .node_bandwidth = machine.memory_bytes_per_s / ranks,
          .memory_bandwidth = machine.memory_bytes_per_s / ranks,
          .flops_per_s = machine.node_flops / ranks};
}

/// More take minutes to lay out.
constexpr int most_ranks = 16384;

struct Scheme {
  std::string name;
  global::ExchangeKind exchange;
  std::vector<std::string> strategies;  ///< "": any
};

/// The cheapest recipe of a scheme.
std::optional<std::pair<global::Recipe, global::RecipeCost>> best_of(
    const Scheme& scheme, const global::GlobalProblem& problem, const std::vector<int>& nodes,
    const global::NetworkModel& model) {
  std::optional<std::pair<global::Recipe, global::RecipeCost>> best;
  for (const std::string& strategy : scheme.strategies) {
    global::Wishes wishes;
    wishes.exchange = scheme.exchange;
    wishes.strategy = strategy;
    std::vector<global::Recipe> recipes;
    try {
      recipes = global::candidates(problem, wishes, nodes, model);
    } catch (const Error&) {
      continue;  // none of this strategy fits the problem
    }
    const global::RecipeCost cost = global::predict(problem, recipes.front(), nodes, false, model);
    if (!best || cost.total_s() < best->second.total_s()) best = {recipes.front(), cost};
  }
  return best;
}

Prediction prediction_of(const Scheme& scheme, const global::Recipe& recipe,
                         const global::RecipeCost& cost, const MachineRanks& machine,
                         double array_bytes) {
  Prediction result;
  result.scheme = scheme.name;
  result.seconds = cost.total_s();
  Index messages = 0;
  for (const global::StageCost& stage : cost.stages) {
    result.exchange_s += stage.exchange_s;
    messages += stage.messages;
  }
  result.nodes = machine.nodes;
  // Everything depends on everything: all but what stays on the node leaves it, once at least.
  const double leaving = array_bytes / machine.nodes * (1 - 1.0 / machine.nodes);
  result.bound_s = std::max(leaving / machine.node_bytes_per_s, 1e-12);
  const double start_ups = static_cast<double>(messages) * machine.message_s;
  result.limit = start_ups > result.exchange_s / 2
                     ? fmt::format("start-ups of {} messages per rank", messages)
                     : "the link of each node";
  const double needed = 2 * array_bytes / machine.nodes +
                        static_cast<double>(cost.workspace_bytes) * machine.ranks_per_node;
  result.fits = needed <= machine.memory_bytes;
  result.memory =
      fmt::format("{} per node (input, output, workspace) of {}: {}", bytes_text(needed),
                  bytes_text(machine.memory_bytes), result.fits ? "fits" : "does not fit");
  result.notes.push_back("recipe          " + global::to_text(recipe));
  return result;
}

}  // namespace

MachineRanks ranks_of(const fabric::ClusterMachine& machine, int nodes) {
  const double narrow = nodes > machine.radix ? machine.taper : 1.0;
  return {.nodes = nodes,
          .ranks_per_node = machine.ranks_per_node,
          .node_bytes_per_s = machine.node_bytes_per_s * machine.bandwidth_efficiency * narrow,
          .message_s = machine.message_s,
          .memory_bytes_per_s = machine.shared_memory_bytes_per_s,
          .node_flops = machine.node_flops,
          .memory_bytes = machine.memory_bytes_per_node};
}

MachineRanks ranks_of(const fabric::TorusMachine& machine, int nodes) {
  // What a node gets in an all-to-all: the links of the longest side are shared.
  const fabric::GlobalFftTime unit =
      fabric::global_fft_time(machine, nodes, 1.0, fabric::Reorder::merged);
  return {.nodes = unit.shape[0] * unit.shape[1] * unit.shape[2],
          .ranks_per_node = machine.cores_per_node,
          .node_bytes_per_s = machine.payload_bytes_per_s * machine.link_efficiency *
                              unit.bytes_per_node / unit.busiest_link_bytes,
          .message_s = machine.message_s,
          .memory_bytes_per_s = machine.memory_bytes_per_s,
          .node_flops = machine.node_flops,
          .memory_bytes = machine.memory_bytes_per_node};
}

std::vector<Prediction> price_recipes(const MachineRanks& machine, const std::vector<Index>& shape,
                                      Precision precision) {
  const int ranks = machine.nodes * machine.ranks_per_node;
  if (ranks > most_ranks) return {};
  const Transform transform = c2c(shape, {.precision = precision});
  const global::GlobalProblem problem =
      brick_problem(transform, parse_grid(std::to_string(ranks), shape));
  std::vector<int> nodes(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank)
    nodes[static_cast<std::size_t>(rank)] = rank / machine.ranks_per_node;
  const global::NetworkModel model = model_of(machine);
  const Scheme schemes[] = {
      {"recipe of heFFTe's scheme: bricks and pencils, every rank speaks",
       global::ExchangeKind::all_to_all_v,
       {"pencil", "brick"}},
      {"recipe of weft: one message per pair of nodes", global::ExchangeKind::node_aware, {""}}};
  double points = 1;
  for (const Index length : shape) points *= static_cast<double>(length);
  const double bytes = points * (precision == Precision::f32 ? 8 : 16);
  std::vector<Prediction> results;
  for (const Scheme& scheme : schemes)
    if (const auto best = best_of(scheme, problem, nodes, model)) {
      results.push_back(prediction_of(scheme, best->first, best->second, machine, bytes));
      results.back().flops = 5 * points * std::log2(std::max(points, 2.0));
    }
  return results;
}

}  // namespace weft::tool
