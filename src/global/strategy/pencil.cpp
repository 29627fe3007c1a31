// SPDX-License-Identifier: BSD-3-Clause
// Pencils: redistribute the array so that every rank has whole lines along one axis, transform that
// axis, go on to the next. For more ranks than planes, in any number of dimensions: n-D transforms
// on an (n-1)-D grid.
#include <algorithm>

#include "global/strategy/strategy.hpp"

namespace weft::global {

std::vector<Recipe> pencil_recipes(const GlobalProblem& problem) {
  const std::vector<int> order = axis_order(problem);
  const auto shape = cut_shape(problem);
  std::vector<std::vector<int>> groups;
  for (int axis : order) groups.push_back({axis});
  std::vector<Recipe> recipes;
  const int whole[] = {order.front()};
  recipes.push_back(recipe_of_groups(problem, Recipe::Strategy::pencil, groups,
                                     balanced_grid(shape, problem.ranks(), whole)));
  if (order.size() != 3) return recipes;
  // The other rectangular grids of the two axes that are cut first.
  for (int rows = 1; rows <= problem.ranks(); ++rows) {
    if (problem.ranks() % rows != 0) continue;
    Grid grid(shape.size(), 1);
    grid[static_cast<std::size_t>(order[2])] = rows;
    grid[static_cast<std::size_t>(order[1])] = problem.ranks() / rows;
    if (rows <= shape[static_cast<std::size_t>(order[2])] &&
        problem.ranks() / rows <= shape[static_cast<std::size_t>(order[1])])
      recipes.push_back(recipe_of_groups(problem, Recipe::Strategy::pencil, groups, grid));
  }
  return recipes;
}

}  // namespace weft::global
