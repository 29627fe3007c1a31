// SPDX-License-Identifier: BSD-3-Clause
#include "local/reproducible.hpp"

#include <algorithm>

#include "local/candidates.hpp"

namespace weft::local {

ArrayRecipe reproducible_recipe(const ArrayProblem& problem) {
  const Precision arithmetic =
      problem.precision == Precision::f64 ? Precision::f64 : Precision::f32;
  ArrayRecipe recipe{.tile_bytes = 0, .axes = {}};
  for (const TileTask& tile : cut_into_tiles(problem, recipe.tile_bytes))
    for (const AxisTask& task : tile.axes) {
      // By lanes, since lanes exist for every length and every layout; which of them, by name,
      // since the order of the candidates depends on the layout.
      std::vector<AxisRecipe> lanes;
      for (AxisRecipe& candidate : axis_candidates(task.problem, arithmetic))
        if (candidate.type == AxisRecipe::Type::lanes)
          lanes.push_back(axis_lanes(candidate.isa, std::move(candidate.lane[0])));
      recipe.axes.push_back(*std::ranges::min_element(
          lanes, {}, [](const AxisRecipe& candidate) { return to_text(candidate); }));
    }
  return recipe;
}

}  // namespace weft::local
