// SPDX-License-Identifier: BSD-3-Clause
#include "local/array/reproducible.hpp"

#include "codelet/runtime/isa.hpp"
#include "local/choose/candidates.hpp"
#include "local/choose/cuts.hpp"

namespace weft::local {

ArrayRecipe reproducible_recipe(const ArrayProblem& problem) {
  const Precision arithmetic =
      problem.precision == Precision::f64 ? Precision::f64 : Precision::f32;
  ArrayRecipe recipe{.cut = unfused_cut(problem), .axes = {}};
  for (const TileTask& tile : tiles_of(problem, recipe.cut))
    for (const AxisTask& task : tile.axes) {
      // By lanes, since lanes exist for every length and every layout; the best for the length
      // alone, on a machine that is the same for all nodes.
      const codelet::Isa isa = codelet::best_isa();
      const Index n = task.problem.complex_length();
      recipe.axes.push_back(
          axis_lanes(isa, lane_candidates(n, isa, arithmetic, MachineModel{}).front()));
    }
  return recipe;
}

}  // namespace weft::local
