// SPDX-License-Identifier: BSD-3-Clause
#include "global/planner.hpp"

#include <algorithm>
#include <cmath>

#include "comm/agree.hpp"
#include "global/line.hpp"
#include "global/strategy.hpp"
#include "weft/error.hpp"

namespace weft::global {
namespace {

bool is_one_node(const std::vector<int>& nodes) {
  return std::ranges::all_of(nodes, [&](int node) { return node == nodes[0]; });
}

/// Recipes without exchanges' algorithms. c2r reverses the recipes of r2c; so do other backward
/// transforms, unless the order of the axes is to be the forward one.
std::vector<Recipe> stage_lists(const GlobalProblem& problem, const std::string& strategy,
                                bool reproducible) {
  const bool backward = problem.transform.direction == Direction::backward;
  const bool mirror =
      problem.transform.kind == Kind::c2r || (backward && !reproducible && !problem.output_is_free);
  if (!mirror) return all_recipes(problem, strategy);
  std::vector<Recipe> recipes;
  for (Recipe& recipe : all_recipes(mirrored(problem), strategy))
    recipes.push_back(reversed(std::move(recipe)));
  return recipes;
}

/// The same with those of lines, whose numbers depend on the ranks: they choose the split.
std::vector<Recipe> all_stage_lists(const GlobalProblem& problem, const std::string& strategy,
                                    bool reproducible) {
  std::vector<Recipe> recipes;
  if (!problem.split) recipes = stage_lists(problem, strategy, reproducible);
  if (reproducible || (!strategy.empty() && strategy != "line")) return recipes;
  for (Recipe& recipe : line_recipes(problem)) recipes.push_back(std::move(recipe));
  return recipes;
}

/// Whether the axes come in the one order that all reproducible recipes share.
bool in_canonical_order(const Recipe& recipe, const GlobalProblem& problem) {
  std::vector<int> wanted = axis_order(problem), order;
  if (problem.transform.kind == Kind::c2r) std::ranges::reverse(wanted);
  for (const Stage& stage : recipe.stages) {
    std::vector<int> axes = stage.axes;
    std::ranges::sort(axes, {}, [&](int axis) { return std::ranges::find(wanted, axis); });
    order.insert(order.end(), axes.begin(), axes.end());
  }
  return order == wanted;
}

std::vector<ExchangeKind> exchange_kinds(const Wishes& wishes, const std::vector<int>& nodes) {
  if (wishes.exchange) return {*wishes.exchange};
  using enum ExchangeKind;
  if (is_one_node(nodes)) return {shared, point_to_point, all_to_all_v, all_to_all, pipelined};
  return {node_aware, all_to_all_v, point_to_point, all_to_all, pipelined};
}

std::string size_text(Index bytes) {
  return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB";
}

}  // namespace

std::vector<Recipe> candidates(const GlobalProblem& problem, const Wishes& wishes,
                               const std::vector<int>& nodes, const NetworkModel& model) {
  if (wishes.exchange == ExchangeKind::shared && !is_one_node(nodes))
    throw Error(ErrorCode::unsupported,
                "the shared exchange was asked for, but the ranks are on several nodes; use "
                "node_aware or leave the choice to the planner");
  struct Priced {
    double seconds;
    Recipe recipe;
  };
  std::vector<Priced> all;
  Index least_bytes = -1;
  for (Recipe& stages :
       all_stage_lists(problem, wishes.strategy, wishes.build.stage.reproducible)) {
    if (wishes.build.stage.reproducible && !in_canonical_order(stages, problem)) continue;
    if (!fits(stages, problem)) continue;
    for (ExchangeKind kind : exchange_kinds(wishes, nodes)) {
      Recipe recipe = stages;
      recipe.exchange = kind;
      recipe.chunks = kind == ExchangeKind::pipelined ? wishes.chunks : 1;
      const RecipeCost cost = predict(problem, recipe, nodes, wishes.build.in_place, model);
      if (least_bytes < 0 || cost.workspace_bytes < least_bytes) least_bytes = cost.workspace_bytes;
      if (wishes.max_workspace_bytes > 0 && cost.workspace_bytes > wishes.max_workspace_bytes)
        continue;
      all.push_back({cost.total_s(), std::move(recipe)});
      if (stages.stages.size() == 1) break;  // nothing to exchange
    }
  }
  if (all.empty() && least_bytes >= 0)
    throw Error(ErrorCode::out_of_memory,
                "at most " + size_text(wishes.max_workspace_bytes) +
                    " per rank were allowed; the most frugal recipe needs " +
                    size_text(least_bytes) + "; allow that much, or use more ranks");
  if (all.empty())
    throw Error(ErrorCode::unsupported,
                "no recipe of the strategy '" + wishes.strategy +
                    "' fits this transform and these boxes; use Strategy::automatic");
  // What differs by less than the model can know stays in the strategies' order.
  std::ranges::stable_sort(all, {}, [](const Priced& p) {
    return std::floor(100 * std::log(std::max(p.seconds, 1e-12)));
  });
  std::vector<Recipe> recipes;
  for (Priced& priced : all) recipes.push_back(std::move(priced.recipe));
  return recipes;
}

namespace {

/// Seconds of one execution on the slowest rank, the best of three.
double time_of(const GlobalProblem& problem, const Recipe& recipe, const Wishes& wishes,
               const std::vector<reshape::Piece>& input, const std::vector<reshape::Piece>& output,
               const Comm& comm) {
  const Transform& t = problem.transform;
  const Index in_bytes = in_element_bytes(t.kind, t.precision);
  const Index out_bytes = out_element_bytes(t.kind, t.precision);
  Buffer<std::byte> in, out;
  agree(comm, [&] {
    in = Buffer<std::byte>(reshape::footprint(input, in_bytes) * in_bytes);
    std::ranges::fill(in.span(), std::byte{0});
    out = Buffer<std::byte>(reshape::footprint(output, out_bytes) * out_bytes);
    std::ranges::fill(out.span(), std::byte{0});
  });
  const auto plan = make_plan(problem, recipe, input, output, comm, wishes.build);
  double best = 1e30;
  for (int round = 0; round < 3; ++round) {
    comm.barrier();
    const auto begin = std::chrono::steady_clock::now();
    plan->execute(in.data(), out.data());
    const double mine =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::vector<double> all(static_cast<std::size_t>(comm.size()));
    comm.all_gather(&mine, sizeof mine, all.data());
    best = std::min(best, *std::ranges::max_element(all));
  }
  return best;
}

}  // namespace

Recipe choose_recipe(const GlobalProblem& problem, const Wishes& wishes,
                     const std::vector<reshape::Piece>& input,
                     const std::vector<reshape::Piece>& output, const Comm& comm,
                     const NetworkModel& model) {
  std::vector<Recipe> ranked;
  agree(comm, [&] { ranked = candidates(problem, wishes, comm.nodes(), model); });
  // Rank 0 decides for all, should the ranks' arithmetic differ.
  Recipe best = parse_recipe(broadcast_text(comm, to_text(ranked.front())));
  if (wishes.effort == Effort::estimate || problem.output_is_free) return best;
  const std::size_t most = wishes.effort == Effort::measure ? 6 : ranked.size();
  ranked.resize(std::min(ranked.size(), most));
  double best_s = 1e30;
  const auto begin = std::chrono::steady_clock::now();
  for (const Recipe& candidate : ranked) {
    const Recipe recipe = parse_recipe(broadcast_text(comm, to_text(candidate)));
    const double seconds = time_of(problem, recipe, wishes, input, output, comm);
    if (seconds < best_s) {
      best_s = seconds;
      best = recipe;
    }
    char stop = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() >
                wishes.time_limit_s;
    comm.broadcast(&stop, 1, 0);
    if (stop) break;
  }
  return parse_recipe(broadcast_text(comm, to_text(best)));
}

}  // namespace weft::global
