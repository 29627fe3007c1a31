// SPDX-License-Identifier: BSD-3-Clause
// Slabs: the array is cut along one axis, all others are transformed in one stage, then that one.
// One reshape less than pencils, as long as there are planes for all ranks.
#include <algorithm>

#include "global/strategy/strategy.hpp"

namespace weft::global {

std::vector<Recipe> slab_recipes(const GlobalProblem& problem) {
  const std::vector<int> order = axis_order(problem);
  const auto shape = cut_shape(problem);
  std::vector<Recipe> recipes;
  // With axes that are not transformed, those are cut, and every rank has whole transforms.
  recipes.push_back(recipe_of_groups(problem, Recipe::Strategy::slab, {order},
                                     balanced_grid(shape, problem.ranks(), order)));
  if (order.size() < 2) return recipes;
  // The last axis to be transformed is any but the halved one, which comes first.
  for (std::size_t last = problem.halved_axis() >= 0 ? 1 : 0; last < order.size(); ++last) {
    std::vector<int> together = order;
    together.erase(together.begin() + static_cast<std::ptrdiff_t>(last));
    Grid grid(shape.size(), 1);
    grid[static_cast<std::size_t>(order[last])] = problem.ranks();
    recipes.push_back(
        recipe_of_groups(problem, Recipe::Strategy::slab, {together, {order[last]}}, grid));
  }
  return recipes;
}

}  // namespace weft::global
