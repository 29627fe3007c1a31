// SPDX-License-Identifier: BSD-3-Clause
#include "global/strategy/strategy.hpp"

#include <algorithm>

#include "base/index.hpp"

namespace weft::global {
namespace {

/// Moves the cuts of `group` to the axes of `finished`: each to the one with the longest pieces,
/// the slowest of equals, so that what is adjacent in memory stays together.
Grid handed_over(Grid grid, const std::vector<int>& group, const std::vector<int>& finished,
                 std::span<const Index> shape) {
  for (int axis : group) {
    if (grid[at(axis)] == 1) continue;
    const int target = *std::ranges::max_element(
        finished, {}, [&](int f) { return std::pair(shape[at(f)] / grid[at(f)], -f); });
    grid[at(target)] *= grid[at(axis)];
    grid[at(axis)] = 1;
  }
  return grid;
}

/// Axes of the first grid stages that the input's own distribution has whole move to the input
/// stage.
void use_input(const GlobalProblem& problem, std::vector<Stage>& stages) {
  bool halved_pending = problem.halved_axis() >= 0;
  while (stages.size() > 2) {
    if (problem.twiddled >= 0 && !stages[0].axes.empty()) return;  // factors come in between
    std::vector<int>& axes = stages[1].axes;
    if (halved_pending &&
        !reshape::is_whole(problem.input, problem.input_shape(), problem.halved_axis()))
      return;
    halved_pending = false;
    std::vector<int> rest;
    for (int axis : axes)
      (reshape::is_whole(problem.input, problem.input_shape(), axis) ? stages[0].axes : rest)
          .push_back(axis);
    axes = rest;
    if (!axes.empty()) return;
    stages.erase(stages.begin() + 1);
  }
}

/// The same at the end. The halved axis goes there only when nothing is left before it.
void use_output(const GlobalProblem& problem, std::vector<Stage>& stages) {
  while (stages.size() > 2) {
    if (problem.twiddled >= 0 && !stages.back().axes.empty()) return;
    Stage& last = stages[stages.size() - 2];
    const bool only_stage = stages.size() == 3 && stages[0].axes.empty();
    std::vector<int> rest, moved;
    for (int axis : last.axes) {
      const bool may_move = axis != problem.halved_axis() || only_stage;
      (may_move && reshape::is_whole(problem.output, problem.output_shape(), axis) ? moved : rest)
          .push_back(axis);
    }
    if (contains(moved, problem.halved_axis()) && !rest.empty()) {
      std::erase(moved, problem.halved_axis());
      rest.push_back(problem.halved_axis());
    }
    stages.back().axes.insert(stages.back().axes.begin(), moved.begin(), moved.end());
    last.axes = rest;
    if (!rest.empty()) return;
    stages.erase(stages.end() - 2);
  }
}

}  // namespace

std::vector<int> axis_order(const GlobalProblem& problem) {
  std::vector<int> order = problem.axes;
  std::ranges::sort(order, std::greater<>());
  if (const int halved = problem.halved_axis(); halved >= 0) {
    std::erase(order, halved);
    order.insert(order.begin(), halved);
  }
  return order;
}

std::vector<int> canonical_order(const GlobalProblem& problem) {
  std::vector<int> order = axis_order(problem);
  if (problem.kind == Kind::c2r) std::ranges::reverse(order);
  return order;
}

Recipe recipe_of_groups(const GlobalProblem& problem, Recipe::Strategy strategy,
                        const std::vector<std::vector<int>>& groups, Grid first) {
  const auto shape = cut_shape(problem);
  std::vector<Stage> stages{{.where = Stage::Where::input}};
  Grid grid = std::move(first);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i > 0) grid = handed_over(grid, groups[i], groups[i - 1], shape);
    stages.push_back({.where = Stage::Where::grid, .grid = grid, .axes = groups[i]});
  }
  stages.push_back({.where = Stage::Where::output});
  use_input(problem, stages);
  if (problem.output_is_free) {
    stages.pop_back();  // the data stays where the last group was transformed
  } else {
    use_output(problem, stages);
    if (stages.size() == 2 && (stages[0].axes.empty() || stages[1].axes.empty())) {
      const auto shape_between =
          stages[0].axes.empty() ? problem.input_shape() : problem.output_shape();
      if (same_boxes(distribution_of(problem, stages[0], shape_between),
                     distribution_of(problem, stages[1], shape_between))) {
        stages[0].axes.insert(stages[0].axes.end(), stages[1].axes.begin(), stages[1].axes.end());
        stages.pop_back();
      }
    }
  }
  return {.strategy = strategy, .stages = std::move(stages)};
}

namespace {

/// Nothing is transformed: from the input's boxes to the output's.
Recipe reshaping_recipe(const GlobalProblem& problem) {
  std::vector<Stage> stages{{.where = Stage::Where::input}};
  if (!problem.output_is_free && !same_boxes(problem.input, problem.output))
    stages.push_back({.where = Stage::Where::output});
  return {.strategy = Recipe::Strategy::slab, .stages = std::move(stages)};
}

}  // namespace

std::vector<Recipe> all_recipes(const GlobalProblem& problem, weft::Strategy strategy) {
  using enum weft::Strategy;
  if (problem.axes.empty()) return {reshaping_recipe(problem)};
  constexpr std::pair<weft::Strategy, std::vector<Recipe> (*)(const GlobalProblem&)> known[] = {
      {slab, slab_recipes},
      {pencil, pencil_recipes},
      {brick, brick_recipes},
      {mixed, mixed_recipes}};
  std::vector<Recipe> all;
  for (const auto& [name, recipes_of] : known) {
    if (strategy != automatic && strategy != name) continue;
    for (Recipe& recipe : recipes_of(problem)) {
      const auto same_stages = [&](const Recipe& r) { return r.stages == recipe.stages; };
      if (std::ranges::none_of(all, same_stages)) all.push_back(std::move(recipe));
    }
  }
  return all;
}

}  // namespace weft::global
