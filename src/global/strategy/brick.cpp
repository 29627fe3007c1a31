// SPDX-License-Identifier: BSD-3-Clause
// Bricks: the input is cut along several axes. Before an axis is transformed, its cuts are moved to
// the other axes, the longest pieces first, so that a brick meets few pencils: O(P^(1/3)) messages.
#include <algorithm>
#include <optional>

#include "global/strategy/strategy.hpp"

namespace weft::global {
namespace {

/// The grid that the input is cut by, if it is cut by one: as many parts per axis as there are
/// different begins, one box per rank.
std::optional<Grid> grid_of(const GlobalProblem& problem) {
  Grid grid;
  Index ranks = 1;
  for (int d = 0; d < problem.ndim(); ++d) {
    grid.push_back(static_cast<int>(std::max<Index>(1, problem.input.parts(d))));
    ranks *= grid.back();
  }
  if (ranks > problem.ranks()) return std::nullopt;
  return grid;
}

}  // namespace

std::vector<Recipe> brick_recipes(const GlobalProblem& problem) {
  const auto bricks = grid_of(problem);
  if (!bricks) return {};
  const std::vector<int> order = axis_order(problem);
  const auto shape = cut_shape(problem);
  std::vector<std::vector<int>> groups;
  for (int axis : order) groups.push_back({axis});
  Grid grid = *bricks;
  const auto home = static_cast<std::size_t>(order.front());
  std::size_t longest = home;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (d != home && (longest == home || shape[d] / grid[d] > shape[longest] / grid[longest]))
      longest = d;
  if (longest == home) return {};
  grid[longest] *= grid[home];
  grid[home] = 1;
  return {recipe_of_groups(problem, Recipe::Strategy::brick, groups, grid)};
}

}  // namespace weft::global
