// SPDX-License-Identifier: BSD-3-Clause
#include "recipe_prediction.hpp"

#include <fmt/format.h>

#include <cmath>

#include "../mpi/distributed_problem.hpp"
#include "../text.hpp"
#include "global/choose/planner.hpp"
#include "global/recipe/recipe_text.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace {

struct Scheme {
  std::string name;
  global::ExchangeKind exchange;
  std::vector<Strategy> strategies;
};

/// Every rank sends, and nodes speak to nodes.
std::vector<Scheme> schemes_of(const std::vector<Index>& shape) {
  const Scheme line{"recipe of weft: the line as a matrix, every rank sends",
                    global::ExchangeKind::all_to_all_v,
                    {Strategy::line}};
  const Scheme heffte{"recipe of heFFTe's scheme: bricks and pencils, every rank sends",
                      global::ExchangeKind::all_to_all_v,
                      {Strategy::pencil, Strategy::brick}};
  return {shape.size() == 1 ? line : heffte,
          {"recipe of weft: one message per pair of nodes",
           global::ExchangeKind::node_aware,
           {Strategy::automatic}}};
}

/// The cheapest recipe of a scheme.
std::optional<std::pair<global::Recipe, global::RecipeCost>> best_of(
    const Scheme& scheme, const global::GlobalProblem& problem, const std::vector<int>& nodes,
    const global::NetworkModel& model) {
  std::optional<std::pair<global::Recipe, global::RecipeCost>> best;
  for (const Strategy strategy : scheme.strategies) {
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

Prediction prediction_of(const std::string& scheme, const global::Recipe& recipe,
                         const global::RecipeCost& cost, const fabric::MachineRanks& machine,
                         double array_bytes) {
  Prediction result;
  result.scheme = scheme;
  result.seconds = cost.total_s();
  Index messages = 0;
  for (const global::StageCost& stage : cost.stages) {
    result.exchange_s += stage.exchange_s;
    messages += stage.messages;
  }
  result.nodes = machine.nodes;
  // Every output depends on every input: all but the part kept on the node leaves it at least once.
  const double leaving = array_bytes / machine.nodes * (1 - 1.0 / machine.nodes);
  result.bound_s = leaving / machine.node_bytes_per_s;
  const double start_ups = static_cast<double>(messages) * machine.message_s;
  result.limit = machine.nodes == 1 ? "the memory of the node"
                 : start_ups > result.exchange_s / 2
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

Index most_priced_ranks(const std::vector<Index>& shape) {
  return shape.size() == 1 ? 256 : Index{1} << 15;
}

std::vector<Prediction> price_recipes(const fabric::MachineRanks& machine,
                                      const std::vector<Index>& shape, Precision precision,
                                      const std::string& given) {
  if (machine.ranks() > most_priced_ranks(shape)) return {};
  const int ranks = static_cast<int>(machine.ranks());
  const Transform transform = c2c(shape, {.precision = precision});
  // The grid may leave ranks without a box: 64^3 is cut into fewer than 6144 equal ones.
  const global::GlobalProblem problem =
      brick_problem(transform, balanced_grid(shape, ranks), ranks);
  const std::vector<int> nodes = nodes_of_ranks(machine, ranks);
  const global::NetworkModel model = model_of(machine);
  double points = 1;
  for (const Index length : shape) points *= static_cast<double>(length);
  std::vector<Prediction> results;
  const auto add = [&](const std::string& scheme, const global::Recipe& recipe,
                       const global::RecipeCost& cost) {
    results.push_back(
        prediction_of(scheme, recipe, cost, machine, points * complex_bytes(precision)));
    results.back().flops = 5 * points * std::log2(std::max(points, 2.0));
  };
  for (const Scheme& scheme : schemes_of(shape))
    if (const auto best = best_of(scheme, problem, nodes, model))
      add(scheme.name, best->first, best->second);
  if (!given.empty()) {
    const global::Recipe recipe = global::fitting_recipe(given, problem, nodes);
    add("recipe as given", recipe, global::predict(problem, recipe, nodes, false, model));
  }
  return results;
}

}  // namespace weft::tool
