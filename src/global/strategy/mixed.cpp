// SPDX-License-Identifier: BSD-3-Clause
// Between slabs and pencils: four and more axes can be grouped in other ways, such as two and two,
// which needs one reshape and still allows a two-dimensional grid.
#include "global/strategy/strategy.hpp"

namespace weft::global {

std::vector<Recipe> mixed_recipes(const GlobalProblem& problem) {
  const std::vector<int> order = axis_order(problem);
  const auto shape = cut_shape(problem);
  std::vector<Recipe> recipes;
  if (order.size() < 4) return recipes;
  // Bit i of `cuts`: a new group begins after order[i].
  const unsigned ways = 1U << (order.size() - 1);
  for (unsigned cuts = 1; cuts + 1 < ways; ++cuts) {
    std::vector<std::vector<int>> groups(1);
    for (std::size_t i = 0; i < order.size(); ++i) {
      groups.back().push_back(order[i]);
      if (cuts >> i & 1U) groups.emplace_back();
    }
    recipes.push_back(recipe_of_groups(problem, Recipe::Strategy::mixed, groups,
                                       balanced_grid(shape, problem.ranks(), groups.front())));
  }
  return recipes;
}

}  // namespace weft::global
